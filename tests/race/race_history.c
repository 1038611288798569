// SPDX-License-Identifier: MIT
// What hits may say beside removals: a get may return a value only if no removal of it had returned
// before the get began, and only within its life; and what it returned stays whole until released.
// Usage: race_history [PAIRS [SEED]], PAIRS of a hit and a removal. The library's yield points are
// compiled in; where threads are held up follows the seed.
//
// A value is dead once an operation on its key that began after the value was there has returned.
// So each key keeps the latest beginning among the operations that have returned; a value older
// than what a get read there before it began must not come out of that get.
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cachekit/cachekit.h>

#include "draw.h"
#include "quarantine.h"

enum { KEYS = 5, THREADS = 4, HELD = 11, TTL_MS = 3, BALLAST = 3000, BUDGET = 20000 };
enum { NS_PER_MS = 1000000 };
#define MAGIC 0x51ced00dU

struct value {
    uint32_t magic, key;
    _Atomic uint64_t there;     // from here on a removal that begins kills it; UINT64_MAX: not yet
    _Atomic int64_t expires_ns; // at the latest
    uint64_t copy;
};

struct key {
    _Atomic uint64_t ended;    // latest beginning of a store, replacement or removal that returned
    _Atomic uint64_t computed; // the same of invalidations of the function
};

static struct {
    cachekit_cache *cache;
    cachekit_function *function;
    struct key keys[KEYS];
    _Atomic uint64_t stamps, pairs_left;
    _Atomic int64_t now_ns;
    _Atomic uint64_t hits, removals, stores, made, destroyed, ninth;
    pthread_mutex_t lock;
    cachekit_hit passed; // from one thread to another
    uint64_t seed;
    atomic_bool failed;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    return draw_from(&random_state, below);
}

void cki_yield(void);
void cki_yield(void)
{
    uint64_t kind = draw(256);
    if (kind < 8) {
        (void)sched_yield();
    } else if (kind == 8) {
        (void)nanosleep(&(struct timespec){0, 1000}, NULL);
    }
}

static int64_t read_now(void *context)
{
    (void)context;
    return atomic_load(&all.now_ns);
}

static uint64_t stamp(void)
{
    return atomic_fetch_add(&all.stamps, 1) + 1;
}

static void raise_to(_Atomic uint64_t *most, uint64_t value)
{
    uint64_t old = atomic_load(most);
    while (old < value && !atomic_compare_exchange_weak(most, &old, value)) {
    }
}

static void fail(const char *what, uint32_t key)
{
    if (!atomic_exchange(&all.failed, true)) {
        fprintf(stderr, "race_history: %s (key %u), seed %" PRIu64 "\n", what, key, all.seed);
    }
}

static struct value *value_new(uint32_t key)
{
    struct value *v = malloc(sizeof *v);
    if (v == NULL) {
        abort();
    }
    v->magic = MAGIC;
    v->key = key;
    v->copy = (uint64_t)key * MAGIC;
    atomic_init(&v->there, UINT64_MAX);
    atomic_init(&v->expires_ns, INT64_MAX);
    atomic_fetch_add(&all.made, 1);
    return v;
}

static void destroy(void *object, size_t size, void *context)
{
    struct value *v = object;
    (void)size;
    (void)context;
    if (v->magic != MAGIC) {
        fail("a value was destroyed twice", v->key);
    }
    v->magic = 0xdddddddd;
    v->copy = 0;
    atomic_fetch_add(&all.destroyed, 1);
    free(v);
}

static void check_whole(const struct value *v, uint32_t key)
{
    if (v->magic != MAGIC || v->key != key || v->copy != (uint64_t)key * MAGIC) {
        fail("a value that is held is not whole", key);
    }
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    struct value *v = value_new((uint32_t)args[0].as.i64);
    (void)context;
    (void)count;
    (void)error;
    // An invalidation that begins from now on overtakes this computation.
    atomic_store(&v->there, stamp());
    cki_yield();
    result->object = v;
    result->size_bytes = BALLAST;
    return draw(16) == 0 ? (destroy(v, 0, NULL), CACHEKIT_E_VALUE) : CACHEKIT_OK;
}

