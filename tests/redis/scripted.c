// SPDX-License-Identifier: MIT
// One thread, one poll loop. A fault is counted as fired when it was done.
#include "scripted.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void close_link(struct scripted *server, struct scripted_link *link, bool with_reset)
{
    if (with_reset) {
        const struct linger now = {1, 0};
        (void)setsockopt(link->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    (void)close(link->fd);
    link->fd = 0;
    link->in_len = 0;
    link->out_len = 0;
    link->drip_ms = 0;
    server->closed++;
}

static void say(const struct scripted_link *link, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(link->fd, bytes, len, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return;
        }
        bytes += sent > 0 ? sent : 0;
        len -= sent > 0 ? (size_t)sent : 0;
    }
}

static void carry_out(struct scripted *server, struct scripted_link *link,
                      const struct scripted_plan *plan)
{
    size_t at = plan->fault == SCRIPTED_NONE || plan->at > plan->len ? plan->len : plan->at;
    say(link, plan->reply, at);
    server->fired += plan->fault != SCRIPTED_NONE;
    switch (plan->fault) {
    case SCRIPTED_CUT:
    case SCRIPTED_RESET:
        close_link(server, link, plan->fault == SCRIPTED_RESET);
        break;
    case SCRIPTED_HALF_CLOSE:
        (void)shutdown(link->fd, SHUT_WR);
        break;
    case SCRIPTED_DELAY:
    case SCRIPTED_DRIP:
        link->out = plan->reply + at;
        link->out_len = plan->len - at;
        link->drip_ms = plan->fault == SCRIPTED_DRIP ? plan->delay_ms : 0;
        link->due_ns = now_ns() + plan->delay_ms * INT64_C(1000000);
        break;
    case SCRIPTED_NONE:
        break;
    }
}

struct word {
    const char *at;
    size_t len;
};

static void say_value(const struct scripted_link *link, const struct word *words, int count)
{
    char reply[SCRIPTED_ROOM + 64];
    size_t len = count > 1 ? words[1].len : 0;
    int head = snprintf(reply, sizeof reply, "$%zu\r\nvalue of ", len + 9);
    memcpy(reply + head, words[1].at, len);
    memcpy(reply + head + len, "\r\n", 2);
    say(link, reply, (size_t)head + len + 2);
}

static void answer(struct scripted *server, struct scripted_link *link, const struct word *words,
                   int count)
{
    static const struct {
        const char *name, *reply;
    } usual[] = {{"SET", "+OK\r\n"},    {"AUTH", "+OK\r\n"},   {"SELECT", "+OK\r\n"},
                 {"ASKING", "+OK\r\n"}, {"PING", "+PONG\r\n"}, {"DEL", ":1\r\n"},
                 {"EXISTS", ":1\r\n"},  {"UNLINK", ":1\r\n"},  {"EVAL", ":1\r\n"},
                 {"PTTL", ":-1\r\n"},   {"INFO", "$0\r\n\r\n"}};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (words[0].len == strlen(usual[i].name) &&
            memcmp(words[0].at, usual[i].name, words[0].len) == 0) {
            say(link, usual[i].reply, strlen(usual[i].reply));
            return;
        }
    }
    if (words[0].len == 7 && memcmp(words[0].at, "CLUSTER", 7) == 0) {
        say(link, server->slots, strlen(server->slots));
        return;
    }
    say_value(link, words, count);
}

// The words of one whole command at the beginning of `in`; its length, 0 if it is not whole yet.
static size_t read_command(const struct scripted_link *link, struct word *words, int *count)
{
    const char *at = link->in, *end = link->in + link->in_len;
    char *stop;
    *count = 0;
    if (memchr(at, '\n', (size_t)(end - at)) == NULL) {
        return 0;
    }
    long wanted = strtol(at + 1, &stop, 10);
    at = stop + 2;
    for (long i = 0; i < wanted; i++) {
        if (at >= end || memchr(at, '\n', (size_t)(end - at)) == NULL) {
            return 0;
        }
        long len = strtol(at + 1, &stop, 10);
        at = stop + 2 + len + 2;
        if (at > end) {
            return 0;
        }
        if (*count < 8) {
            words[(*count)++] = (struct word){stop + 2, (size_t)len};
        }
    }
    return (size_t)(at - link->in);
}

static void obey(struct scripted *server, struct scripted_link *link)
{
    struct word words[8];
    int count;
    size_t len;
    while (link->fd != 0 && (len = read_command(link, words, &count)) > 0) {
        server->commands++;
        if (server->is_silent) {
            // nothing is said
        } else if (server->plan_count > 0) {
            struct scripted_plan plan = server->plans[0];
            server->plan_count--;
            memmove(server->plans, server->plans + 1, server->plan_count * sizeof plan);
            carry_out(server, link, &plan);
        } else {
            answer(server, link, words, count);
        }
        if (link->fd != 0) {
            link->in_len -= len;
            memmove(link->in, link->in + len, link->in_len);
        }
    }
}

static void read_more(struct scripted *server, struct scripted_link *link)
{
    ssize_t got =
        recv(link->fd, link->in + link->in_len, sizeof link->in - link->in_len - 1, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        close_link(server, link, false);
    } else if (got > 0) {
        link->in_len += (size_t)got;
        link->in[link->in_len] = '\0';
        obey(server, link);
    }
}

