// SPDX-License-Identifier: MIT
// A cached function from outside: which calls are one, what handles promise, and bad input.
#include "call_kit.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call/cache.h"

static struct {
    struct kit kit;
    cachekit_function *f;
    int loads, destroyed;
    size_t size_bytes;
} t;

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)args;
    (void)count;
    (void)error;
    result->object = (void *)(intptr_t)(++t.loads);
    result->size_bytes = t.size_bytes;
    return CACHEKIT_OK;
}

static void count_destroyed(void *object, size_t size, void *context)
{
    (void)object;
    (void)size;
    (void)context;
    t.destroyed++;
}

static void open_all(void)
{
    cachekit_function_options options = cachekit_preset_minimal();
    memset(&t, 0, sizeof t);
    kit_open(&t.kit, NULL);
    options.destroy = count_destroyed;
    t.size_bytes = 8;
    t.f = kit_function(&t.kit, load, NULL, &options);
}

static intptr_t call(const cachekit_arg *args, size_t count)
{
    cachekit_hit hit;
    cr_assert(cachekit_call(t.f, args, count, &hit, NULL) == CACHEKIT_OK);
    intptr_t object = (intptr_t)hit.object;
    cachekit_release(&hit);
    return object;
}

static cachekit_arg bits_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return cachekit_f64(value);
}

// Every one of them is another key than all the others.
Test(function, calls_that_differ_are_kept_apart)
{
    static char texts[10][300];
    for (int i = 0; i < 10; i++) {
        memset(texts[i], 'a', sizeof texts[i]);
        texts[i][i] = 'b';
    }
    const struct {
        size_t count;
        cachekit_arg args[3];
    } calls[] = {
        {0, {cachekit_null()}},
        {1, {cachekit_null()}},
        {2, {cachekit_null(), cachekit_null()}},
        {1, {cachekit_bool(false)}},
        {1, {cachekit_bool(true)}},
        {1, {cachekit_i64(0)}},
        {1, {cachekit_i64(1)}},
        {1, {cachekit_i64(-1)}},
        {1, {cachekit_u64(UINT64_MAX)}},
        {1, {cachekit_f64(0.0)}},
        {1, {cachekit_f64(1.0)}},
        {1, {cachekit_f64(5e-324)}},
        {1, {cachekit_f64(HUGE_VAL)}},
        {1, {cachekit_f64(-HUGE_VAL)}},
        {1, {cachekit_f64((double)NAN)}},
        {1, {cachekit_str("")}},
        {1, {cachekit_bytes("", 0)}},
        {1, {cachekit_str("1")}},
        {1, {cachekit_bytes("1", 1)}},
        {1, {cachekit_str_len("\0", 1)}},
        {1, {cachekit_str_len("\0\0", 2)}},
        {1, {cachekit_str_len("a\0b", 3)}},
        {1, {cachekit_str_len("a\0c", 3)}},
        {2, {cachekit_str("ab"), cachekit_str("c")}},
        {2, {cachekit_str("a"), cachekit_str("bc")}},
        {2, {cachekit_str("abc"), cachekit_str("")}},
        {1, {cachekit_str("abc")}},
        {2, {cachekit_i64(1), cachekit_i64(2)}},
        {2, {cachekit_i64(2), cachekit_i64(1)}},
        {1, {cachekit_str_len(texts[0], 7)}},
        {1, {cachekit_str_len(texts[0], 8)}},
        {1, {cachekit_str_len(texts[0], 15)}},
        {1, {cachekit_str_len(texts[0], 16)}},
        {1, {cachekit_str_len(texts[0], 32)}},
        {1, {cachekit_str_len(texts[0], 33)}},
        {1, {cachekit_str_len(texts[1], 33)}},
        {1, {cachekit_str_len(texts[0], 256)}},
        {1, {cachekit_str_len(texts[1], 256)}},
        {1, {cachekit_str_len(texts[0], 257)}},
        {1, {cachekit_str_len(texts[1], 257)}},
        {1, {cachekit_bytes(texts[1], 257)}},
        {3, {cachekit_str_len(texts[0], 200), cachekit_str_len(texts[0], 57), cachekit_i64(1)}},
        {3, {cachekit_str_len(texts[0], 200), cachekit_str_len(texts[0], 57), cachekit_f64(1)}},
    };
    enum { CALLS = sizeof calls / sizeof calls[0] };
    open_all();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < CALLS; i++) {
            intptr_t object = call(calls[i].args, calls[i].count);
            cr_assert(object == i + 1, "call %d gave %d", i, (int)object);
        }
    }
    // As many arguments as one likes; nine are no longer the short way.
    cachekit_arg many[40];
    for (size_t i = 0; i < 40; i++) {
        many[i] = cachekit_i64((int64_t)i);
    }
    for (size_t count = 3; count <= 40; count++) {
        intptr_t object = call(many, count);
        cr_assert(call(many, count) == object && t.loads == CALLS + (int)count - 2);
    }
    kit_close(&t.kit);
}

