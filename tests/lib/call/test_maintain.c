// SPDX-License-Identifier: MIT
// Memory of expired entries given back in the caller's time, in holds of 128; figures asked of
// nothing.
#include "call_kit.h"

#include <string.h>

enum { ENTRIES = 300, HOLD = 128, TTL_MS = 10 };

static struct {
    struct kit kit;
    cachekit_function *f;
} t;

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)args;
    (void)count;
    (void)error;
    result->object = &t;
    result->size_bytes = 8;
    return CACHEKIT_OK;
}

// So many entries in the store and as many in a function, all expired.
static void open_expired(void)
{
    cachekit_function_options options = cachekit_preset_minimal();
    memset(&t, 0, sizeof t);
    kit_open(&t.kit, NULL);
    options.ttl_ms = TTL_MS;
    t.f = kit_function(&t.kit, load, NULL, &options);
    for (int64_t i = 0; i < ENTRIES; i++) {
        const cachekit_slice key = {(const uint8_t *)&i, sizeof i};
        cr_assert(cachekit_put(t.kit.cache, key, &t, 8, NULL, NULL, TTL_MS) == CACHEKIT_OK);
        cr_assert(kit_call(t.f, i, NULL) != -1);
    }
    kit_advance(&t.kit, TTL_MS);
}

Test(maintain, takes_one_hold_of_each_when_it_has_no_time)
{
    static const int64_t times[] = {0, -1, INT64_MIN};
    for (size_t i = 0; i < 3; i++) {
        open_expired();
        static const size_t holds[] = {HOLD, HOLD, ENTRIES - 2 * HOLD, 0};
        for (size_t k = 0; k < 4; k++) {
            size_t gone = cachekit_maintain(t.kit.cache, times[i]);
            cr_assert(gone == 2 * holds[k], "hold %zu: %zu entries", k, gone);
        }
        kit_close(&t.kit);
    }
}

Test(maintain, takes_all_when_it_has_time)
{
    static const int64_t times[] = {60000000, INT64_MAX};
    for (size_t i = 0; i < 2; i++) {
        open_expired();
        cr_assert(cachekit_maintain(t.kit.cache, times[i]) == 2 * ENTRIES);
        kit_close(&t.kit);
    }
}

Test(maintain, takes_a_hold_at_least_however_little_time_it_has)
{
    open_expired();
    size_t gone = cachekit_maintain(t.kit.cache, 1);
    cr_assert(gone >= HOLD && gone <= 2 * ENTRIES);
    kit_close(&t.kit);
}

Test(maintain, figures_of_nothing_are_none)
{
    cachekit_info_data info;
    open_expired();
    memset(&info, 0xee, sizeof info);
    cachekit_info(NULL, &info);
    cr_assert(info.hits == 0 && info.entries == 0 && info.budget_bytes == 0);
    memset(&info, 0xee, sizeof info);
    cachekit_store_info(NULL, &info);
    cr_assert(info.hits == 0 && info.entries == 0 && info.budget_bytes == 0);
    cachekit_info(t.f, NULL);
    cachekit_store_info(t.kit.cache, NULL);
    kit_close(&t.kit);
}
