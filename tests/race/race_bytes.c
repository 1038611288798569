// SPDX-License-Identifier: MIT
// The byte cache and what stands beside it under many threads. The oracle: every key has a source
// whose version only grows. An invalidation raises the version, removes the key, and only then
// writes down the version as the floor; a get that begins after that must not find an older one.
// Computations read the version, dawdle, and store with the epoch that they took before. Every byte
// of a value says key and version, so a torn or freed one is seen.
// Usage: race_bytes [ROUNDS [SEED]]
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cachekit/cache.h>

#include "draw.h"
#include "call/backpressure.h"
#include "call/breaker.h"
#include "call/metrics.h"
#include "memory/byte_cache.h"
#include "memory/byte_owner.h"

enum { KEYS = 24, THREADS = 4, LEN_MAX = 600, PERMITS = 2 };

static struct {
    struct cki_byte_cache cache;
    struct cki_owner owners[2];
    cachekit_clock clock;
    _Atomic int64_t now_ns;
    _Atomic uint32_t versions[KEYS], floors[KEYS];
    struct cki_breaker breaker;
    _Atomic int64_t gauge[CKI_BREAKER_STATES];
    struct cki_backpressure pressure;
    struct cki_metrics metrics;
    atomic_int inside;
    unsigned rounds;
    uint64_t seed;
    _Atomic uint64_t hits, stores, overtaken, removed, probes;
    atomic_bool failed;
} all;

static _Thread_local uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    return draw_from(&random_state, below);
}

void cki_yield(void);
void cki_yield(void)
{
    if (draw(32) == 0) {
        (void)sched_yield();
    }
}

static int64_t now(void *context)
{
    (void)context;
    return atomic_load(&all.now_ns);
}

static void fail(const char *what)
{
    if (!atomic_exchange(&all.failed, true)) {
        fprintf(stderr, "race_bytes: %s (seed %" PRIu64 ")\n", what, all.seed);
    }
}

static struct cki_key key_of(unsigned number, char text[16])
{
    (void)snprintf(text, 16, "key %u", number);
    return cki_byte_key(&all.cache, (cachekit_slice){(const uint8_t *)text, strlen(text)});
}

static uint8_t byte_of(unsigned number, uint32_t version, size_t at)
{
    return (uint8_t)(number * 7 + version * 13 + at);
}

static struct cki_block *block_of(unsigned number, uint32_t version, size_t len)
{
    uint8_t bytes[LEN_MAX];
    memcpy(bytes, &version, sizeof version);
    for (size_t i = sizeof version; i < len; i++) {
        bytes[i] = byte_of(number, version, i);
    }
    return cki_block_copy(&all.cache.ledger, (cachekit_slice){bytes, len}, CKI_BLOCK_STORED);
}

static uint32_t version_of(const struct cki_block *block, unsigned number)
{
    uint32_t version;
    memcpy(&version, block->data, sizeof version);
    for (size_t i = sizeof version; i < block->len; i++) {
        if (block->data[i] != byte_of(number, version, i)) {
            fail("a value is torn");
        }
    }
    return version;
}

static void compute(unsigned number, const struct cki_key *key)
{
    struct cki_owner *owner = &all.owners[number % 2];
    uint64_t epoch = cki_byte_cache_epoch(&all.cache, key, owner);
    uint32_t version = atomic_load(&all.versions[number]);
    cki_yield();
    (void)cki_owner_track(&all.cache, owner, key, 60000);
    struct cki_block *block = block_of(number, version, 8 + draw(LEN_MAX - 8));
    const struct cki_byte_store store = {key, block, owner, 1001 + (int64_t)draw(50), epoch};
    enum cki_byte_stored stored = cki_byte_cache_put(&all.cache, &store);
    atomic_fetch_add(stored == CKI_BYTES_OVERTAKEN ? &all.overtaken : &all.stores, 1);
    cki_block_release(block);
}