Test(function, one_number_has_one_key)
{
    open_all();
    cachekit_arg one = cachekit_i64(5), other = cachekit_u64(5);
    cr_assert(call(&one, 1) == call(&other, 1));
    const uint64_t zeros[] = {0, 0x8000000000000000U};
    const uint64_t nans[] = {0x7ff8000000000000U, 0xfff8000000000000U, 0x7ff0000000000001U,
                             0x7fffffffffffffffU, 0xffffffffffffffffU};
    (void)fesetround(FE_DOWNWARD);
    for (int i = 0; i < 2; i++) {
        cachekit_arg arg = bits_of(zeros[i]);
        cr_assert(call(&arg, 1) == 2);
    }
    for (int i = 0; i < 5; i++) {
        cachekit_arg arg = bits_of(nans[i]);
        cr_assert(call(&arg, 1) == 3);
    }
    kit_close(&t.kit);
}

Test(function, invalidation_finds_every_kind_of_call)
{
    static char text[300];
    cachekit_arg args[12];
    memset(text, 'x', sizeof text);
    open_all();
    for (size_t i = 0; i < 12; i++) {
        args[i] = cachekit_i64((int64_t)i);
    }
    cachekit_arg long_text = cachekit_str_len(text, sizeof text);
    for (size_t count = 0; count <= 12; count++) {
        intptr_t before = call(args, count);
        cr_assert(cachekit_invalidate(t.f, args, count) == CACHEKIT_OK);
        cr_assert(cachekit_invalidate(t.f, args, count) == CACHEKIT_MISS);
        cr_assert(call(args, count) == before + 1);
    }
    intptr_t before = call(&long_text, 1);
    cr_assert(cachekit_invalidate(t.f, &long_text, 1) == CACHEKIT_OK);
    cr_assert(call(&long_text, 1) == before + 1);
    kit_close(&t.kit);
    cr_assert(t.destroyed == t.loads);
}

Test(function, a_handle_keeps_its_value_however_it_leaves)
{
    enum { HELD = 20 };
    cachekit_hit hits[HELD];
    cachekit_info_data info;
    open_all();
    for (int i = 0; i < HELD; i++) {
        cachekit_arg arg = cachekit_i64(i % 10);
        cr_assert(cachekit_call(t.f, &arg, 1, &hits[i], NULL) == CACHEKIT_OK);
        cr_assert(hits[i].size_bytes == 8);
    }
    cachekit_invalidate_all(t.f);
    cr_assert(t.destroyed == 0);
    cr_assert(cachekit_cache_free(t.kit.cache) == CACHEKIT_E_BUSY && t.destroyed == 0);
    cachekit_info(t.f, &info);
    cr_assert(info.entries == 0 && info.used_bytes > 10 * 8);
    for (int i = 0; i < HELD; i++) {
        cr_assert((intptr_t)hits[i].object == i % 10 + 1);
        cachekit_release(&hits[i]);
        cr_assert(hits[i].object == NULL);
        cachekit_release(&hits[i]);
        cr_assert(i >= HELD / 2 || t.destroyed == 0);
    }
    kit_close(&t.kit);
    cr_assert(t.destroyed == 10);
}

