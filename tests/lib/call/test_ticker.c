// SPDX-License-Identifier: MIT
// A cache that owns its tick: values expire by it, in a forked child by the system's clock.
#include "call_kit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TTL_MS = 30, SECONDS_MAX = 60 };

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)args;
    (void)count;
    (void)error;
    result->object = context;
    return CACHEKIT_OK;
}

static cachekit_cache *open_cache(cachekit_function **f)
{
    static int value;
    cachekit_cache *cache;
    cachekit_cache_options of_cache = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_function_options options = cachekit_preset_minimal();
    of_cache.tick_every_ms = 1;
    options.ttl_ms = TTL_MS;
    cr_assert(cachekit_cache_new(&of_cache, &cache, NULL) == CACHEKIT_OK);
    cr_assert(cachekit_function_new(cache, "f", load, &value, &options, f, NULL) == CACHEKIT_OK);
    return cache;
}

static cachekit_layer call(cachekit_function *f)
{
    cachekit_layer layer = CACHEKIT_LAYER_L2;
    cr_assert(kit_call(f, 1, &layer) != -1);
    return layer;
}

// A hit or two if the machine lets us, and then no more.
static bool expires(cachekit_function *f)
{
    bool was_hit = call(f) == CACHEKIT_LAYER_L1;
    for (int i = 0; i < SECONDS_MAX * 1000; i++) {
        if (call(f) == CACHEKIT_LAYER_MISS && was_hit) {
            return true;
        }
        was_hit = was_hit || call(f) == CACHEKIT_LAYER_L1;
        kit_sleep_ms(1);
    }
    return false;
}

Test(ticker, moves_by_itself_and_stops_with_the_cache)
{
    cachekit_function *f;
    cachekit_cache *cache = open_cache(&f);
    cr_assert(call(f) == CACHEKIT_LAYER_MISS);
    cr_assert(expires(f));
    cr_assert(cachekit_cache_free(cache) == CACHEKIT_OK);
}

Test(ticker, is_left_for_the_systems_clock_in_a_child)
{
    cachekit_function *f;
    cachekit_cache *cache = open_cache(&f);
    cr_assert(call(f) == CACHEKIT_LAYER_MISS);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(2 * SECONDS_MAX);
        bool ok = call(f) == CACHEKIT_LAYER_MISS && expires(f);
        _exit(ok && cachekit_cache_free(cache) == CACHEKIT_OK ? 0 : 1);
    }
    int status = -1;
    cr_assert(waitpid(child, &status, 0) == child && status == 0);
    cr_assert(cachekit_cache_free(cache) == CACHEKIT_OK);
}

Test(ticker, is_refused_beside_a_clock_and_beyond_its_bounds)
{
    static int64_t tick_ns;
    static const cachekit_clock clock = {NULL, &tick_ns};
    static const int64_t bad[] = {-1, INT64_MIN, 101, INT64_MAX, 1};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cachekit_cache *cache;
        cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
        cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
        options.tick_every_ms = bad[i];
        options.clock = bad[i] == 1 ? &clock : NULL;
        cr_assert(cachekit_cache_new(&options, &cache, &error) == CACHEKIT_E_INVALID);
        cr_assert(cache == NULL && strstr(error.text, "tick_every_ms") != NULL);
    }
}
