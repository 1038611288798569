// SPDX-License-Identifier: MIT
// Every allocation through the hooks refused once, and from then on: a status, nothing leaked, and
// the next call works. Those inside hiredis: redis_malloc_faults.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include "fault_allocator.h"
#include "redis_kit.h"
#include "scripted.h"

enum { KEYS = 40 };

static struct scripted server;
static struct fault_allocator memory;

static void open_all(void)
{
    scripted_open(&server);
}

static void close_all(void)
{
    scripted_close(&server);
}

TestSuite(redis_memory, .init = open_all, .fini = close_all, .timeout = 120);

static bool is_fine(cachekit_status status)
{
    return status == CACHEKIT_OK || status == CACHEKIT_MISS;
}

// One of everything; how many calls said that there is no memory.
static int use_all(cachekit_backend *backend)
{
    char token[CACHEKIT_LOCK_TOKEN_ROOM] = "00000000000000000000000000000000";
    static char long_key[1000];
    cachekit_slice keys[KEYS], key = redis_kit_slice(long_key, sizeof long_key);
    bool done[KEYS];
    int64_t ttl_ms, deadline_ns = cachekit_deadline_ns(30000);
    cachekit_health health;
    cachekit_buffer value;
    const cachekit_backend_ops *ops = backend->ops;
    memset(long_key, 'k', sizeof long_key);
    cachekit_buffer_init(&value, &memory.hooks);
    for (int i = 0; i < KEYS; i++) {
        keys[i] = redis_kit_slice(long_key, (size_t)i + 1);
    }
    const cachekit_status statuses[] = {
        ops->set(backend, key, key, 60000, deadline_ns, NULL),
        ops->get(backend, key, deadline_ns, &value, NULL),
        ops->exists(backend, key, deadline_ns, NULL),
        ops->ttl(backend, key, deadline_ns, &ttl_ms, NULL),
        ops->lock(backend, key, 60000, deadline_ns, token, NULL),
        ops->unlock(backend, key, "00000000000000000000000000000000", deadline_ns, NULL),
        ops->remove_many(backend, keys, KEYS, deadline_ns, done, NULL),
        ops->remove(backend, key, deadline_ns, NULL),
        ops->health(backend, deadline_ns, &health, NULL),
    };
    cachekit_buffer_release(&value);
    int refused = 0;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        // A dial without memory is no failure of the server: no pause follows.
        cr_assert(is_fine(statuses[i]) || statuses[i] == CACHEKIT_E_NOMEM, "call %zu: %d", i,
                  statuses[i]);
        refused += statuses[i] == CACHEKIT_E_NOMEM;
    }
    return refused;
}

// True if the fault was reached.
static bool run(const char *url, const char *tenant, int fail_at, bool fail_on)
{
    cachekit_backend *backend;
    fault_allocator_init(&memory);
    const cachekit_redis_backend_options options = {
        .size = sizeof options, .url = url, .tenant = tenant, .allocator = &memory.hooks};
    memory.fail_at = fail_at;
    memory.fail_on = fail_on;
    cachekit_status status = cachekit_redis_backend_new(&options, &backend, NULL);
    bool fired = memory.calls > fail_at;
    if (fired) {
        cr_assert(eq(int, status, CACHEKIT_E_NOMEM));
        cr_assert(backend == NULL);
    } else {
        cr_assert(eq(int, status, CACHEKIT_OK));
        int refused = use_all(backend);
        fired = memory.calls > fail_at;
        cr_assert(fired || refused == 0);
        memory.fail_at = INT_MAX;
        memory.fail_on = false;
        cr_assert(eq(int, use_all(backend), 0));
        cachekit_backend_free(backend);
    }
    cr_assert(eq(sz, memory.live_blocks, 0), "allocation %d", fail_at);
    return fired;
}

Test(redis_memory, every_allocation_may_fail_once_and_from_then_on)
{
    static const char *const tenants[] = {NULL, "tenant"};
    const char *urls[] = {server.url, server.cluster_url};
    int faults = 0;
    for (int i = 0; i < 8; i++) {
        int site = 0;
        while (run(urls[i & 1], tenants[i >> 1 & 1], site, i >> 2)) {
            site++;
            faults++;
        }
        cr_assert(gt(int, site, 5));
    }
    cr_assert(gt(int, faults, 100));
}