static cachekit_status load_and_hold(void *context, const cachekit_arg *args, size_t count,
                                     cachekit_result *result, cachekit_error *error)
{
    cachekit_hit *inner = malloc(sizeof *inner);
    (void)context;
    (void)error;
    cr_assert(cachekit_call(t.f, args, count, inner, NULL) == CACHEKIT_OK);
    result->object = inner;
    result->size_bytes = sizeof *inner;
    return CACHEKIT_OK;
}

static void release_held(void *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    cachekit_release(object);
    free(object);
}

// The pin of an inner call must not be taken for that of the outer one.
Test(function, a_value_may_hold_a_handle_of_its_own)
{
    cachekit_function_options options = cachekit_preset_minimal();
    cachekit_hit hit;
    cachekit_arg arg = cachekit_i64(1);
    open_all();
    options.destroy = release_held;
    cachekit_function *outer = kit_function(&t.kit, load_and_hold, NULL, &options);
    cr_assert(cachekit_call(outer, &arg, 1, &hit, NULL) == CACHEKIT_OK);
    const cachekit_hit *inner = hit.object;
    cr_assert(inner->grip != hit.grip && (intptr_t)inner->object == 1);
    cachekit_invalidate_all(t.f);
    cachekit_invalidate_all(t.f);
    cr_assert(t.destroyed == 0);
    cachekit_release(&hit);
    cachekit_invalidate_all(outer);
    cachekit_invalidate_all(t.f);
    kit_close(&t.kit);
    cr_assert(t.destroyed == 1);
}

static void *release_there(void *hit)
{
    cachekit_release(hit);
    return NULL;
}

Test(function, a_handle_may_be_released_by_any_thread_and_outlive_its_own)
{
    pthread_t other;
    cachekit_hit hits[10];
    cachekit_arg arg = cachekit_i64(1);
    open_all();
    for (int i = 0; i < 10; i++) {
        cr_assert(cachekit_call(t.f, &arg, 1, &hits[i], NULL) == CACHEKIT_OK);
    }
    cachekit_invalidate_all(t.f);
    for (int i = 0; i < 10; i++) {
        cr_assert(t.destroyed == 0);
        cr_assert(pthread_create(&other, NULL, release_there, &hits[i]) == 0);
        (void)pthread_join(other, NULL);
    }
    kit_close(&t.kit);
    cr_assert(t.destroyed == 1);
}

Test(function, a_value_over_the_budget_is_returned_and_not_kept)
{
    cachekit_hit hit;
    cachekit_info_data info;
    cachekit_arg arg = cachekit_i64(1);
    open_all();
    (void)call(&arg, 1);
    kit_advance(&t.kit, 300000);
    t.size_bytes = SIZE_MAX;
    cr_assert(cachekit_call(t.f, &arg, 1, &hit, NULL) == CACHEKIT_OK);
    cr_assert(hit.size_bytes == SIZE_MAX && (intptr_t)hit.object == 2);
    cachekit_release(&hit);
    cr_assert(t.destroyed == 2);
    cachekit_info(t.f, &info);
    cr_assert(info.refused == 1 && info.entries == 0);
    kit_close(&t.kit);
}

