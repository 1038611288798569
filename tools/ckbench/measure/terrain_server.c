// SPDX-License-Identifier: MIT
// INFO (https://redis.io/docs/latest/commands/info/) over one connection that lives as long as the
// question. Everything has a deadline; what is not understood is no answer.
#include "measure/terrain_server.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE_S = 2, REPLY_ROOM = 65536, PART_ROOM = 256 };

struct address {
    char user[PART_ROOM], password[PART_ROOM], host[PART_ROOM], port[8];
    long database;
};

static bool copy_part(char *out, size_t size, const char *from, size_t len)
{
    return len < size && snprintf(out, size, "%.*s", (int)len, from) >= 0;
}

static bool read_address(const char *url, struct address *a)
{
    const char *at = strncmp(url, "redis://", 8) == 0 ? url + 8 : NULL;
    *a = (struct address){.port = "6379"};
    if (at == NULL) {
        return false;
    }
    size_t len = strcspn(at, "/");
    a->database = at[len] == '/' ? strtol(at + len + 1, NULL, 10) : 0;
    const char *sign = memrchr(at, '@', len);
    if (sign != NULL) {
        size_t user = strcspn(at, ":");
        user = user < (size_t)(sign - at) ? user : (size_t)(sign - at);
        const char *password = at + user + (at[user] == ':');
        if (!copy_part(a->user, sizeof a->user, at, user) ||
            !copy_part(a->password, sizeof a->password, password, (size_t)(sign - password))) {
            return false;
        }
        len -= (size_t)(sign + 1 - at);
        at = sign + 1;
    }
    bool is_bracketed = at[0] == '[';
    size_t host = is_bracketed ? strcspn(at, "]") : strcspn(at, ":/");
    const char *colon = at + host + is_bracketed;
    if (colon < at + len && *colon == ':' &&
        !copy_part(a->port, sizeof a->port, colon + 1, (size_t)(at + len - colon - 1))) {
        return false;
    }
    return copy_part(a->host, sizeof a->host, at + is_bracketed, host - is_bracketed) &&
           a->host[0] != '\0';
}

// -1: nobody there.
static int dial(const struct address *a)
{
    const struct addrinfo wish = {.ai_socktype = SOCK_STREAM};
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    struct addrinfo *found = NULL;
    int fd = -1;
    if (getaddrinfo(a->host, a->port, &wish, &found) != 0) {
        return -1;
    }
    for (const struct addrinfo *at = found; at != NULL && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        if (fd >= 0) {
            (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
            (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
            if (connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
                (void)close(fd);
                fd = -1;
            }
        }
    }
    freeaddrinfo(found);
    return fd;
}

// Sends the words as one command and reads one reply, a status line or a bulk string, terminated.
static bool converse(int fd, const char *const *words, char reply[REPLY_ROOM])
{
    char command[4 * PART_ROOM];
    int count = 0, len = 0;
    size_t got = 0;
    while (words[count] != NULL) {
        count++;
    }
    len = snprintf(command, sizeof command, "*%d\r\n", count);
    for (int i = 0; i < count; i++) {
        len += snprintf(command + len, sizeof command - (size_t)len, "$%zu\r\n%s\r\n",
                        strlen(words[i]), words[i]);
    }
    if (send(fd, command, (size_t)len, MSG_NOSIGNAL) != len) {
        return false;
    }
    for (;;) {
        ssize_t more = recv(fd, reply + got, REPLY_ROOM - 1 - got, 0);
        if (more <= 0 || got + (size_t)more == REPLY_ROOM - 1) {
            return false;
        }
        got += (size_t)more;
        reply[got] = '\0';
        const char *end = strstr(reply, "\r\n");
        if (end != NULL && reply[0] != '$') {
            return reply[0] == '+';
        }
        size_t size = end != NULL ? strtoul(reply + 1, NULL, 10) : 0;
        if (end != NULL && got >= (size_t)(end - reply) + 2 + size + 2) {
            return true;
        }
    }
}

// The text behind "NAME:" at the start of a line, NULL: there is none.
static const char *find_line(const char *info, const char *name)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "\n%s:", name);
    const char *at = strstr(info, wanted);
    return at != NULL ? at + strlen(wanted) : NULL;
}

