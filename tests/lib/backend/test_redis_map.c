// SPDX-License-Identifier: MIT
// What a Cluster may say about itself, and what it may not: no answer moves a slot outside the map,
// sends us in circles for ever, or makes us read beyond its end.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>

#include "redis_kit.h"
#include "scripted.h"

static struct scripted server;
static char mine[160];

static void open_all(void)
{
    scripted_open(&server);
}

static void close_all(void)
{
    scripted_close(&server);
}

TestSuite(redis_map, .init = open_all, .fini = close_all, .timeout = 120);

static cachekit_status get(cachekit_backend *backend, cachekit_error *error)
{
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    cachekit_status status =
        backend->ops->get(backend, REDIS_KIT_TEXT("k"), cachekit_deadline_ns(10000), &value, error);
    if (status == CACHEKIT_OK) {
        cr_assert(eq(sz, value.len, 10));
        cr_assert(memcmp(value.data, "value of k", 10) == 0);
    }
    cachekit_buffer_release(&value);
    return status;
}

// The text with the server's port for PORT, if it has one.
static void put_port(char *out, size_t room, const char *text)
{
    const char *at = strstr(text, "PORT");
    if (at == NULL) {
        (void)snprintf(out, room, "%s", text);
    } else {
        (void)snprintf(out, room, "%.*s%d%s", (int)(at - text), text, server.port, at + 4);
    }
}

static cachekit_status first_get(const char *slots)
{
    char reply[2048];
    put_port(reply, sizeof reply, slots);
    cachekit_backend *backend = redis_kit_backend(server.cluster_url, NULL);
    scripted_say(&server, reply);
    cachekit_status status = get(backend, NULL);
    cachekit_backend_free(backend);
    scripted_forget(&server);
    return status;
}

Test(redis_map, maps_in_all_their_shapes)
{
    static const struct {
        const char *slots;
        cachekit_status status;
    } rows[] = {
        {"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:PORT\r\n", CACHEKIT_OK},
        // An id and metadata, replicas, an unknown host (ours), a gap.
        {"*1\r\n*4\r\n:0\r\n:16383\r\n*4\r\n$9\r\n127.0.0.1\r\n:PORT\r\n$2\r\nid\r\n*2\r\n$"
         "1\r\na\r\n"
         "$1\r\nb\r\n*2\r\n$1\r\nx\r\n:1\r\n",
         CACHEKIT_OK},
        {"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:PORT\r\n", CACHEKIT_OK},
        {"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$-1\r\n:PORT\r\n", CACHEKIT_OK},
        {"*1\r\n*3\r\n:1\r\n:1\r\n*2\r\n$9\r\n127.0.0.1\r\n:PORT\r\n", CACHEKIT_OK},
        {"*0\r\n", CACHEKIT_E_TRANSIENT},
        {"*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$9\r\n127.0.0.1\r\n:PORT\r\n", CACHEKIT_E_UNKNOWN},
        {"*1\r\n*3\r\n:-1\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:PORT\r\n", CACHEKIT_E_UNKNOWN},
        {"*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$9\r\n127.0.0.1\r\n:PORT\r\n", CACHEKIT_E_UNKNOWN},
        {"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:0\r\n", CACHEKIT_E_UNKNOWN},
        {"*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:65536\r\n", CACHEKIT_E_UNKNOWN},
        {"*1\r\n*3\r\n:0\r\n:16383\r\n*1\r\n$9\r\n127.0.0.1\r\n", CACHEKIT_E_UNKNOWN},
        {"*1\r\n*2\r\n:0\r\n:16383\r\n", CACHEKIT_E_UNKNOWN},
        {"*1\r\n:7\r\n", CACHEKIT_E_UNKNOWN},
        {"*2\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:PORT\r\n*0\r\n",
         CACHEKIT_E_UNKNOWN},
        {"*1\r\n*3\r\n+a\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:PORT\r\n", CACHEKIT_E_CONFIG},
        {"*1\r\n*2147483647\r\n", CACHEKIT_E_CONFIG},
        {"-ERR This instance has cluster support disabled\r\n", CACHEKIT_E_CONFIG},
        {"$5\r\nhello\r\n", CACHEKIT_E_CONFIG},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(eq(int, first_get(rows[i].slots), rows[i].status), "row %zu", i);
    }
}

Test(redis_map, redirections_in_all_their_shapes)
{
    static const struct {
        const char *line;
        cachekit_status status;
    } rows[] = {
        {"-MOVED 0 127.0.0.1:PORT\r\n", CACHEKIT_OK},
        {"-MOVED 0 :PORT\r\n", CACHEKIT_OK},
        {"-ASK 0 127.0.0.1:PORT\r\n", CACHEKIT_OK},
        {"-MOVED 16384 127.0.0.1:PORT\r\n", CACHEKIT_E_CONFIG},
        {"-MOVED -1 127.0.0.1:PORT\r\n", CACHEKIT_E_CONFIG},
        {"-MOVED x 127.0.0.1:PORT\r\n", CACHEKIT_E_CONFIG},
        {"-MOVED 1\r\n", CACHEKIT_E_CONFIG},
        {"-MOVED 1 127.0.0.1\r\n", CACHEKIT_E_CONFIG},
        {"-MOVED 1 127.0.0.1:0\r\n", CACHEKIT_E_CONFIG},
        {"-MOVED 1 127.0.0.1:99999\r\n", CACHEKIT_E_CONFIG},
        {"-MOVED\r\n", CACHEKIT_E_CONFIG},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[128];
        cachekit_backend *backend = redis_kit_backend(server.cluster_url, NULL);
        cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK));
        put_port(line, sizeof line, rows[i].line);
        scripted_say(&server, line);
        cr_assert(eq(int, get(backend, NULL), rows[i].status), "row %zu", i);
        cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK), "row %zu", i);
        cachekit_backend_free(backend);
    }
}

Test(redis_map, a_circle_ends)
{
    cachekit_backend *backend = redis_kit_backend(server.cluster_url, NULL);
    cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK));
    (void)snprintf(mine, sizeof mine, "-MOVED 1 127.0.0.1:%d\r\n", server.port);
    for (int i = 0; i < SCRIPTED_PLANS_MAX; i++) {
        scripted_say(&server, mine);
    }
    cr_assert(eq(int, get(backend, NULL), CACHEKIT_E_TRANSIENT));
    cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK));
    cachekit_backend_free(backend);
}

// More nodes than there is room for, one after the other: old ones make room.
Test(redis_map, nodes_that_own_nothing_are_forgotten)
{
    char slots[256];
    cachekit_backend *backend = redis_kit_backend(server.cluster_url, NULL);
    cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK));
    for (int i = 0; i < 300; i++) {
        // ASK adds a node that no map names; it cannot be reached.
        (void)snprintf(slots, sizeof slots, "-ASK 1 127.1.%d.%d:1\r\n", i / 200, i % 200 + 1);
        scripted_say(&server, slots);
        cachekit_status status = get(backend, NULL);
        cr_assert(status == CACHEKIT_E_TRANSIENT || status == CACHEKIT_E_CONFIG, "%d: %d", i,
                  status);
    }
    cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK));
    cachekit_backend_free(backend);
}