struct thread {
    pthread_t id;
    uint64_t seed;
    cachekit_hit held[HELD];
    uint32_t held_key[HELD];
    unsigned count;
};

static void release_one(struct thread *t)
{
    unsigned i = (unsigned)draw(t->count);
    check_whole(t->held[i].object, t->held_key[i]);
    if (draw(8) == 0) { // by whoever comes next
        (void)pthread_mutex_lock(&all.lock);
        cachekit_hit other = all.passed;
        all.passed = t->held[i];
        (void)pthread_mutex_unlock(&all.lock);
        cachekit_release(&other);
    } else {
        cachekit_release(&t->held[i]);
        cachekit_release(&t->held[i]);
    }
    t->count--;
    t->held[i] = t->held[t->count];
    t->held_key[i] = t->held_key[t->count];
}

static void keep(struct thread *t, const cachekit_hit *hit, uint32_t key)
{
    t->held[t->count] = *hit;
    t->held_key[t->count++] = key;
    atomic_fetch_add(&all.ninth, t->count > 8);
    while (t->count == HELD || (t->count > 0 && draw(8) < 5)) {
        release_one(t);
    }
}

static cachekit_slice bytes_of(const uint32_t *key)
{
    return (cachekit_slice){(const uint8_t *)key, sizeof *key};
}

static void get(struct thread *t, uint32_t key)
{
    cachekit_hit hit;
    uint64_t dead = atomic_load(&all.keys[key].ended);
    int64_t now = atomic_load(&all.now_ns);
    if (cachekit_get(all.cache, bytes_of(&key), &hit) != CACHEKIT_OK) {
        return;
    }
    const struct value *v = hit.object;
    check_whole(v, key);
    if (atomic_load(&v->there) < dead) {
        fail("a get served what had been removed", key);
    }
    if (atomic_load(&v->expires_ns) <= now) {
        fail("a get served what had expired", key);
    }
    atomic_fetch_add(&all.hits, 1);
    keep(t, &hit, key);
}

static void call(struct thread *t, uint32_t key)
{
    cachekit_hit hit;
    cachekit_arg arg = cachekit_i64(key);
    uint64_t dead = atomic_load(&all.keys[key].computed);
    if (cachekit_call(all.function, &arg, 1, &hit, NULL) != CACHEKIT_OK) {
        return;
    }
    const struct value *v = hit.object;
    check_whole(v, key);
    if (atomic_load(&v->there) < dead) {
        fail("a call served what an invalidation had overtaken", key);
    }
    atomic_fetch_add(&all.hits, hit.layer == CACHEKIT_LAYER_L1);
    keep(t, &hit, key);
}

static void put(uint32_t key)
{
    struct value *v = value_new(key);
    uint64_t begin = stamp();
    cachekit_hit hit;
    if (cachekit_put(all.cache, bytes_of(&key), v, BALLAST, destroy, NULL, TTL_MS) == CACHEKIT_OK) {
        // The value is the cache's now: it is written to only if it can be held.
        if (cachekit_get(all.cache, bytes_of(&key), &hit) == CACHEKIT_OK) {
            if (hit.object == v) {
                atomic_store(&v->expires_ns,
                             atomic_load(&all.now_ns) + (int64_t)TTL_MS * NS_PER_MS);
                atomic_store(&v->there, stamp());
            }
            cachekit_release(&hit);
        }
    }
    raise_to(&all.keys[key].ended, begin);
    atomic_fetch_add(&all.stores, 1);
}

static void drop(uint32_t key)
{
    uint64_t begin = stamp();
    (void)cachekit_remove(all.cache, bytes_of(&key));
    raise_to(&all.keys[key].ended, begin);
    atomic_fetch_add(&all.removals, 1);
}

static void invalidate(uint32_t key)
{
    uint64_t begin = stamp();
    if (draw(4) == 0) {
        cachekit_invalidate_all(all.function);
        for (uint32_t k = 0; k < KEYS; k++) {
            raise_to(&all.keys[k].computed, begin);
        }
    } else {
        cachekit_arg arg = cachekit_i64(key);
        (void)cachekit_invalidate(all.function, &arg, 1);
        raise_to(&all.keys[key].computed, begin);
    }
    atomic_fetch_add(&all.removals, 1);
}

