// SPDX-License-Identifier: MIT
// Storing into a full cache, and giving expired entries back. Keys are numbers that never repeat;
// every store evicts one entry, which verify counts.

#include <stdlib.h>
#include <string.h>

#include <ckbench/subject.h>

#include "paths/l1_state.h"
#include "paths/verdict.h"

enum { ENTRIES = 10000, MEGABYTE = 1 << 20, SWEPT = 128, SHORT_TTL_MS = 1, TTL_MS = 300000 };
enum { NS_PER_MS = 1000000 };

static void destroy_value(void *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    free(object);
}

/* A new key, with a value of its own. */
static void put_next(l1_state *s, int64_t ttl_ms)
{
    uint64_t key = s->next_key++;
    void *value = malloc(L1_VALUE_BYTES);
    s->calls++;
    if (value != NULL) {
        memset(value, 1, L1_VALUE_BYTES);
        s->good += cachekit_put(s->cache, (cachekit_slice){(const uint8_t *)&key, sizeof key},
                                value, L1_VALUE_BYTES, destroy_value, NULL, ttl_ms) == CACHEKIT_OK;
    }
}

static void *setup_entries(void)
{
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    options.entries_max = ENTRIES;
    l1_state *s = l1_state_new(&options, 0);
    for (int i = 0; s != NULL && i < 4 * ENTRIES; i++) { // until only the order of entries changes
        put_next(s, TTL_MS);
        s->tick_ns += 1000;
    }
    return s;
}

static void put_op(void *state)
{
    l1_state *s = state;
    s->tick_ns += 1000;
    put_next(s, TTL_MS);
}

static int put_verify(void *state)
{
    l1_state *s = state;
    cachekit_info_data info;
    cachekit_store_info(s->cache, &info);
    bool ok = info.entries == ENTRIES && info.stored == s->calls &&
              info.removals[CACHEKIT_EVICTED] == s->calls - ENTRIES;
    return ok ? l1_state_verify(s, 0) : VERDICT_WRONG_OUTPUT;
}

CKBENCH_PATH(object_cache_put_full, "put of a new key into a full cache of 10,000 entries",
             setup_entries, put_op, put_verify, l1_state_free)

static void miss_op(void *state)
{
    l1_state *s = state;
    cachekit_arg arg = cachekit_u64(s->next_key++);
    s->tick_ns += 1000;
    l1_state_call(s, &arg, 1, CACHEKIT_LAYER_MISS);
}

static void *setup_miss(void)
{
    cachekit_function_options options = cachekit_preset_minimal();
    options.budget_bytes = MEGABYTE;
    l1_state *s = l1_state_new(NULL, 0);
    if (s == NULL || !l1_state_function(s, &options)) {
        l1_state_free(s);
        return NULL;
    }
    cachekit_info_data info;
    do {
        miss_op(s);
        cachekit_info(s->function, &info);
    } while (info.removals[CACHEKIT_EVICTED] < 20000);
    s->calls = s->good = s->loads = 0;
    return s;
}

static int miss_verify(void *state)
{
    l1_state *s = state;
    cachekit_info_data info;
    cachekit_info(s->function, &info);
    bool ok = info.misses == info.stored && info.used_bytes <= MEGABYTE &&
              info.removals[CACHEKIT_EVICTED] == info.stored - info.entries;
    return ok ? l1_state_verify(s, s->calls) : VERDICT_WRONG_OUTPUT;
}

CKBENCH_PATH(l1_miss_full, "whole miss of a cached function whose 1 MB are full", setup_miss,
             miss_op, miss_verify, l1_state_free)

static void idle_op(void *state)
{
    l1_state *s = state;
    s->calls++;
    s->good += cachekit_maintain(s->cache, 0) == 0;
}

static void *setup_idle(void)
{
    l1_state *s = setup_entries();
    if (s != NULL) {
        s->calls = s->good = 0;
    }
    return s;
}

static int idle_verify(void *state)
{
    l1_state *s = state;
    int verdict = l1_state_verify(s, 0);
    s->tick_ns += (int64_t)2 * TTL_MS * NS_PER_MS;
    return verdict == VERDICT_OK && cachekit_maintain(s->cache, 10000000) != ENTRIES
               ? VERDICT_WRONG_OUTPUT
               : verdict;
}

CKBENCH_PATH(sweep_idle, "maintenance of 10,000 entries of which none is expired", setup_idle,
             idle_op, idle_verify, l1_state_free)

static void refill(void *state)
{
    l1_state *s = state;
    for (int i = 0; i < SWEPT; i++) {
        put_next(s, SHORT_TTL_MS);
    }
    s->tick_ns += 2 * SHORT_TTL_MS * NS_PER_MS;
}

static void sweep(void *state)
{
    l1_state *s = state;
    s->calls++;
    s->good += cachekit_maintain(s->cache, 0) == SWEPT;
}

static void sweep_op(void *state)
{
    refill(state);
    sweep(state);
}

static void *setup_sweep(void)
{
    l1_state *s = l1_state_new(NULL, 0);
    if (s != NULL) {
        sweep_op(s);
    }
    return s;
}

static int sweep_verify(void *state)
{
    l1_state *s = state;
    cachekit_info_data info;
    cachekit_store_info(s->cache, &info);
    bool ok = info.entries == 0 && info.stored == s->next_key &&
              info.removals[CACHEKIT_EXPIRED] == s->next_key;
    return ok ? l1_state_verify(s, 0) : VERDICT_WRONG_OUTPUT;
}

static const struct ckbench_phase sweep_phases[] = {
    {"refill", refill}, {"sweep", sweep}, {NULL, NULL}};
static const struct ckbench_extra sweep_extra = {.phases = sweep_phases};

CKBENCH_PATH_EX(sweep_expired_128, "128 entries stored, expired and swept", setup_sweep, sweep_op,
                sweep_verify, l1_state_free, &sweep_extra)
