// SPDX-License-Identifier: MIT
// Refuses memory to everything in this thread, hiredis and the C library included, at every call
// once and from then on: a status, no crash, nothing leaked, and the next call works. malloc and
// its family are this program's own, so it means nothing under a sanitizer.
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "redis_kit.h"
#include "scripted.h"

// hiredis is to find them.
#define EXPORTED __attribute__((visibility("default")))
EXPORTED void *malloc(size_t size);
EXPORTED void *calloc(size_t count, size_t size);
EXPORTED void *realloc(void *block, size_t size);
EXPORTED void free(void *block);

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static _Thread_local struct {
    bool is_armed, goes_on;
    long calls, fail_at;
} fault;
static atomic_long live;

static bool refuses(void)
{
    if (!fault.is_armed) {
        return false;
    }
    long call = fault.calls++;
    return call == fault.fail_at || (fault.goes_on && call > fault.fail_at);
}

static void *counted(void *block)
{
    if (block == NULL) {
        errno = ENOMEM;
    } else {
        atomic_fetch_add(&live, 1);
    }
    return block;
}

void *malloc(size_t size)
{
    return counted(refuses() ? NULL : __libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return counted(refuses() ? NULL : __libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    if (block == NULL) {
        return malloc(size);
    }
    if (refuses()) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(block, size);
}

void free(void *block)
{
    if (block != NULL) {
        atomic_fetch_sub(&live, 1);
        __libc_free(block);
    }
}

static struct scripted server;
static long faults, wrong;

static void complain(const char *what)
{
    (void)fprintf(stderr, "redis_malloc_faults: allocation %ld%s: %s\n", fault.fail_at,
                  fault.goes_on ? " and all after it" : "", what);
    wrong++;
}

static bool is_fine(cachekit_status status)
{
    return status == CACHEKIT_OK || status == CACHEKIT_MISS;
}

// One of everything. Returns how many failed; anything but a lack of memory is a complaint.
static int use_all(cachekit_backend *backend)
{
    static char big[100000];
    char token[CACHEKIT_LOCK_TOKEN_ROOM];
    bool done[2];
    int64_t ttl_ms, deadline_ns = cachekit_deadline_ns(60000);
    cachekit_health health;
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    const cachekit_slice keys[2] = {REDIS_KIT_BYTES("a"), REDIS_KIT_BYTES("{a}")};
    const cachekit_backend_ops *ops = backend->ops;
    const cachekit_status statuses[] = {
        ops->get(backend, keys[0], deadline_ns, &value, NULL),
        ops->get(backend, redis_kit_slice(big, 30000), deadline_ns, &value, NULL),
        ops->set(backend, keys[0], redis_kit_slice(big, 30000), 60000, deadline_ns, NULL),
        ops->exists(backend, keys[0], deadline_ns, NULL),
        ops->ttl(backend, keys[0], deadline_ns, &ttl_ms, NULL),
        ops->lock(backend, keys[0], 60000, deadline_ns, token, NULL),
        ops->unlock(backend, keys[0], "00000000000000000000000000000000", deadline_ns, NULL),
        ops->remove_many(backend, keys, 2, deadline_ns, done, NULL),
        ops->remove(backend, keys[0], deadline_ns, NULL),
        ops->health(backend, deadline_ns, &health, NULL),
    };
    cachekit_buffer_release(&value);
    int failed = 0;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (!is_fine(statuses[i])) {
            failed++;
            if (statuses[i] != CACHEKIT_E_NOMEM) {
                complain(cachekit_status_name(statuses[i]));
            }
        }
    }
    return failed;
}

// A lookup's thread may end a moment after its result is there.
static bool has_leaked(long before)
{
    for (int i = 0; i < 1000 && atomic_load(&live) != before; i++) {
        const struct timespec moment = {0, 1000000};
        (void)nanosleep(&moment, NULL);
    }
    return atomic_load(&live) != before;
}

// False when the fault lies behind all allocations. What the C library allocates once and keeps, as
// for its first thread, is no leak: that would come again.
static bool run(const char *url, long fail_at, bool goes_on, bool is_again)
{
    cachekit_backend *backend = NULL;
    const cachekit_redis_backend_options options = {
        .size = sizeof options, .url = url, .tenant = "tenant"};
    long before = atomic_load(&live);
    fault.calls = 0;
    fault.fail_at = fail_at;
    fault.goes_on = goes_on;
    fault.is_armed = true;
    cachekit_status status = cachekit_redis_backend_new(&options, &backend, NULL);
    int failed = status == CACHEKIT_OK ? use_all(backend) : 1;
    fault.is_armed = false;
    bool has_fired = fault.calls > fail_at;
    if (!has_fired && failed > 0) {
        complain("a failure without a fault");
    }
    if (backend != NULL && use_all(backend) != 0) {
        complain("the next calls do not work");
    }
    cachekit_backend_free(backend);
    if (has_leaked(before)) {
        if (!is_again) {
            return run(url, fail_at, goes_on, true);
        }
        complain("a leak");
    }
    faults += has_fired;
    return has_fired;
}

int main(void)
{
    scripted_open(&server);
    const char *urls[] = {server.url, server.cluster_url};
    (void)run(urls[0], 1L << 30, false, false);
    for (int i = 0; i < 4; i++) {
        long site = 0;
        while (run(urls[i & 1], site, i >> 1, false)) {
            site++;
        }
        (void)printf("redis_malloc_faults: %s, %s: %ld allocations refused\n",
                     i & 1 ? "Cluster" : "one server", i >> 1 ? "from then on" : "once", site);
    }
    (void)printf("redis_malloc_faults: %ld faults, %ld wrong\n", faults, wrong);
    return faults < 100 || wrong != 0;
}