static void operate(struct thread *t)
{
    uint64_t kind = draw(100);
    uint32_t key = (uint32_t)draw(KEYS);
    if (kind < 30) {
        get(t, key);
    } else if (kind < 60) {
        call(t, key);
    } else if (kind < 78) {
        put(key);
    } else if (kind < 86) {
        drop(key);
    } else if (kind < 94) {
        invalidate(key);
    } else if (kind < 97) {
        atomic_fetch_add(&all.now_ns, (int64_t)draw(2 * NS_PER_MS));
    } else {
        (void)cachekit_maintain(all.cache, 0);
    }
}

static void *run(void *arg)
{
    struct thread *t = arg;
    random_state = t->seed;
    while (!atomic_load(&all.failed)) {
        uint64_t left = atomic_load(&all.pairs_left);
        uint64_t hits = atomic_load(&all.hits), removals = atomic_load(&all.removals);
        if ((hits < removals ? hits : removals) >= left) {
            break;
        }
        operate(t);
    }
    while (t->count > 0) {
        release_one(t);
    }
    return NULL;
}

static int open_cache(void)
{
    static const cachekit_clock clock = {read_now, NULL};
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    options.clock = &clock;
    options.allocator = &quarantine_allocator;
    options.budget_bytes = BUDGET;
    cachekit_function_options of_function = cachekit_preset_minimal();
    of_function.ttl_ms = TTL_MS;
    of_function.budget_bytes = BUDGET;
    of_function.refresh_ratio = 0.5;
    of_function.refresh_retry_ms = 1;
    of_function.destroy = destroy;
    return cachekit_cache_new(&options, &all.cache, NULL) == CACHEKIT_OK &&
           cachekit_function_new(all.cache, "f", load, NULL, &of_function, &all.function, NULL) ==
               CACHEKIT_OK;
}

int main(int argc, char **argv)
{
    static struct thread threads[THREADS];
    cachekit_info_data info, store;
    atomic_store(&all.pairs_left, argc > 1 ? strtoull(argv[1], NULL, 10) : 100000);
    all.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    random_state = all.seed;
    if (!open_cache()) {
        fprintf(stderr, "race_history: no cache\n");
        return 2;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i].seed = all.seed * THREADS + i;
        if (pthread_create(&threads[i].id, NULL, run, &threads[i]) != 0) {
            fprintf(stderr, "race_history: no thread\n");
            return 2;
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i].id, NULL);
    }
    cachekit_release(&all.passed);
    cachekit_info(all.function, &info);
    cachekit_store_info(all.cache, &store);
    if (cachekit_cache_free(all.cache) != CACHEKIT_OK) {
        fail("a handle is out at the end", 0);
    } else if (atomic_load(&all.made) != atomic_load(&all.destroyed)) {
        fail("not every value was destroyed once", 0);
    }
    if (!quarantine_empty()) {
        fail("memory was written to after it was freed", 0);
    }
    printf("seed %" PRIu64 ": %" PRIu64 " hits, %" PRIu64 " removals, %" PRIu64 " stores, %" PRIu64
           " ninth handles, %" PRIu64 " refreshes, %" PRIu64 " evicted, %" PRIu64 " expired\n",
           all.seed, atomic_load(&all.hits), atomic_load(&all.removals), atomic_load(&all.stores),
           atomic_load(&all.ninth), info.refreshes,
           info.removals[CACHEKIT_EVICTED] + store.removals[CACHEKIT_EVICTED],
           info.removals[CACHEKIT_EXPIRED] + store.removals[CACHEKIT_EXPIRED]);
    bool busy = info.removals[CACHEKIT_EVICTED] > 0 && store.removals[CACHEKIT_EXPIRED] > 0 &&
                info.refreshes > 0 && atomic_load(&all.ninth) > 0;
    if (!busy) {
        fprintf(stderr, "race_history: not every kind of removal happened\n");
    }
    return atomic_load(&all.failed) || !busy;
}
