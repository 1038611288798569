// SPDX-License-Identifier: MIT
// Starts keeper.py with a pipe on either side and speaks to it.
#include "redis_kit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hiredis.h>

void redis_kit_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("redis kit: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    _exit(99);
}

static void read_line(const struct redis_kit *kit, char *line, size_t room)
{
    size_t len = 0;
    for (;;) {
        ssize_t got = read(kit->from, line + len, 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0 || len + 2 > room) {
            redis_kit_die("keeper.py gave up");
        }
        if (line[len] == '\n') {
            line[len] = '\0';
            return;
        }
        len++;
    }
}

static void run_keeper(int in, int out, const char *const *options)
{
    const char *argv[32] = {"keeper.py"};
    int argc = 1;
    for (; options != NULL && *options != NULL && argc < 31; options++) {
        argv[argc++] = *options;
    }
    (void)dup2(in, 0);
    (void)dup2(out, 1);
    // Preloads and sanitizers' settings are for the test, not for the interpreter.
    (void)unsetenv("LD_PRELOAD");
    (void)execv(CACHEKIT_TEST_DIR "/redis/keeper.py", (char *const *)(uintptr_t)argv);
    _exit(127);
}

static void read_ready(struct redis_kit *kit)
{
    char line[512], dir[128], ports[64];
    read_line(kit, line, sizeof line);
    if (sscanf(line, "ready dir=%127s socket=%107s ports=%63s", dir, kit->socket, ports) != 3) {
        redis_kit_die("keeper.py says: %s", line);
    }
    char *at = ports;
    while (kit->port_count < REDIS_KIT_SERVERS_MAX && *at != '\0') {
        kit->ports[kit->port_count++] = (int)strtol(at, &at, 10);
        at += *at == ',';
    }
    (void)snprintf(kit->unix_url, sizeof kit->unix_url, "unix://%s", kit->socket);
    (void)snprintf(kit->tcp_url, sizeof kit->tcp_url, "redis://127.0.0.1:%d", kit->ports[0]);
    (void)snprintf(kit->cluster_url, sizeof kit->cluster_url, "redis+cluster://127.0.0.1:%d",
                   kit->ports[0]);
}

void redis_kit_open(struct redis_kit *kit, const char *const *options)
{
    int to[2], from[2];
    memset(kit, 0, sizeof *kit);
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
        redis_kit_die("no pipe");
    }
    kit->keeper = fork();
    if (kit->keeper < 0) {
        redis_kit_die("no process");
    }
    if (kit->keeper == 0) {
        run_keeper(to[0], from[1], options);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    kit->to = to[1];
    kit->from = from[0];
    read_ready(kit);
}

void redis_kit_open_cluster(struct redis_kit *kit)
{
    static const char *const options[] = {"--cluster", "3", NULL};
    redis_kit_open(kit, options);
}

void redis_kit_close(struct redis_kit *kit)
{
    int status;
    (void)close(kit->to);
    while (waitpid(kit->keeper, &status, 0) < 0 && errno == EINTR) {
    }
    (void)close(kit->from);
}

void redis_kit_tell(const struct redis_kit *kit, const char *action, int server)
{
    char line[64];
    int len = snprintf(line, sizeof line, "%s %d\n", action, server);
    if (write(kit->to, line, (size_t)len) != len) {
        redis_kit_die("keeper.py is gone");
    }
    read_line(kit, line, sizeof line);
    if (strcmp(line, "ok") != 0) {
        redis_kit_die("keeper.py could not %s", action);
    }
}

static void show(const redisReply *reply, char *out, size_t room)
{
    switch (reply->type) {
    case REDIS_REPLY_STATUS:
        (void)snprintf(out, room, "+%s", reply->str);
        break;
    case REDIS_REPLY_ERROR:
        (void)snprintf(out, room, "-%s", reply->str);
        break;
    case REDIS_REPLY_INTEGER:
        (void)snprintf(out, room, ":%lld", reply->integer);
        break;
    case REDIS_REPLY_STRING:
        (void)snprintf(out, room, "$%s", reply->str);
        break;
    case REDIS_REPLY_NIL:
        (void)snprintf(out, room, "nil");
        break;
    default:
        (void)snprintf(out, room, "*%zu", reply->elements);
    }
}

void redis_kit_ask(const struct redis_kit *kit, int server, char *reply, size_t room,
                   const char *format, ...)
{
    va_list args;
    redisContext *context = redisConnect("127.0.0.1", kit->ports[server]);
    if (context == NULL || context->err != 0) {
        redis_kit_die("the server does not take a connection");
    }
    va_start(args, format);
    redisReply *got = redisvCommand(context, format, args);
    va_end(args);
    if (got == NULL) {
        redis_kit_die("the server does not answer: %s", context->errstr);
    }
    show(got, reply, room);
    freeReplyObject(got);
    redisFree(context);
}

long redis_kit_calls(const struct redis_kit *kit, int server, const char *command)
{
    static char info[65536];
    char wanted[64];
    redis_kit_ask(kit, server, info, sizeof info, "INFO commandstats");
    (void)snprintf(wanted, sizeof wanted, "cmdstat_%s:calls=", command);
    const char *at = strstr(info, wanted);
    return at == NULL ? 0 : strtol(at + strlen(wanted), NULL, 10);
}

cachekit_backend *redis_kit_backend(const char *url, const cachekit_redis_backend_options *options)
{
    cachekit_redis_backend_options all = {.size = sizeof all};
    cachekit_backend *backend = NULL;
    cachekit_error error = {.text = "?"};
    if (options != NULL) {
        all = *options;
        all.size = sizeof all;
    }
    all.url = url;
    if (cachekit_redis_backend_new(&all, &backend, &error) != CACHEKIT_OK) {
        redis_kit_die("no backend: %s", error.text);
    }
    return backend;
}
