// SPDX-License-Identifier: MIT
// A cached function over a private redis-server. The result of a call names its argument, so that
// another call's answer never passes for it.
#ifndef TESTS_FUNCTION_KIT_H
#define TESTS_FUNCTION_KIT_H

#include <criterion/criterion.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cachekit/backends.h>
#include <cachekit/cache.h>
#include <cachekit/key.h>
#include <cachekit/seal.h>
#include <cachekit/value.h>

#include <hiredis.h>

#include "redis_kit.h"

#define FUNCTION_MASTER "6161616161616161616161616161616161616161616161616161616161616161"

enum { FUNCTION_PATIENCE_MS = 30000, FUNCTION_PAIRS = 2 };

struct function_kit {
    cachekit_backend *backend;
    cachekit_keyring *keyring;
    cachekit_cache *cache;
    cachekit_function *f;
    cachekit_codec codec;
    atomic_int loads;
    int load_ms; // how long the loader takes
};

static inline void function_pause_ms(int ms)
{
    const struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
    (void)nanosleep(&time, NULL);
}

static inline cachekit_status function_load(void *context, const cachekit_arg *args, size_t count,
                                            cachekit_result *result, cachekit_error *error)
{
    struct function_kit *kit = context;
    (void)count;
    (void)error;
    atomic_fetch_add(&kit->loads, 1);
    if (kit->load_ms > 0) {
        function_pause_ms(kit->load_ms);
    }
    cachekit_value *tree = malloc((1 + 2 * FUNCTION_PAIRS) * sizeof *tree);
    cr_assert(tree != NULL);
    tree[0] = cachekit_value_map(tree + 1, FUNCTION_PAIRS);
    tree[1] = cachekit_value_text("id");
    tree[2] = cachekit_value_i64(args[0].as.i64);
    tree[3] = cachekit_value_text("name");
    tree[4] = cachekit_value_text("alice, alice, alice, alice, alice, alice, alice");
    *result = (cachekit_result){tree, (1 + 2 * FUNCTION_PAIRS) * sizeof *tree};
    if (kit->codec == CACHEKIT_CODEC_BYTES) { // the number, and a NUL and a line end for Redis
        char *bytes = (char *)tree;
        result->size_bytes = (size_t)snprintf(bytes, 64, "%lld\r\n", (long long)args[0].as.i64) + 1;
    }
    return CACHEKIT_OK;
}

static inline void function_destroy(void *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    free(object);
}

// Another cache over the same backend: what a process that has just begun would have.
static inline void function_open_cache(struct function_kit *kit,
                                       const cachekit_function_options *given)
{
    cachekit_error error = {.text = "?"};
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_function_options function = *given;
    options.backend = kit->backend;
    options.keyring = kit->keyring;
    options.name_space = "users";
    cr_assert(cachekit_cache_new(&options, &kit->cache, NULL) == CACHEKIT_OK);
    function.maintain_every_ms = 0;
    function.destroy = function_destroy;
    function.deadline_ms = given->deadline_ms != 0 ? given->deadline_ms : FUNCTION_PATIENCE_MS;
    kit->codec = function.codec;
    cr_assert(cachekit_function_new(kit->cache, "get_user", function_load, kit, &function, &kit->f,
                                    &error) == CACHEKIT_OK,
              "%s", error.text);
}

static inline void function_open(struct function_kit *kit, const char *url,
                                 const cachekit_function_options *function)
{
    static const cachekit_redis_backend_options brisk = {.backoff_first_ms = 1,
                                                         .backoff_max_ms = 1};
    cachekit_keyring_options ring = CACHEKIT_KEYRING_OPTIONS_INIT;
    memset(kit, 0, sizeof *kit);
    ring.master_key = FUNCTION_MASTER;
    ring.allow_unlocked = true;
    cr_assert(cachekit_keyring_new(&ring, &kit->keyring, NULL) == CACHEKIT_OK);
    kit->backend = redis_kit_backend(url, &brisk);
    function_open_cache(kit, function);
}

static inline void function_reopen(struct function_kit *kit,
                                   const cachekit_function_options *function)
{
    cr_assert(cachekit_cache_free(kit->cache) == CACHEKIT_OK);
    function_open_cache(kit, function);
}

static inline void function_close(struct function_kit *kit)
{
    cr_assert(cachekit_cache_free(kit->cache) == CACHEKIT_OK);
    cachekit_backend_free(kit->backend);
    cachekit_keyring_free(kit->keyring);
}

static inline bool function_is_right(const struct function_kit *kit, const cachekit_hit *hit,
                                     int64_t number)
{
    char bytes[64];
    if (kit->codec == CACHEKIT_CODEC_BYTES) {
        size_t size = (size_t)snprintf(bytes, sizeof bytes, "%lld\r\n", (long long)number) + 1;
        return hit->size_bytes == size && memcmp(hit->object, bytes, size) == 0;
    }
    const cachekit_value *id = cachekit_value_get(hit->object, "id");
    return id != NULL && id->type == CACHEKIT_INT && id->as.i64 == number;
}

// Calls, demands the right result, and says who answered.
static inline cachekit_layer function_call(struct function_kit *kit, int64_t number)
{
    cachekit_hit hit;
    cachekit_error error = {.text = "?"};
    const cachekit_arg arg = cachekit_i64(number);
    cr_assert(cachekit_call(kit->f, &arg, 1, &hit, &error) == CACHEKIT_OK, "%s", error.text);
    cr_assert(function_is_right(kit, &hit, number), "call %lld got another result",
              (long long)number);
    cachekit_layer layer = hit.layer;
    cachekit_release(&hit);
    return layer;
}

static inline cachekit_info_data function_info(struct function_kit *kit)
{
    cachekit_info_data info;
    cachekit_info(kit->f, &info);
    return info;
}

// The key of a function of the preset production.
static inline void function_key(int64_t number, char *key)
{
    const cachekit_key_auto_parts parts = {"users", "get_user", NULL, false};
    const cachekit_arg arg = cachekit_i64(number);
    cr_assert(cachekit_key_auto(&parts, &arg, 1, NULL, 0, key, NULL) == CACHEKIT_OK);
}

#endif