static int64_t number_of(const char *info, const char *name)
{
    const char *at = find_line(info, name);
    return at != NULL && *at >= '0' && *at <= '9' ? strtoll(at, NULL, 10) : -1;
}

static void text_of(const char *info, const char *name, char *out, size_t size)
{
    const char *at = find_line(info, name);
    size_t len = at != NULL ? strspn(at, "0123456789abcdefghijklmnopqrstuvwxyz.-") : 0;
    (void)snprintf(out, size, "%.*s", (int)(len < size ? len : size - 1), at != NULL ? at : "");
}

// Calls of the commands in `INFO commandstats`, those of a name or all that are none of ours.
static int64_t count_calls(const char *stats, const char *wanted)
{
    // What a cache of ours gives, what dialling takes, and what is asked here.
    static const char ours[] = " get set del eval ping auth select hello info ";
    int64_t sum = 0;
    for (const char *at = strstr(stats, "\ncmdstat_"); at != NULL;
         at = strstr(at + 1, "\ncmdstat_")) {
        char name[64];
        const char *command = at + strlen("\ncmdstat_");
        const char *calls = strstr(command, ":calls=");
        size_t len = strcspn(command, ":\r\n");
        if (calls != command + len || len + 3 > sizeof name) {
            continue;
        }
        (void)snprintf(name, sizeof name, " %.*s ", (int)len, command);
        bool is_wanted = wanted != NULL ? strcmp(name, wanted) == 0 : strstr(ours, name) == NULL;
        sum += is_wanted ? strtoll(calls + strlen(":calls="), NULL, 10) : 0;
    }
    return sum;
}

static bool understand(const char *text, long database, struct terrain_server_info *info)
{
    char name[24];
    text_of(text, "redis_version", info->version, sizeof info->version);
    text_of(text, "run_id", info->run_id, sizeof info->run_id);
    text_of(text, "maxmemory_policy", info->policy, sizeof info->policy);
    info->hits = number_of(text, "keyspace_hits");
    info->misses = number_of(text, "keyspace_misses");
    info->clients = number_of(text, "connected_clients");
    info->errors = number_of(text, "total_error_replies");
    (void)snprintf(name, sizeof name, "db%ld", database);
    const char *keys = find_line(text, name);
    info->keys = keys != NULL && strncmp(keys, "keys=", 5) == 0 ? strtoll(keys + 5, NULL, 10) : 0;
    return info->run_id[0] != '\0' && info->hits >= 0 && info->misses >= 0 && info->clients >= 0;
}

bool terrain_server_ask(const char *url, struct terrain_server_info *info)
{
    struct address a;
    *info = (struct terrain_server_info){0};
    char *reply = malloc(REPLY_ROOM);
    int fd = reply != NULL && read_address(url, &a) ? dial(&a) : -1;
    if (fd >= 0) {
        const char *const login[] = {"AUTH", a.user[0] != '\0' ? a.user : a.password,
                                     a.user[0] != '\0' ? a.password : NULL, NULL};
        const char *const ask[] = {"INFO", NULL};
        const char *const ask_commands[] = {"INFO", "commandstats", NULL};
        info->is_known = (a.password[0] == '\0' || converse(fd, login, reply)) &&
                         converse(fd, ask, reply) && understand(reply, a.database, info);
        bool has_commands = info->is_known && converse(fd, ask_commands, reply);
        info->gets = has_commands ? count_calls(reply, " get ") : -1;
        info->strangers = has_commands ? count_calls(reply, NULL) : -1;
        (void)close(fd);
    }
    free(reply);
    if (!info->is_known) {
        *info = (struct terrain_server_info){0};
    }
    return info->is_known;
}