Test(function, bad_arguments_are_refused_with_a_reason)
{
    open_all();
    static const char text[] = "text";
    cachekit_arg untyped = {14, 0, {0}}, wild = {UINT32_MAX, UINT32_MAX, {0}};
    const struct {
        const cachekit_arg *args;
        size_t count;
        cachekit_arg one;
        const char *says;
    } bad[] = {
        {NULL, 1, {0, 0, {0}}, "NULL"},
        {NULL, 2, {0, 0, {0}}, "NULL"},
        {NULL, 9, {0, 0, {0}}, "NULL"},
        {&bad[3].one, 1, cachekit_str(NULL), "NULL or too long"},
        {&bad[4].one, 1, cachekit_str_len(NULL, 5), "NULL or too long"},
        {&bad[5].one, 1, cachekit_bytes(NULL, 40), "NULL or too long"},
        {&bad[6].one, 1, cachekit_str_len(text, SIZE_MAX), "NULL or too long"},
        {&bad[7].one, 1, untyped, "no known type"},
        {&bad[8].one, 1, wild, "no known type"},
    };
    cachekit_arg good = cachekit_str("good");
    (void)call(&good, 1); // from here on this thread hits without a lock
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cachekit_hit hit;
        cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
        memset(&hit, 0xee, sizeof hit);
        cr_assert(cachekit_call(t.f, bad[i].args, bad[i].count, &hit, &error) ==
                  CACHEKIT_E_INVALID);
        cr_assert(error.status == CACHEKIT_E_INVALID && strstr(error.text, bad[i].says) != NULL,
                  "row %zu says: %s", i, error.text);
        cr_assert(hit.object == NULL);
        cachekit_release(&hit);
        cr_assert(cachekit_call(t.f, bad[i].args, bad[i].count, &hit, NULL) == CACHEKIT_E_INVALID);
        cr_assert(cachekit_invalidate(t.f, bad[i].args, bad[i].count) == CACHEKIT_E_INVALID);
    }
    cachekit_arg two[] = {cachekit_i64(1), cachekit_str(NULL)};
    cachekit_hit hit;
    cr_assert(cachekit_call(t.f, two, 2, &hit, NULL) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_call(NULL, two, 1, &hit, NULL) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_invalidate(NULL, two, 1) == CACHEKIT_E_INVALID && t.loads == 1);
    kit_close(&t.kit);
}

Test(function, bad_options_are_refused_by_name)
{
    kit_open(&t.kit, NULL);
    cachekit_function_options good = cachekit_preset_local(), o[10];
    for (int i = 0; i < 10; i++) {
        o[i] = good;
    }
    o[0].size = 0;
    o[1].size = sizeof good + 1;
    o[2].ttl_ms = -1;
    o[3].ttl_ms = INT64_MIN;
    o[4].refresh_ratio = (double)NAN;
    o[5].refresh_ratio = 1.5;
    o[6].refresh_ratio = -0.1;
    o[7].refresh_retry_ms = -1;
    o[8].refresh_ratio = 0.5;
    o[8].ttl_ms = CACHEKIT_FOREVER_MS;
    o[9].refresh_ratio = HUGE_VAL;
    static const char *const names[] = {
        "size",          "size",          "ttl_ms",        "ttl_ms",        "refresh_ratio",
        "refresh_ratio", "refresh_ratio", "refresh_retry", "refresh_ratio", "refresh_ratio"};
    for (int i = 0; i < 10; i++) {
        cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
        cachekit_function *f = (cachekit_function *)&t;
        cr_assert(cachekit_function_new(t.kit.cache, "f", load, NULL, &o[i], &f, &error) ==
                      CACHEKIT_E_INVALID &&
                  f == NULL);
        cr_assert(strstr(error.text, names[i]) != NULL, "%d: %s", i, error.text);
    }
    cachekit_function *f;
    char name[202];
    memset(name, 'n', sizeof name);
    name[201] = '\0';
    cr_assert(cachekit_function_new(t.kit.cache, name, load, NULL, NULL, &f, NULL) ==
              CACHEKIT_E_INVALID);
    cr_assert(cachekit_function_new(t.kit.cache, "", load, NULL, NULL, &f, NULL) ==
              CACHEKIT_E_INVALID);
    cr_assert(cachekit_function_new(t.kit.cache, NULL, load, NULL, NULL, &f, NULL) ==
              CACHEKIT_E_INVALID);
    cr_assert(cachekit_function_new(t.kit.cache, "f", NULL, NULL, NULL, &f, NULL) ==
              CACHEKIT_E_INVALID);
    cr_assert(cachekit_function_new(NULL, "f", load, NULL, NULL, &f, NULL) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_function_new(t.kit.cache, name + 1, load, NULL, &good, &f, NULL) ==
              CACHEKIT_OK);
    kit_close(&t.kit);

    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    options.maintain_every_ms = -1;
    cr_assert(cachekit_cache_new(&options, &t.kit.cache, NULL) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_cache_free(NULL) == CACHEKIT_OK && cachekit_maintain(NULL, 1) == 0);
}

