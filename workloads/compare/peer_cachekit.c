// SPDX-License-Identifier: MIT
// Ourselves: a function of one number, a function of one text, and the plain store.
#include <stdatomic.h>
#include <stdlib.h>

#include <cachekit/cachekit.h>

#include "compare/peers.h"

static cachekit_cache *cache;
static cachekit_function *function;
static int64_t tick_ns;

// A clock that somebody else moves, as a program with an event loop has one.
static const cachekit_clock tick = {NULL, &tick_ns};

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