static void get(unsigned number)
{
    char text[16];
    struct cki_key key = key_of(number, text);
    uint32_t floor = atomic_load(&all.floors[number]);
    struct cki_byte_hit hit;
    if (!cki_byte_cache_get(&all.cache, &key, &hit)) {
        compute(number, &key);
        return;
    }
    uint32_t version = version_of(hit.block, number);
    if (version < floor) {
        fail("a value from before an invalidation that had returned was served");
    }
    if (draw(8) == 0 && hit.block->len > 8) {
        struct cki_block *less = block_of(number, version, hit.block->len - 1);
        (void)cki_byte_cache_upgrade(&all.cache, &key, hit.generation, less);
        cki_block_release(less);
    } else if (draw(64) == 0) {
        (void)cki_byte_cache_evict(&all.cache, &key, hit.generation);
    }
    cki_yield();
    (void)version_of(hit.block, number); // whatever became of its entry
    cki_block_release(hit.block);
    cki_metrics_l1_hit(&all.metrics);
    atomic_fetch_add(&all.hits, 1);
}

// Raises the floor, never lowers it.
static void settle(unsigned number, uint32_t version)
{
    uint32_t floor = atomic_load(&all.floors[number]);
    while (floor < version && !atomic_compare_exchange_weak(&all.floors[number], &floor, version)) {
    }
}

static void invalidate(unsigned number)
{
    char text[16];
    struct cki_key key = key_of(number, text);
    uint32_t version = atomic_fetch_add(&all.versions[number], 1) + 1;
    uint64_t mark = cki_byte_cache_remove(&all.cache, &key);
    settle(number, version);
    cki_owner_untrack(&all.cache, &all.owners[number % 2], &key, mark);
    atomic_fetch_add(&all.removed, 1);
}

static void invalidate_all(unsigned which)
{
    struct cki_owner *owner = &all.owners[which];
    uint32_t versions[KEYS];
    struct cki_tracked *list;
    for (unsigned i = which; i < KEYS; i += 2) {
        versions[i] = atomic_fetch_add(&all.versions[i], 1) + 1;
    }
    uint64_t mark = cki_owner_begin(&all.cache, owner);
    while ((list = cki_owner_take(&all.cache, owner, mark)) != NULL) {
        for (struct cki_tracked *t = list; t != NULL; t = t->next) {
            t->is_owed = draw(3) == 0;
        }
        cki_owner_give(&all.cache, owner, list);
    }
    (void)cki_owner_end(&all.cache, owner);
    for (unsigned i = which; i < KEYS; i += 2) {
        settle(i, versions[i]);
    }
}

static void clear(void)
{
    uint32_t versions[KEYS];
    for (unsigned i = 0; i < KEYS; i++) {
        versions[i] = atomic_fetch_add(&all.versions[i], 1) + 1;
    }
    (void)cki_byte_cache_clear(&all.cache);
    for (unsigned i = 0; i < KEYS; i++) {
        settle(i, versions[i]);
    }
}

static void pay(unsigned which)
{
    struct cki_tracked *list = cki_owner_take_owed(&all.cache, &all.owners[which]);
    for (struct cki_tracked *t = list; t != NULL; t = t->next) {
        t->is_owed = false;
    }
    if (list != NULL) {
        cki_owner_give(&all.cache, &all.owners[which], list);
    }
}

// A question to a backend: permit, breaker, outcome.
static void ask(void)
{
    cki_breaker_ticket ticket;
    if (cki_backpressure_enter(&all.pressure) != CKI_PERMIT) {
        cki_metrics_rejected(&all.metrics);
        return;
    }
    if (atomic_fetch_add(&all.inside, 1) >= PERMITS) {
        fail("more callers than permits");
    }
    if (cki_breaker_admit(&all.breaker, &ticket) == CKI_ADMITTED) {
        cki_yield();
        enum cki_outcome outcome = draw(3) == 0   ? CKI_OUTCOME_COUNTED
                                   : draw(4) == 0 ? CKI_OUTCOME_NEUTRAL
                                                  : CKI_OUTCOME_OK;
        cki_breaker_report(&all.breaker, ticket, outcome);
        atomic_fetch_add(&all.probes, (ticket & 3) == CKI_BREAKER_HALF_OPEN);
    }
    atomic_fetch_sub(&all.inside, 1);
    cki_backpressure_leave(&all.pressure);
}