static void say_late(struct scripted_link *link)
{
    size_t len = link->drip_ms > 0 ? 1 : link->out_len;
    say(link, link->out, len);
    link->out += len;
    link->out_len -= len;
    link->due_ns += link->drip_ms * INT64_C(1000000);
}

static void take_in(struct scripted *server)
{
    int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
    for (int i = 0; fd >= 0 && i < SCRIPTED_LINKS_MAX; i++) {
        if (server->links[i].fd == 0) {
            server->links[i].fd = fd;
            server->accepted++;
            return;
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

static int watch(struct scripted *server, struct pollfd *polled)
{
    int64_t now = now_ns(), soonest = now + INT64_C(1000000000);
    polled[0] = (struct pollfd){server->listener, POLLIN, 0};
    polled[1] = (struct pollfd){server->wake[0], POLLIN, 0};
    for (int i = 0; i < SCRIPTED_LINKS_MAX; i++) {
        struct scripted_link *link = &server->links[i];
        if (link->fd != 0 && link->out_len > 0 && link->due_ns <= now) {
            say_late(link);
        }
        if (link->fd != 0 && link->out_len > 0 && link->due_ns < soonest) {
            soonest = link->due_ns;
        }
        polled[2 + i] = (struct pollfd){link->fd != 0 ? link->fd : -1, POLLIN, 0};
    }
    return soonest <= now ? 0 : (int)((soonest - now + 999999) / 1000000);
}

static void *serve(void *context)
{
    struct scripted *server = context;
    struct pollfd polled[2 + SCRIPTED_LINKS_MAX];
    (void)pthread_mutex_lock(&server->lock);
    while (!server->is_over) {
        int wait_ms = watch(server, polled);
        (void)pthread_mutex_unlock(&server->lock);
        (void)poll(polled, 2 + SCRIPTED_LINKS_MAX, wait_ms);
        (void)pthread_mutex_lock(&server->lock);
        for (int i = 0; i < SCRIPTED_LINKS_MAX; i++) {
            if (server->links[i].fd != 0 && polled[2 + i].fd == server->links[i].fd &&
                polled[2 + i].revents != 0) {
                read_more(server, &server->links[i]);
            }
        }
        if (polled[0].revents != 0) {
            take_in(server);
        }
    }
    (void)pthread_mutex_unlock(&server->lock);
    return NULL;
}

static void give_up(const char *why)
{
    (void)fprintf(stderr, "scripted server: %s\n", why);
    _exit(99);
}

void scripted_open(struct scripted *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof address;
    const int on = 1;
    memset(server, 0, sizeof *server);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(server->listener, 64) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &len) != 0 ||
        pipe2(server->wake, O_CLOEXEC) != 0) {
        give_up("cannot listen");
    }
    server->port = ntohs(address.sin_port);
    (void)snprintf(server->url, sizeof server->url, "redis://127.0.0.1:%d", server->port);
    (void)snprintf(server->cluster_url, sizeof server->cluster_url, "redis+cluster://127.0.0.1:%d",
                   server->port);
    (void)snprintf(server->slots, sizeof server->slots,
                   "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:%d\r\n", server->port);
    (void)pthread_mutex_init(&server->lock, NULL);
    if (pthread_create(&server->thread, NULL, serve, server) != 0) {
        give_up("no thread");
    }
}

void scripted_close(struct scripted *server)
{
    (void)pthread_mutex_lock(&server->lock);
    server->is_over = true;
    (void)pthread_mutex_unlock(&server->lock);
    (void)close(server->wake[1]); // its end wakes the loop
    (void)pthread_join(server->thread, NULL);
    for (int i = 0; i < SCRIPTED_LINKS_MAX; i++) {
        if (server->links[i].fd != 0) {
            close_link(server, &server->links[i], false);
        }
    }
    (void)close(server->listener);
    (void)close(server->wake[0]);
    (void)pthread_mutex_destroy(&server->lock);
}

void scripted_plan(struct scripted *server, struct scripted_plan plan)
{
    (void)pthread_mutex_lock(&server->lock);
    if (server->plan_count == SCRIPTED_PLANS_MAX) {
        give_up("too many plans");
    }
    server->plans[server->plan_count++] = plan;
    (void)pthread_mutex_unlock(&server->lock);
}

void scripted_say(struct scripted *server, const char *reply)
{
    scripted_plan(server, (struct scripted_plan){.reply = reply, .len = strlen(reply)});
}

void scripted_silence(struct scripted *server, bool is_silent)
{
    (void)pthread_mutex_lock(&server->lock);
    server->is_silent = is_silent;
    (void)pthread_mutex_unlock(&server->lock);
}

void scripted_forget(struct scripted *server)
{
    (void)pthread_mutex_lock(&server->lock);
    server->plan_count = 0;
    (void)pthread_mutex_unlock(&server->lock);
}

struct scripted_counts scripted_counts(struct scripted *server)
{
    struct scripted_counts counts;
    (void)pthread_mutex_lock(&server->lock);
    counts = (struct scripted_counts){server->accepted, server->closed, server->commands,
                                      server->fired, server->accepted - server->closed};
    (void)pthread_mutex_unlock(&server->lock);
    return counts;
}
