// SPDX-License-Identifier: MIT
// What only we are asked: how long a sweep holds the lock, and what a reader notices of a writer.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cachekit/cachekit.h>

#include "compare/peers.h"

static int64_t read_ns(clockid_t id)
{
    struct timespec now;
    (void)clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

enum { SWEPT = 100000, PER_CALL = 128, CALLS = SWEPT / PER_CALL + 1, SWEEPS = 5 };

/* The cache looks at its clock first thing under the lock, and tells its listener of the first
 * entry as soon as it has given the lock back: what lies between is the hold. From there to the
 * first destructor lie two short holds more, which move the removed to limbo and out of it, and the
 * look at the pins, which holds nothing. */
static struct {
    clockid_t id;
    int64_t now_ns; // what the cache is told
    int64_t locked_ns, told_ns, last_told_ns, freed_ns;
} sweep;

static int64_t read_clock(void *context)
{
    (void)context;
    sweep.told_ns = sweep.freed_ns = 0;
    sweep.locked_ns = read_ns(sweep.id);
    return sweep.now_ns;
}

static void told(void *context, const void *object, size_t size, cachekit_cause cause)
{
    (void)context;
    (void)object;
    (void)size;
    (void)cause;
    int64_t now = sweep.told_ns == 0 || sweep.freed_ns == 0 ? read_ns(sweep.id) : 0;
    sweep.told_ns = sweep.told_ns != 0 ? sweep.told_ns : now;
    sweep.last_told_ns = now;
}

static void freed(void *object, size_t size, void *context)
{
    (void)object;
    (void)size;
    (void)context;
    sweep.freed_ns = sweep.freed_ns != 0 ? sweep.freed_ns : read_ns(sweep.id);
}

// Sorts; the median.
static int64_t print_spread(const char *what, clockid_t id, int64_t *took)
{
    const size_t middle = CALLS / 2, nearly_last = (size_t)CALLS * 99 / 100;
    qsort(took, CALLS, sizeof took[0], compare_ns);
    printf("  %-13s %s: median %6.1f us, 99%% %6.1f us, longest %7.1f us\n", what,
           id == CLOCK_MONOTONIC ? "wall" : "CPU ", (double)took[middle] / 1e3,
           (double)took[nearly_last] / 1e3, (double)took[CALLS - 1] / 1e3);
    return took[middle];
}

// Spans as long as a hold in which nothing is done: what they take longer is the machine's.
static void print_control(clockid_t id, int64_t span_ns)
{
    static int64_t took[CALLS];
    for (int i = 0; i < CALLS; i++) {
        int64_t begin = read_ns(id), now = begin;
        while (now - begin < span_ns) {
            now = read_ns(id);
        }
        took[i] = now - begin;
    }
    (void)print_spread("nothing done", id, took);
}

static void sweep_once(clockid_t id)
{
    static int64_t hold[CALLS], rest[CALLS];
    static const cachekit_clock clock = {read_clock, NULL};
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_cache *cache;
    size_t all = 0;
    sweep.id = id;
    sweep.now_ns = 0;
    options.clock = &clock;
    options.removed = told;
    if (cachekit_cache_new(&options, &cache, NULL) != CACHEKIT_OK) {
        abort();
    }
    for (uint32_t i = 0; i < SWEPT; i++) {
        const cachekit_slice key = {(const uint8_t *)&i, sizeof i};
        if (cachekit_put(cache, key, &peer_values[0], 8, freed, NULL, 1) != CACHEKIT_OK) {
            abort();
        }
    }
    sweep.now_ns = 2000000;
    for (int i = 0; i < CALLS; i++) {
        all += cachekit_maintain(cache, 0);
        hold[i] = sweep.told_ns - sweep.locked_ns;
        rest[i] = sweep.freed_ns - sweep.last_told_ns;
    }
    if (all != SWEPT || cachekit_cache_free(cache) != CACHEKIT_OK) {
        abort();
    }
    int64_t median = print_spread("hold", id, hold);
    (void)print_spread("to limbo", id, rest);
    print_control(id, median);
}

void report_sweep(void)
{
    printf("sweep of %d expired entries, %d a hold of the lock\n", SWEPT, PER_CALL);
    for (int i = 0; i < SWEEPS; i++) {
        sweep_once(CLOCK_MONOTONIC);
    }
    sweep_once(CLOCK_THREAD_CPUTIME_ID);
}

enum { SAMPLES = 20000, PER_SAMPLE = 100, PUTS_PER_S = 100000, HALF = PEER_KEYS / 2 };

static struct {
    cachekit_cache *cache;
    atomic_bool stop;
    uint64_t written;
} beside;

static cachekit_slice slice_of(uint64_t key)
{
    return (cachekit_slice){(const uint8_t *)peer_texts[key], PEER_TEXT};
}

static void put(uint64_t key)
{
    if (cachekit_put(beside.cache, slice_of(key), &peer_values[key], 8, NULL, NULL, 300000) !=
        CACHEKIT_OK) {
        abort();
    }
}

static void *write_steadily(void *arg)
{
    int64_t begin = read_ns(CLOCK_MONOTONIC);
    (void)arg;
    while (!atomic_load(&beside.stop)) {
        uint64_t due = (uint64_t)(read_ns(CLOCK_MONOTONIC) - begin) * PUTS_PER_S / 1000000000;
        for (; beside.written < due; beside.written++) {
            put(beside.written % HALF);
        }
    }
    return NULL;
}

static double median_of_hits(void)
{
    static int64_t took[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        int64_t begin = read_ns(CLOCK_MONOTONIC);
        for (uint64_t k = 0; k < PER_SAMPLE; k++) {
            cachekit_hit hit;
            if (cachekit_get(beside.cache, slice_of(HALF + k * 37 % HALF), &hit) != CACHEKIT_OK) {
                abort();
            }
            cachekit_release(&hit);
        }
        took[i] = read_ns(CLOCK_MONOTONIC) - begin;
    }
    const size_t middle = SAMPLES / 2;
    qsort(took, SAMPLES, sizeof took[0], compare_ns);
    return (double)took[middle] / PER_SAMPLE;
}

// Hits on keys that nobody writes, beside a thread that replaces the others.
void report_writer(void)
{
    pthread_t writer;
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    if (cachekit_cache_new(&options, &beside.cache, NULL) != CACHEKIT_OK) {
        abort();
    }
    for (uint64_t i = 0; i < PEER_KEYS; i++) {
        put(i);
    }
    double alone = median_of_hits();
    int64_t begin = read_ns(CLOCK_MONOTONIC);
    if (pthread_create(&writer, NULL, write_steadily, NULL) != 0) {
        abort();
    }
    double with = median_of_hits();
    double seconds = (double)(read_ns(CLOCK_MONOTONIC) - begin) / 1e9;
    atomic_store(&beside.stop, true);
    (void)pthread_join(writer, NULL);
    printf("a reader's p50: %.1f ns alone, %.1f ns beside %.0f puts/s, ratio %.2f\n", alone, with,
           (double)beside.written / seconds, with / alone);
    (void)cachekit_cache_free(beside.cache);
}
