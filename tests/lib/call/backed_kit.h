// SPDX-License-Identifier: MIT
// A cache over a memory backend that counts and can be told to fail, and a function whose result is
// a small document.
#ifndef TESTS_BACKED_KIT_H
#define TESTS_BACKED_KIT_H

#include <cachekit/backends.h>
#include <cachekit/seal.h>

#include "call_kit.h"
#include "odd_backend.h"

#define BACKED_MASTER "6161616161616161616161616161616161616161616161616161616161616161"

struct backed_kit {
    cachekit_backend *store;
    struct odd_backend odd;
    _Atomic int64_t now_ns;
    cachekit_clock clock;
    cachekit_log log; // of the next cache that is opened
    const char *name_space;
    cachekit_keyring *keyring;
    cachekit_cache *cache;
    cachekit_function *f;
    atomic_int loads, destroyed;
    cachekit_status answer; // of the loader
    void (*while_loading)(void *context);
    void *context;
    cachekit_value pairs[4], document;
    const cachekit_value *result; // of the loader
    size_t size_bytes;
};

static inline cachekit_status backed_load(void *context, const cachekit_arg *args, size_t count,
                                          cachekit_result *result, cachekit_error *error)
{
    struct backed_kit *kit = context;
    (void)args;
    (void)count;
    (void)error;
    atomic_fetch_add(&kit->loads, 1);
    if (kit->while_loading != NULL) {
        kit->while_loading(kit->context);
    }
    result->object = (void *)(uintptr_t)kit->result;
    result->size_bytes = kit->size_bytes;
    return kit->answer;
}

static inline void backed_destroy(void *object, size_t size, void *context)
{
    struct backed_kit *kit = context;
    (void)object;
    (void)size;
    atomic_fetch_add(&kit->destroyed, 1);
}

static inline void backed_document(struct backed_kit *kit)
{
    // In the order that interop and JSON sort them into.
    kit->pairs[0] = cachekit_value_text("age");
    kit->pairs[1] = cachekit_value_i64(30);
    kit->pairs[2] = cachekit_value_text("name");
    kit->pairs[3] = cachekit_value_text("alice, alice, alice, alice, alice, alice, alice, alice");
    kit->document = cachekit_value_map(kit->pairs, 2);
    kit->result = &kit->document;
    kit->size_bytes = sizeof kit->pairs;
}

// A cache over the store that is there, as another process would have it.
static inline void backed_open_cache(struct backed_kit *kit, const cachekit_allocator *allocator)
{
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    options.allocator = allocator;
    options.backend = &kit->odd.base;
    options.keyring = kit->keyring;
    options.name_space = kit->name_space != NULL ? kit->name_space : "users";
    options.clock = &kit->clock;
    options.bytes_clock = &kit->clock;
    options.log = kit->log;
    options.log_context = kit;
    cr_assert(cachekit_cache_new(&options, &kit->cache, NULL) == CACHEKIT_OK);
}

static inline void backed_open_function(struct backed_kit *kit,
                                        const cachekit_function_options *given)
{
    cachekit_error error = {0};
    cachekit_function_options options = given != NULL ? *given : cachekit_preset_production();
    options.maintain_every_ms = 0;
    options.destroy = backed_destroy;
    options.destroy_context = kit;
    cachekit_status status =
        cachekit_function_new(kit->cache, "get_user", backed_load, kit, &options, &kit->f, &error);
    cr_assert(status == CACHEKIT_OK, "%s", error.text);
}

static inline void backed_open(struct backed_kit *kit, const cachekit_function_options *options)
{
    cachekit_keyring_options ring = CACHEKIT_KEYRING_OPTIONS_INIT;
    memset(kit, 0, sizeof *kit);
    ring.master_key = BACKED_MASTER;
    ring.allow_unlocked = true;
    cr_assert(cachekit_keyring_new(&ring, &kit->keyring, NULL) == CACHEKIT_OK);
    cr_assert(cachekit_memory_backend_new(NULL, &kit->store, NULL) == CACHEKIT_OK);
    odd_init(&kit->odd, kit->store);
    atomic_init(&kit->now_ns, KIT_NS_PER_MS);
    kit->clock = (cachekit_clock){kit_now, &kit->now_ns};
    backed_document(kit);
    backed_open_cache(kit, NULL);
    backed_open_function(kit, options);
}

// A new process, as far as memory goes.
static inline void backed_reopen(struct backed_kit *kit, const cachekit_function_options *options)
{
    cr_assert(cachekit_cache_free(kit->cache) == CACHEKIT_OK);
    backed_open_cache(kit, NULL);
    backed_open_function(kit, options);
}

static inline void backed_close(struct backed_kit *kit)
{
    cr_assert(cachekit_cache_free(kit->cache) == CACHEKIT_OK);
    cachekit_backend_free(kit->store);
    cachekit_keyring_free(kit->keyring);
}

static inline cachekit_status backed_call(struct backed_kit *kit, int64_t number, cachekit_hit *hit)
{
    cachekit_arg arg = cachekit_i64(number);
    return cachekit_call(kit->f, &arg, 1, hit, NULL);
}

// Calls, compares with the document and releases: who answered, or 0 for a failure.
static inline int backed_layer(struct backed_kit *kit, int64_t number)
{
    cachekit_hit hit;
    if (backed_call(kit, number, &hit) != CACHEKIT_OK) {
        return 0;
    }
    cr_assert(cachekit_value_equal(hit.object, &kit->document));
    cachekit_layer layer = hit.layer;
    cachekit_release(&hit);
    return (int)layer;
}

static inline cachekit_info_data backed_info(struct backed_kit *kit)
{
    cachekit_info_data info;
    cachekit_info(kit->f, &info);
    return info;
}

// What lies in the store under the call's key, for good or bad.
static inline cachekit_slice backed_key(const struct backed_kit *kit, bool interop, int64_t number,
                                        char *text)
{
    const cachekit_key_auto_parts parts = {"users", "get_user", NULL, false};
    cachekit_arg arg = cachekit_i64(number);
    (void)kit;
    cr_assert(interop ? cachekit_key_interop("users", "get_user", &arg, 1, text, NULL) == 0
                      : cachekit_key_auto(&parts, &arg, 1, NULL, 0, text, NULL) == 0);
    return (cachekit_slice){(const uint8_t *)text, strlen(text)};
}

static inline cachekit_status backed_stored(struct backed_kit *kit, cachekit_slice key,
                                            cachekit_buffer *value)
{
    return kit->store->ops->get(kit->store, key, cachekit_deadline_ns(1000), value, NULL);
}

static inline void backed_plant(struct backed_kit *kit, cachekit_slice key, cachekit_slice value)
{
    cr_assert(kit->store->ops->set(kit->store, key, value, 60000, cachekit_deadline_ns(1000),
                                   NULL) == CACHEKIT_OK);
}

// To every question.
static inline void backed_answer(struct backed_kit *kit, cachekit_status status)
{
    for (int i = 0; i < ODD_QUESTIONS; i++) {
        atomic_store(&kit->odd.answers[i], status);
    }
}

static inline cachekit_status backed_invalidate(struct backed_kit *kit, int64_t number)
{
    cachekit_arg arg = cachekit_i64(number);
    return cachekit_invalidate(kit->f, &arg, 1);
}

#endif
