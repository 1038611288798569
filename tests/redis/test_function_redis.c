// SPDX-License-Identifier: MIT
// A cached function over a real server: every way of storing, lives, removals, bytes that are no
// value, and one computation among several processes.
#include "function_kit.h"

#include <pthread.h>

enum { TTL_DEFAULT_MS = 300000 };

static struct redis_kit server;
static struct function_kit t;
static char reply[4096];

static void open_server(void)
{
    redis_kit_open(&server, NULL);
}

static void close_server(void)
{
    redis_kit_close(&server);
}

TestSuite(function_redis, .init = open_server, .fini = close_server, .timeout = 120);

#define ASK(...) redis_kit_ask(&server, 0, reply, sizeof reply, __VA_ARGS__)

static long dbsize(void)
{
    ASK("DBSIZE");
    return strtol(reply + 1, NULL, 10);
}

static const struct {
    cachekit_function_options (*preset)(void);
    cachekit_wire wire;
    cachekit_codec codec;
} ways[] = {
    {cachekit_preset_minimal, CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_VALUE},
    {cachekit_preset_minimal, CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_JSON},
    {cachekit_preset_minimal, CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_BYTES},
    {cachekit_preset_test, CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_VALUE},
    {cachekit_preset_production, CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_VALUE},
    {cachekit_preset_production, CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_JSON},
    {cachekit_preset_production, CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_BYTES},
    {cachekit_preset_production, CACHEKIT_WIRE_INTEROP, CACHEKIT_CODEC_VALUE},
    {cachekit_preset_secure, CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_VALUE},
    {cachekit_preset_secure, CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_JSON},
    {cachekit_preset_secure, CACHEKIT_WIRE_AUTO, CACHEKIT_CODEC_BYTES},
    {cachekit_preset_secure, CACHEKIT_WIRE_INTEROP, CACHEKIT_CODEC_VALUE},
};

Test(function_redis, every_way_of_storing_is_computed_once_lives_its_life_and_is_removed)
{
    const cachekit_arg arg = cachekit_i64(7);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        cachekit_function_options options = ways[i].preset();
        options.wire = ways[i].wire;
        options.codec = ways[i].codec;
        function_open(&t, i % 2 == 0 ? server.unix_url : server.tcp_url, &options);
        cr_assert(function_call(&t, 7) == CACHEKIT_LAYER_MISS, "way %zu", i);
        cr_assert(function_call(&t, 7) == CACHEKIT_LAYER_L1);
        function_reopen(&t, &options);
        cr_assert(function_call(&t, 7) == CACHEKIT_LAYER_L2);
        cr_assert(function_call(&t, 7) == CACHEKIT_LAYER_L1);
        cr_assert(atomic_load(&t.loads) == 1 && dbsize() == 1);
        ASK("RANDOMKEY");
        char key[sizeof reply];
        (void)snprintf(key, sizeof key, "%s", reply + 1);
        ASK("PTTL %s", key);
        long left_ms = strtol(reply + 1, NULL, 10);
        int64_t life_ms = options.ttl_ms != 0 ? options.ttl_ms : TTL_DEFAULT_MS;
        cr_assert(left_ms > life_ms - FUNCTION_PATIENCE_MS && left_ms <= life_ms);
        cr_assert(cachekit_invalidate(t.f, &arg, 1) == CACHEKIT_OK && dbsize() == 0);
        cr_assert(function_call(&t, 7) == CACHEKIT_LAYER_MISS);
        function_close(&t);
        ASK("FLUSHALL");
    }
}

Test(function_redis, a_life_ends_and_one_without_end_does_not)
{
    char key[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_function_options options = cachekit_preset_production();
    function_key(1, key);
    options.ttl_ms = 1000;
    function_open(&t, server.unix_url, &options);
    cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_L2); // too short a life for memory
    function_pause_ms(1050);
    cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_MISS);
    function_close(&t);
    ASK("FLUSHALL");
    options.ttl_ms = CACHEKIT_FOREVER_MS;
    function_open(&t, server.unix_url, &options);
    cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_MISS);
    ASK("PTTL %s", key);
    cr_assert(strcmp(reply, ":-1") == 0, "%s", reply);
    function_close(&t);
}

Test(function_redis, all_keys_of_a_function_go_and_others_stay)
{
    enum { KEYS = 200 };
    const cachekit_function_options options = cachekit_preset_production();
    function_open(&t, server.unix_url, &options);
    for (int i = 0; i < KEYS; i++) {
        cr_assert(function_call(&t, i) == CACHEKIT_LAYER_MISS);
    }
    ASK("SET other 1");
    cr_assert(dbsize() == KEYS + 1);
    function_reopen(&t, &options);
    cr_assert(function_call(&t, 0) == CACHEKIT_LAYER_L2); // all that this process knows of
    cr_assert(cachekit_invalidate_all(t.f) == CACHEKIT_OK && dbsize() == KEYS);
    for (int i = 0; i < KEYS; i++) {
        (void)function_call(&t, i);
    }
    cr_assert(cachekit_invalidate_all(t.f) == CACHEKIT_OK && dbsize() == 1);
    cr_assert(function_call(&t, 0) == CACHEKIT_LAYER_MISS);
    function_close(&t);
}

