// SPDX-License-Identifier: MIT
// Ourselves: a function of one number, a function of one text, and the plain store.
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cachekit/cachekit.h>

#include "compare/peers.h"

static cachekit_cache *cache;
static cachekit_function *function;
static int64_t tick_ns;

// A clock that somebody else moves, as a program with an event loop has one.
static int64_t read_tick(void *context)
{
    (void)context;
    return tick_ns;
}

static const cachekit_clock tick = {read_tick, NULL};

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    static _Atomic size_t next;
    (void)context;
    (void)count;
    (void)error;
    size_t i = args[0].type == CACHEKIT_ARG_I64 ? (size_t)args[0].as.i64
                                                : atomic_fetch_add(&next, 1) % PEER_KEYS;
    result->object = &peer_values[i];
    result->size_bytes = sizeof peer_values[i];
    return CACHEKIT_OK;
}

static uint64_t call_with(cachekit_arg arg)
{
    cachekit_hit hit;
    if (cachekit_call(function, &arg, 1, &hit, NULL) != CACHEKIT_OK) {
        abort();
    }
    uint64_t value = *(const uint64_t *)hit.object;
    cachekit_release(&hit);
    return value;
}

static uint64_t get_number(uint32_t key)
{
    return call_with(cachekit_i64(key));
}

static uint64_t get_text(uint32_t key)
{
    return call_with(cachekit_str_len(peer_texts[key], PEER_TEXT));
}

static cachekit_slice slice_of(uint32_t key)
{
    return (cachekit_slice){(const uint8_t *)peer_texts[key], PEER_TEXT};
}

static uint64_t get_key(uint32_t key)
{
    cachekit_hit hit;
    if (cachekit_get(cache, slice_of(key), &hit) != CACHEKIT_OK) {
        abort();
    }
    uint64_t value = *(const uint64_t *)hit.object;
    cachekit_release(&hit);
    return value;
}

static bool open_cache(const cachekit_clock *clock)
{
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    options.clock = clock;
    return cachekit_cache_new(&options, &cache, NULL) == CACHEKIT_OK &&
           cachekit_function_new(cache, "f", load, NULL, NULL, &function, NULL) == CACHEKIT_OK;
}

static bool fill(const cachekit_clock *clock, uint64_t (*get)(uint32_t key))
{
    bool ok = open_cache(clock);
    for (uint32_t i = 0; ok && i < PEER_KEYS; i++) {
        (void)get(i);
    }
    return ok;
}

static bool open_number(void)
{
    return fill(NULL, get_number);
}

static bool open_number_ticking(void)
{
    return fill(&tick, get_number);
}

static bool open_text(void)
{
    return fill(NULL, get_text);
}

static bool open_text_ticking(void)
{
    return fill(&tick, get_text);
}

static bool fill_store(const cachekit_clock *clock)
{
    bool ok = open_cache(clock);
    for (uint32_t i = 0; ok && i < PEER_KEYS; i++) {
        ok = cachekit_put(cache, slice_of(i), &peer_values[i], sizeof peer_values[i], NULL, NULL,
                          300000) == CACHEKIT_OK;
    }
    return ok;
}

static bool open_key(void)
{
    return fill_store(NULL);
}

static bool open_key_ticking(void)
{
    return fill_store(&tick);
}

static void close_cache(void)
{
    (void)cachekit_cache_free(cache);
}

const peer peers_cachekit[] = {
    {"int", "cachekit, a tick", open_number_ticking, NULL, get_number, NULL, close_cache},
    {"int", "cachekit", open_number, NULL, get_number, NULL, close_cache},
    {"text", "cachekit, a tick", open_text_ticking, NULL, get_text, NULL, close_cache},
    {"text", "cachekit", open_text, NULL, get_text, NULL, close_cache},
    {"key", "cachekit, a tick", open_key_ticking, NULL, get_key, NULL, close_cache},
    {"key", "cachekit", open_key, NULL, get_key, NULL, close_cache},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

enum { SWEPT = 100000, PER_CALL = 128, CALLS = SWEPT / PER_CALL + 1 };

// The whole of a call, of which the hold of the lock is a part: freeing comes after it.
void peer_report_sweep(void)
{
    static int64_t took[CALLS];
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    options.clock = &tick;
    if (cachekit_cache_new(&options, &cache, NULL) != CACHEKIT_OK) {
        return;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < SWEPT; i++) {
        ok = cachekit_put(cache, (cachekit_slice){(const uint8_t *)&i, sizeof i}, &peer_values[0],
                          8, NULL, NULL, 1) == CACHEKIT_OK;
    }
    tick_ns += 2000000;
    size_t all = 0;
    for (int i = 0; i < CALLS; i++) {
        int64_t begin = now_ns();
        all += cachekit_maintain(cache, 0);
        took[i] = now_ns() - begin;
    }
    qsort(took, CALLS, sizeof took[0], compare_ns);
    size_t middle = CALLS / 2, nearly_last = (size_t)CALLS * 99 / 100;
    printf(
        "sweep of %zu expired entries, 128 a call: median %.1f us, 99%% %.1f us, worst %.1f us\n",
        all, (double)took[middle] / 1e3, (double)took[nearly_last] / 1e3,
        (double)took[CALLS - 1] / 1e3);
    close_cache();
}

enum { SAMPLES = 20000, PER_SAMPLE = 100, PUTS_PER_S = 100000 };

static atomic_bool stop;

static void *write_steadily(void *arg)
{
    uint32_t *written = arg;
    int64_t begin = now_ns();
    while (!atomic_load(&stop)) {
        int64_t due = (now_ns() - begin) * PUTS_PER_S / 1000000000;
        for (; *written < due; (*written)++) {
            if (cachekit_put(cache, slice_of(*written % (PEER_KEYS / 2)), &peer_values[0], 8, NULL,
                             NULL, 300000) != CACHEKIT_OK) {
                abort();
            }
        }
    }
    return NULL;
}

static int64_t median_of_hits(void)
{
    static int64_t took[SAMPLES];
    uint64_t sum = 0;
    for (int i = 0; i < SAMPLES; i++) {
        int64_t begin = now_ns();
        for (uint32_t k = 0; k < PER_SAMPLE; k++) {
            sum += get_key(PEER_KEYS / 2 + k * 37 % (PEER_KEYS / 2));
        }
        took[i] = now_ns() - begin;
    }
    qsort(took, SAMPLES, sizeof took[0], compare_ns);
    return sum == 0 ? 0 : took[SAMPLES / 2];
}

// Hits on keys that nobody writes, beside a thread that replaces the others.
void peer_report_writer(void)
{
    pthread_t writer;
    uint32_t written = 0;
    if (!open_key()) {
        return;
    }
    int64_t alone = median_of_hits();
    int64_t begin = now_ns();
    if (pthread_create(&writer, NULL, write_steadily, &written) != 0) {
        return;
    }
    int64_t beside = median_of_hits();
    atomic_store(&stop, true);
    (void)pthread_join(writer, NULL);
    printf("a reader's p50: %.1f ns alone, %.1f ns beside %.0f puts/s, ratio %.2f\n",
           (double)alone / PER_SAMPLE, (double)beside / PER_SAMPLE,
           written * 1e9 / (double)(now_ns() - begin), (double)beside / (double)alone);
    close_cache();
}