Test(function, a_life_beyond_all_clocks_has_no_end)
{
    static const int64_t lives[] = {INT64_MAX - 1, INT64_MAX / 1000000 + 1, CACHEKIT_FOREVER_MS};
    cachekit_arg arg = cachekit_i64(1);
    for (int i = 0; i < 3; i++) {
        open_all();
        cachekit_function_options options = cachekit_preset_minimal();
        options.ttl_ms = lives[i];
        t.f = kit_function(&t.kit, load, NULL, &options);
        cr_assert(call(&arg, 1) == 1);
        atomic_store(&t.kit.now_ns, INT64_MAX - 1);
        cr_assert(call(&arg, 1) == 1);
        kit_close(&t.kit);
    }
}

Test(function, the_plain_store_keeps_its_word)
{
    cachekit_hit hit;
    cachekit_slice key = {(const uint8_t *)"key", 3}, none = {NULL, 3}, empty = {key.data, 0};
    open_all();
    cachekit_cache *c = t.kit.cache;
    cr_assert(cachekit_put(c, none, &t, 1, count_destroyed, NULL, 10) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_put(c, empty, &t, 1, count_destroyed, NULL, 10) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_put(c, key, &t, 1, count_destroyed, NULL, 0) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_put(c, key, &t, 1, count_destroyed, NULL, -5) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_put(c, key, &t, SIZE_MAX, count_destroyed, NULL, 5) == CACHEKIT_E_TOO_LARGE);
    cr_assert(cachekit_put(NULL, key, &t, 1, count_destroyed, NULL, 5) == CACHEKIT_E_INVALID);
    cr_assert(t.destroyed == 6);
    cr_assert(cachekit_get(c, none, &hit) == CACHEKIT_E_INVALID && hit.object == NULL);
    cr_assert(cachekit_get(NULL, key, &hit) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_remove(c, empty) == CACHEKIT_E_INVALID);
    cr_assert(cachekit_get(c, key, &hit) == CACHEKIT_MISS);
    cr_assert(cachekit_put(c, key, &t, 1, count_destroyed, NULL, 5) == CACHEKIT_OK);
    kit_advance(&t.kit, 4);
    for (int i = 0; i < 2; i++) {
        cr_assert(cachekit_get(c, key, &hit) == CACHEKIT_OK && hit.object == &t);
        cachekit_release(&hit);
    }
    kit_advance(&t.kit, 1);
    cr_assert(cachekit_get(c, key, &hit) == CACHEKIT_MISS);
    cr_assert(cachekit_put(c, key, &t, 1, count_destroyed, NULL, CACHEKIT_FOREVER_MS) ==
              CACHEKIT_OK);
    cr_assert(cachekit_remove(c, key) == CACHEKIT_OK && cachekit_remove(c, key) == CACHEKIT_MISS);
    cr_assert(t.destroyed == 8);
    kit_close(&t.kit);
}

Test(function, a_thread_gives_memory_back_if_asked_for)
{
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_cache *c;
    cachekit_info_data info;
    cachekit_slice key = {(const uint8_t *)"key", 3};
    options.maintain_every_ms = 1;
    cr_assert(cachekit_cache_new(&options, &c, NULL) == CACHEKIT_OK);
    cr_assert(cachekit_put(c, key, &t, 1, NULL, NULL, 1) == CACHEKIT_OK);
    KIT_WAIT((cachekit_store_info(c, &info), info.removals[CACHEKIT_EXPIRED] == 1));
    cr_assert(cachekit_cache_free(c) == CACHEKIT_OK);
    options.maintain_every_ms = INT64_MAX;
    cr_assert(cachekit_cache_new(&options, &c, NULL) == CACHEKIT_OK);
    cr_assert(cachekit_cache_free(c) == CACHEKIT_OK);
}
