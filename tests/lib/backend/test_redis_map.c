// SPDX-License-Identifier: MIT
// What a Cluster may say about itself, and what it may not: no answer moves a slot outside the map,
// sends us in circles for ever, or makes us read beyond its end.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backend/redis_cluster.h"
#include "backend/redis_map.h"
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
        {"-MOVED 16384 127.0.0.1:PORT\r\n", CACHEKIT_E_UNKNOWN},
        {"-MOVED -1 127.0.0.1:PORT\r\n", CACHEKIT_E_UNKNOWN},
        {"-MOVED x 127.0.0.1:PORT\r\n", CACHEKIT_E_UNKNOWN},
        {"-MOVED 1\r\n", CACHEKIT_E_UNKNOWN},
        {"-MOVED 1 127.0.0.1\r\n", CACHEKIT_E_UNKNOWN},
        {"-MOVED 1 127.0.0.1:0\r\n", CACHEKIT_E_UNKNOWN},
        {"-MOVED 1 127.0.0.1:99999\r\n", CACHEKIT_E_UNKNOWN},
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

static uint32_t add_node(struct cki_redis *self, int number)
{
    char host[32];
    int len = snprintf(host, sizeof host, "127.1.%d.%d", number / 200, number % 200 + 1);
    (void)pthread_mutex_lock(&self->lock);
    uint32_t node = cki_map_node(self, (const uint8_t *)host, (size_t)len, 1, 0);
    (void)pthread_mutex_unlock(&self->lock);
    return node;
}

// Where the table of nodes is full, those that own nothing make room at the next look at the map.
Test(redis_map, nodes_that_own_nothing_are_forgotten)
{
    const struct timespec longer = {0, 150000000};
    cachekit_backend *backend = redis_kit_backend(server.cluster_url, NULL);
    struct cki_redis *self = (struct cki_redis *)(void *)backend;
    cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK));
    for (int i = 1; i < CKI_NODES_MAX; i++) {
        cr_assert(eq(u32, add_node(self, i), (uint32_t)i)); // 0 is the URL's and owns all
        cr_assert(eq(u32, add_node(self, i), (uint32_t)i)); // known by now
    }
    cr_assert(eq(u32, add_node(self, CKI_NODES_MAX), CKI_NODE_NONE));
    cki_cluster_doubt(self);
    (void)nanosleep(&longer, NULL);
    cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK));
    cr_assert(ne(u32, add_node(self, CKI_NODES_MAX), CKI_NODE_NONE));
    cachekit_backend_free(backend);
}

static cachekit_status remove_three(cachekit_backend *backend, bool done[3])
{
    const cachekit_slice keys[3] = {REDIS_KIT_BYTES("a"), REDIS_KIT_BYTES("b"),
                                    REDIS_KIT_BYTES("c")};
    return backend->ops->remove_many(backend, keys, 3, cachekit_deadline_ns(10000), done, NULL);
}

// Three slots, three commands in one go: where an answer is missing or one too many, none counts.
Test(redis_map, a_batch_whose_answers_do_not_add_up_removed_nothing_for_sure)
{
    static const struct {
        const char *replies[3];
        enum scripted_fault fault; // of the second
        size_t at;
        cachekit_status status;
        int removed;
    } rows[] = {
        {{":1\r\n", ":1\r\n", ":0\r\n"}, SCRIPTED_NONE, 0, CACHEKIT_OK, 3},
        {{":1\r\n", ":1\r\n", ":1\r\n"}, SCRIPTED_CUT, 2, CACHEKIT_E_TRANSIENT, 0},
        {{":1\r\n", ":1\r\n", ":1\r\n:1\r\n"}, SCRIPTED_NONE, 0, CACHEKIT_E_UNKNOWN, 0},
        {{":1\r\n", "*1\r\n:1\r\n", ":1\r\n"}, SCRIPTED_NONE, 0, CACHEKIT_E_UNKNOWN, 0},
        {{":1\r\n", ":7\r\n", ":1\r\n"}, SCRIPTED_NONE, 0, CACHEKIT_E_UNKNOWN, 2},
        {{":1\r\n", "-TRYAGAIN\r\n", ":1\r\n"}, SCRIPTED_NONE, 0, CACHEKIT_E_TRANSIENT, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool done[3];
        cachekit_backend *backend = redis_kit_backend(server.cluster_url, NULL);
        cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK));
        for (int k = 0; k < 3; k++) {
            const char *reply = rows[i].replies[k];
            scripted_plan(&server,
                          (struct scripted_plan){.reply = reply,
                                                 .len = strlen(reply),
                                                 .fault = k == 1 ? rows[i].fault : SCRIPTED_NONE,
                                                 .at = rows[i].at});
        }
        cr_assert(eq(int, remove_three(backend, done), rows[i].status), "row %zu", i);
        cr_assert(eq(int, done[0] + done[1] + done[2], rows[i].removed), "row %zu", i);
        scripted_forget(&server);
        cr_assert(eq(int, get(backend, NULL), CACHEKIT_OK));
        cachekit_backend_free(backend);
    }
}
