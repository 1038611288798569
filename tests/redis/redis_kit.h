// SPDX-License-Identifier: MIT
// A private redis-server (or three masters of a Cluster) for a test in C, through keeper.py: it is
// gone when the test's process is, however that ends. No Criterion here: programs use it as well.
// What does not work ends the process with a line that says so.
#ifndef TESTS_REDIS_KIT_H
#define TESTS_REDIS_KIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cachekit/backends.h>

enum { REDIS_KIT_SERVERS_MAX = 3 };

struct redis_kit {
    pid_t keeper;
    int to;   // its standard input
    int from; // its standard output
    char unix_url[160];
    char tcp_url[64];
    char cluster_url[64];
    char socket[108];
    int ports[REDIS_KIT_SERVERS_MAX];
    int port_count;
};

// `options` are redis-server's, NULL-terminated; NULL: none.
void redis_kit_open(struct redis_kit *kit, const char *const *options);
void redis_kit_open_cluster(struct redis_kit *kit);
void redis_kit_close(struct redis_kit *kit);

// "stop", "cont", "kill", "start": see keeper.py.
void redis_kit_tell(const struct redis_kit *kit, const char *action, int server);

// One command to a server over hiredis, not over the library; "%b" takes pointer and size. The
// reply as text: a status or error with its sign, ":N", "$bytes", "nil". At most `room` bytes.
void redis_kit_ask(const struct redis_kit *kit, int server, char *reply, size_t room,
                   const char *format, ...);

// The calls of one command in the server's commandstats.
long redis_kit_calls(const struct redis_kit *kit, int server, const char *command);

// A backend for the URL; `options` (NULL: all default) but its url.
cachekit_backend *redis_kit_backend(const char *url, const cachekit_redis_backend_options *options);

// Ends the process with one line.
void redis_kit_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static inline cachekit_slice redis_kit_slice(const void *data, size_t len)
{
    return (cachekit_slice){data, len};
}

// Also of tables: a constant, as far as C allows one to be.
#define REDIS_KIT_BYTES(text)                                                                      \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }
#define REDIS_KIT_TEXT(text) ((cachekit_slice)REDIS_KIT_BYTES(text))

#endif