static void operate(void)
{
    uint64_t kind = draw(1000);
    unsigned number = (unsigned)draw(KEYS);
    if (kind < 700) {
        get(number);
    } else if (kind < 850) {
        invalidate(number);
    } else if (kind < 870) {
        invalidate_all(number % 2);
    } else if (kind < 874) {
        clear();
    } else if (kind < 890) {
        pay(number % 2);
    } else if (kind < 920) {
        atomic_fetch_add(&all.now_ns, (int64_t)draw(2000000));
        (void)cki_byte_cache_maintain(&all.cache, 100);
    } else if (kind < 999) {
        ask();
    } else {
        cachekit_buffer out = CACHEKIT_BUFFER_INIT;
        if (cachekit_metrics_write(&out) != CACHEKIT_OK) {
            fail("no dump");
        }
        cachekit_buffer_release(&out);
    }
}

static void *run(void *context)
{
    random_state = all.seed * 1000 + (uint64_t)(uintptr_t)context;
    for (unsigned i = 0; i < all.rounds && !atomic_load(&all.failed); i++) {
        operate();
    }
    return NULL;
}

static int open_all(void)
{
    all.clock = (cachekit_clock){now, NULL};
    const struct cki_byte_options bytes = {
        .clock = &all.clock, .budget_bytes = 16000, .seed = all.seed};
    const struct cki_breaker_options breaker = {
        .clock = &all.clock, .recovery_ms = 1, .window_ms = 100, .gauge = all.gauge};
    const struct cki_backpressure_options pressure = {PERMITS, 1, 1};
    int ok = cki_byte_cache_init(&all.cache, &bytes) == CACHEKIT_OK &&
             cki_breaker_init(&all.breaker, &breaker) == CACHEKIT_OK &&
             cki_backpressure_init(&all.pressure, &pressure) == CACHEKIT_OK &&
             cki_metrics_init(&all.metrics, "race");
    for (int i = 0; ok && i < 2; i++) {
        cki_owner_add(&all.cache, &all.owners[i]);
    }
    return ok;
}

static void close_all(void)
{
    struct cki_counts counts;
    cki_metrics_sum(&all.metrics, CKI_GET, CKI_TIER_L1, &counts);
    if (counts.succeeded[true] != atomic_load(&all.hits)) {
        fail("the metrics lost a hit");
    }
    if (all.pressure.free != PERMITS || all.pressure.waiting != 0) {
        fail("a permit is lost");
    }
    if (!cki_byte_cache_is_valid(&all.cache) || !cki_byte_cache_release(&all.cache)) {
        fail("the byte cache is not whole at the end");
    }
    cki_breaker_release(&all.breaker);
    cki_backpressure_release(&all.pressure);
    cki_metrics_release(&all.metrics);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    all.rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100000;
    all.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20261202;
    if (!open_all()) {
        fprintf(stderr, "race_bytes: out of memory\n");
        return 2;
    }
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run, (void *)i) != 0) {
            fprintf(stderr, "race_bytes: cannot start a thread\n");
            return 2;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    struct cki_byte_figures f = all.cache.figures;
    close_all();
    printf("race_bytes: %" PRIu64 " hits, %" PRIu64 " stores, %" PRIu64 " overtaken, %" PRIu64
           " removals, %" PRIu64 " evicted, %" PRIu64 " expired, %" PRIu64 " upgraded, %" PRIu64
           " probes\n",
           all.hits, all.stores, all.overtaken, all.removed, f.evicted, f.expired, f.upgraded,
           all.probes);
    bool seen =
        all.overtaken > 0 && f.evicted > 0 && f.expired > 0 && f.upgraded > 0 && all.probes > 0;
    if (!seen) {
        fprintf(stderr, "race_bytes: something never happened; more rounds are needed\n");
        return 1;
    }
    return atomic_load(&all.failed) ? 1 : 0;
}
