// SPDX-License-Identifier: MIT
// A cache with a clock that the test moves, and helpers to call its functions.
#ifndef TESTS_CALL_KIT_H
#define TESTS_CALL_KIT_H

#include <criterion/criterion.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <cachekit/cachekit.h>

enum { KIT_NS_PER_MS = 1000000 };

// 1 under AddressSanitizer, for the few tests that it does not bear.
#if defined(__SANITIZE_ADDRESS__)
#    define KIT_ASAN 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define KIT_ASAN 1
#    endif
#endif
#ifndef KIT_ASAN
#    define KIT_ASAN 0
#endif

struct kit {
    _Atomic int64_t now_ns;
    cachekit_clock clock;
    cachekit_cache *cache;
};

static inline int64_t kit_now(void *context)
{
    return atomic_load((_Atomic int64_t *)context);
}

static inline void kit_open(struct kit *kit, const cachekit_allocator *allocator)
{
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    atomic_init(&kit->now_ns, KIT_NS_PER_MS);
    kit->clock = (cachekit_clock){kit_now, &kit->now_ns};
    options.clock = &kit->clock;
    options.allocator = allocator;
    cr_assert(cachekit_cache_new(&options, &kit->cache, NULL) == CACHEKIT_OK);
}

static inline cachekit_function *kit_function(struct kit *kit, cachekit_loader loader,
                                              void *context,
                                              const cachekit_function_options *options)
{
    cachekit_function *f = NULL;
    cr_assert(cachekit_function_new(kit->cache, "f", loader, context, options, &f, NULL) ==
              CACHEKIT_OK);
    return f;
}

static inline void kit_close(struct kit *kit)
{
    cr_assert(cachekit_cache_free(kit->cache) == CACHEKIT_OK);
}

static inline void kit_advance(struct kit *kit, int64_t ms)
{
    atomic_fetch_add(&kit->now_ns, ms * KIT_NS_PER_MS);
}

// One call with one number, released at once: the object as a number, or -1 on failure.
static inline intptr_t kit_call(cachekit_function *f, int64_t number, cachekit_layer *layer)
{
    cachekit_hit hit;
    cachekit_arg arg = cachekit_i64(number);
    if (cachekit_call(f, &arg, 1, &hit, NULL) != CACHEKIT_OK) {
        return -1;
    }
    if (layer != NULL) {
        *layer = hit.layer;
    }
    intptr_t object = (intptr_t)hit.object;
    cachekit_release(&hit);
    return object;
}

static inline void kit_sleep_ms(long ms)
{
    (void)nanosleep(&(struct timespec){ms / 1000, ms % 1000 * KIT_NS_PER_MS}, NULL);
}

// Waits for what another thread is about to do; a minute is for machines that are stuck.
#define KIT_WAIT(condition)                                                                        \
    do {                                                                                           \
        for (int kit_tries = 0; kit_tries < 60000 && !(condition); kit_tries++) {                  \
            kit_sleep_ms(1);                                                                       \
        }                                                                                          \
        cr_assert(condition, "waited in vain");                                                    \
    } while (0)

#endif
