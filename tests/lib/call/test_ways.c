// SPDX-License-Identifier: MIT
// Every way that a hit can go, by kind of key, kind of clock and pins in use, keeps the same word:
// the same value, counted once, up to its last nanosecond and not beyond.
#include "call_kit.h"

#include <string.h>

enum { TTL_MS = 5, HELD_MAX = 10, LIFE_NS = TTL_MS * KIT_NS_PER_MS };

static struct {
    int64_t tick_ns;
    cachekit_clock clock;
    cachekit_cache *cache;
    cachekit_function *f;
    int loads;
} t;

static int64_t read_tick(void *context)
{
    return __atomic_load_n((int64_t *)context, __ATOMIC_ACQUIRE);
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)args;
    (void)count;
    (void)error;
    result->object = (void *)(intptr_t)(++t.loads);
    return CACHEKIT_OK;
}

static void open_with(bool is_function)
{
    cachekit_cache_options of_cache = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_function_options options = cachekit_preset_minimal();
    memset(&t, 0, sizeof t);
    t.tick_ns = 1000;
    t.clock = (cachekit_clock){is_function ? read_tick : NULL, &t.tick_ns};
    of_cache.clock = &t.clock;
    options.ttl_ms = TTL_MS;
    cr_assert(cachekit_cache_new(&of_cache, &t.cache, NULL) == CACHEKIT_OK);
    cr_assert(cachekit_function_new(t.cache, "f", load, NULL, &options, &t.f, NULL) == CACHEKIT_OK);
}

static void set_tick(int64_t ns)
{
    __atomic_store_n(&t.tick_ns, ns, __ATOMIC_RELEASE);
}

static char text[256];

struct row {
    size_t count;
    cachekit_arg args[8];
};

static const cachekit_arg numbers[3] = {
    {CACHEKIT_ARG_I64, 0, {1}}, {CACHEKIT_ARG_BOOL, 0, {1}}, {CACHEKIT_ARG_NULL, 0, {0}}};

#define TEXT(len)                                                                                  \
    {                                                                                              \
        CACHEKIT_ARG_STR, len,                                                                     \
        {                                                                                          \
            .data = text                                                                           \
        }                                                                                          \
    }
#define NUMBER                                                                                     \
    {                                                                                              \
        CACHEKIT_ARG_I64, 0,                                                                       \
        {                                                                                          \
            77                                                                                     \
        }                                                                                          \
    }

static const struct row rows[] = {
    {0, {NUMBER}},
    {1, {NUMBER}},
    {1, {TEXT(0)}},
    {1, {TEXT(3)}},
    {1, {TEXT(7)}},
    {1, {TEXT(15)}},
    {1, {TEXT(16)}},
    {1, {TEXT(32)}},
    {1, {TEXT(33)}},
    {1, {TEXT(256)}},
    {2, {NUMBER, TEXT(24)}},
    {2, {TEXT(24), NUMBER}},
    {2, {NUMBER, TEXT(100)}},
    {3, {NUMBER, NUMBER, NUMBER}},
    {8, {TEXT(32), TEXT(32), TEXT(32), TEXT(32), TEXT(32), TEXT(32), TEXT(32), TEXT(32)}},
    {1, {{CACHEKIT_ARG_LIST, 3, {.data = numbers}}}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static uint64_t hits(void)
{
    cachekit_info_data info;
    cachekit_info(t.f, &info);
    return info.hits;
}

// Calls a row, holding what it gives in `hit`, and expects the value and where it comes from.
static void expect(size_t row, cachekit_layer layer, intptr_t object, cachekit_hit *hit)
{
    uint64_t before = hits();
    cr_assert(cachekit_call(t.f, rows[row].args, rows[row].count, hit, NULL) == CACHEKIT_OK);
    cr_assert(hit->layer == layer && (intptr_t)hit->object == object, "row %zu: layer %d, value %d",
              row, (int)hit->layer, (int)(intptr_t)hit->object);
    cr_assert(hits() == before + (layer == CACHEKIT_LAYER_L1));
}

static void check_row(size_t row, int held)
{
    cachekit_hit hit, holds[HELD_MAX];
    int64_t begin = t.tick_ns;
    for (int i = 0; i < held; i++) {
        expect((row + (size_t)i + 1) % ROWS, CACHEKIT_LAYER_MISS, t.loads + 1, &holds[i]);
    }
    expect(row, CACHEKIT_LAYER_MISS, t.loads + 1, &hit);
    intptr_t object = (intptr_t)hit.object;
    cachekit_release(&hit);
    for (int i = 0; i < 2; i++) {
        set_tick(begin + i * (LIFE_NS - 1));
        expect(row, CACHEKIT_LAYER_L1, object, &hit);
        cachekit_release(&hit);
    }
    set_tick(begin + LIFE_NS);
    expect(row, CACHEKIT_LAYER_MISS, t.loads + 1, &hit);
    cachekit_release(&hit);
    for (int i = 0; i < held; i++) {
        cachekit_release(&holds[i]);
    }
    set_tick(begin + 3 * LIFE_NS); // all gone for the next
}

static void check_all(void)
{
    for (int held = 0; held <= HELD_MAX; held++) {
        for (size_t row = 0; row < ROWS; row++) {
            check_row(row, held);
        }
    }
    cr_assert(cachekit_cache_free(t.cache) == CACHEKIT_OK);
}

Test(ways, of_calls_keep_their_word_by_a_tick)
{
    memset(text, 'a', sizeof text);
    open_with(false);
    check_all();
}

Test(ways, of_calls_keep_their_word_by_a_clock)
{
    memset(text, 'a', sizeof text);
    open_with(true);
    check_all();
}

// A get of `len` bytes with so many handles held.
static void check_get(size_t len, int held)
{
    cachekit_hit hit, holds[HELD_MAX];
    cachekit_info_data before, after;
    const cachekit_slice key = {(const uint8_t *)text, len};
    int64_t begin = t.tick_ns;
    cr_assert(cachekit_put(t.cache, key, &t, 1, NULL, NULL, TTL_MS) == CACHEKIT_OK);
    cachekit_store_info(t.cache, &before);
    for (int i = 0; i < held; i++) {
        cr_assert(cachekit_get(t.cache, key, &holds[i]) == CACHEKIT_OK && holds[i].object == &t);
    }
    set_tick(begin + LIFE_NS - 1);
    cr_assert(cachekit_get(t.cache, key, &hit) == CACHEKIT_OK && hit.object == &t);
    cachekit_release(&hit);
    cachekit_store_info(t.cache, &after);
    cr_assert(after.hits == before.hits + (uint64_t)held + 1 && after.misses == before.misses);
    set_tick(begin + LIFE_NS);
    cr_assert(cachekit_get(t.cache, key, &hit) == CACHEKIT_MISS);
    for (int i = 0; i < held; i++) {
        cachekit_release(&holds[i]);
    }
}

Test(ways, of_gets_keep_their_word_by_either)
{
    static const size_t lens[] = {1, 3, 4, 7, 8, 15, 16, 24, 32, 33, 100};
    for (int is_function = 0; is_function < 2; is_function++) {
        open_with(is_function != 0);
        for (int held = 0; held <= HELD_MAX; held++) {
            for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
                check_get(lens[i], held);
            }
        }
        cr_assert(cachekit_cache_free(t.cache) == CACHEKIT_OK);
    }
}