Test(function_redis, bytes_that_are_no_value_are_counted_by_kind_and_overwritten)
{
    char key[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_function_options options = cachekit_preset_production();
    options.memory = CACHEKIT_OFF;
    function_key(1, key);
    function_open(&t, server.unix_url, &options);
    static const char *const plants[] = {"SET %s nonsense", "LPUSH %s 1", "SADD %s 1"};
    for (size_t i = 0; i < sizeof plants / sizeof plants[0]; i++) {
        ASK("DEL %s", key);
        redis_kit_ask(&server, 0, reply, sizeof reply, plants[i], key);
        cr_assert(reply[0] != '-', "%s", reply);
        cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_MISS);
        cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_L2);
        cr_assert(function_info(&t).corrupt == i + 1);
    }
    cr_assert(function_info(&t).backend_skipped == 0);
    function_close(&t);
}

Test(function_redis, sealed_bytes_that_do_not_open_are_computed_anew_or_told)
{
    char key[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_hit hit;
    const cachekit_arg arg = cachekit_i64(1);
    cachekit_function_options options = cachekit_preset_secure();
    options.memory = CACHEKIT_OFF;
    function_key(1, key);
    function_open(&t, server.unix_url, &options);
    cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_MISS);
    ASK("SETRANGE %s 20 zzzz", key);
    cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_L2);
    cr_assert(function_info(&t).unauthentic == 1 && function_info(&t).corrupt == 0);
    options.fail_closed = CACHEKIT_ON;
    function_reopen(&t, &options);
    ASK("SETRANGE %s 20 zzzz", key);
    for (int i = 1; i <= 2; i++) { // it stays
        cr_assert(cachekit_call(t.f, &arg, 1, &hit, NULL) == CACHEKIT_E_AUTH);
        cr_assert(function_info(&t).unauthentic == (uint64_t)i);
    }
    cr_assert(atomic_load(&t.loads) == 2);
    function_close(&t);
}

Test(function_redis, a_tenants_keys_are_its_own_and_interop_refuses_them)
{
    const cachekit_redis_backend_options tenant = {.tenant = "acme"};
    cachekit_function_options options = cachekit_preset_production();
    function_open(&t, server.unix_url, &options);
    cachekit_backend *plain = t.backend, *prefixed = redis_kit_backend(server.unix_url, &tenant);
    cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_MISS);
    t.backend = prefixed;
    function_reopen(&t, &options);
    cr_assert(function_call(&t, 1) == CACHEKIT_LAYER_MISS && dbsize() == 2);
    cr_assert(cachekit_invalidate_all(t.f) == CACHEKIT_OK && dbsize() == 1);
    cachekit_function *f;
    options.wire = CACHEKIT_WIRE_INTEROP;
    cr_assert(cachekit_function_new(t.cache, "other", function_load, &t, &options, &f, NULL) ==
              CACHEKIT_E_INVALID);
    function_close(&t);
    cachekit_backend_free(plain);
}

static void *call_in_a_thread(void *context)
{
    cachekit_layer *layer = malloc(sizeof *layer);
    cr_assert(layer != NULL);
    *layer = function_call(context, 1);
    return layer;
}

// Two caches have nothing in common but the server, as two processes.
Test(function_redis, with_a_lock_one_of_two_processes_computes)
{
    static struct function_kit other;
    pthread_t threads[2];
    cachekit_layer *layers[2];
    cachekit_function_options options = cachekit_preset_production();
    options.distributed_lock = CACHEKIT_ON;
    options.lock_hold_ms = options.lock_wait_ms = FUNCTION_PATIENCE_MS;
    function_open(&t, server.unix_url, &options);
    function_open(&other, server.tcp_url, &options);
    t.load_ms = other.load_ms = 200;
    cr_assert(pthread_create(&threads[0], NULL, call_in_a_thread, &t) == 0);
    cr_assert(pthread_create(&threads[1], NULL, call_in_a_thread, &other) == 0);
    for (int i = 0; i < 2; i++) {
        cr_assert(pthread_join(threads[i], (void **)&layers[i]) == 0);
    }
    cr_assert(atomic_load(&t.loads) + atomic_load(&other.loads) == 1);
    cr_assert(*layers[0] + *layers[1] == CACHEKIT_LAYER_MISS + CACHEKIT_LAYER_L2);
    cr_assert(dbsize() == 1); // the lock is gone
    free(layers[0]);
    free(layers[1]);
    function_close(&t);
    function_close(&other);
}
