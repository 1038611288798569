// SPDX-License-Identifier: MIT
// Every allocation of a call fails once, and from then on: the caller still gets its value, nothing
// leaks, nothing is half kept, and the next call works.
#include "call_kit.h"

#include <stdlib.h>
#include <string.h>

#include "call/cache.h"
#include "fault_allocator.h"

enum { BEFORE = 8, SITES_MAX = 20 };

static struct {
    struct fault_allocator allocator;
    struct kit kit;
    cachekit_function *f;
    int loads, destroyed;
} t;

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)args;
    (void)count;
    (void)error;
    result->object = (void *)(intptr_t)(++t.loads);
    result->size_bytes = 8;
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
    fault_allocator_init(&t.allocator);
    kit_open(&t.kit, &t.allocator.hooks);
    options.destroy = count_destroyed;
    t.f = kit_function(&t.kit, load, NULL, &options);
    for (int i = 0; i < BEFORE; i++) { // the next one makes the index grow
        cr_assert(kit_call(t.f, i, NULL) == i + 1);
    }
}

static void close_all(void)
{
    kit_close(&t.kit);
    cr_assert(t.destroyed == t.loads);
    cr_assert(t.allocator.live_blocks == 0 && t.allocator.live_bytes == 0);
}

static bool arm(int n, int on)
{
    t.allocator.fail_at = t.allocator.calls + n;
    t.allocator.fail_on = on != 0;
    return true;
}

static bool disarm(void)
{
    bool fired = t.allocator.calls > t.allocator.fail_at;
    t.allocator.fail_at = INT_MAX;
    t.allocator.fail_on = false;
    return fired;
}

static void check_whole(void)
{
    cr_assert(cki_memory_is_valid(&t.f->memory));
    for (int i = 0; i < BEFORE; i++) {
        cr_assert(kit_call(t.f, i, NULL) == i + 1);
    }
}

// A call that misses, its value held over the end of the failures.
static bool miss_without_memory(const cachekit_arg *args, size_t count, int n, int on,
                                bool needs_key)
{
    cachekit_hit hit;
    open_all();
    arm(n, on);
    cachekit_status status = cachekit_call(t.f, args, count, &hit, NULL);
    bool fired = disarm();
    if (status == CACHEKIT_OK) {
        cr_assert((intptr_t)hit.object == BEFORE + 1 && hit.layer == CACHEKIT_LAYER_MISS);
        cr_assert(t.destroyed == 0);
        if (fired) {
            cachekit_info_data info;
            cachekit_info(t.f, &info);
            cr_assert(info.unstored == 1 && info.entries == BEFORE);
            cr_assert(cachekit_cache_free(t.kit.cache) == CACHEKIT_E_BUSY);
            cr_assert((intptr_t)hit.object == BEFORE + 1 && t.destroyed == BEFORE);
            cachekit_release(&hit);
            cachekit_release(&hit);
            close_all();
            return fired;
        }
        cachekit_release(&hit);
    } else {
        cr_assert(needs_key && fired && status == CACHEKIT_E_NOMEM && t.loads == BEFORE);
    }
    check_whole();
    cr_assert(cachekit_call(t.f, args, count, &hit, NULL) == CACHEKIT_OK);
    cr_assert((intptr_t)hit.object == BEFORE + 1);
    cachekit_release(&hit);
    close_all();
    return fired;
}

static int sweep(const cachekit_arg *args, size_t count, bool needs_key)
{
    int sites = 0;
    while (sites < SITES_MAX && miss_without_memory(args, count, sites, 0, needs_key)) {
        (void)miss_without_memory(args, count, sites, 1, needs_key);
        sites++;
    }
    return sites;
}

Test(call_memory, a_miss_of_scalars_needs_no_memory)
{
    cachekit_arg args[] = {cachekit_i64(99), cachekit_str("text")};
    cr_assert(sweep(args, 2, false) == 2); // entry, index
}

Test(call_memory, a_miss_of_a_long_key_needs_memory_for_that)
{
    static char text[300];
    memset(text, 'x', sizeof text);
    cachekit_arg args[] = {cachekit_str_len(text, sizeof text)};
    cr_assert(sweep(args, 1, true) >= 3);
}

Test(call_memory, making_a_cache_and_a_function_fails_whole)
{
    int sites = 0;
    for (bool fired = true; fired; sites++) {
        cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
        cachekit_cache *cache;
        cachekit_function *f = NULL;
        fault_allocator_init(&t.allocator);
        options.allocator = &t.allocator.hooks;
        arm(sites, 0);
        cachekit_status status = cachekit_cache_new(&options, &cache, NULL);
        if (status == CACHEKIT_OK) {
            status = cachekit_function_new(cache, "f", load, NULL, NULL, &f, NULL);
        }
        fired = disarm();
        cr_assert(status == (fired ? CACHEKIT_E_NOMEM : CACHEKIT_OK) && (f != NULL) == !fired);
        cr_assert(cachekit_cache_free(cache) == CACHEKIT_OK);
        cr_assert(t.allocator.live_blocks == 0);
    }
    cr_assert(sites == 3);
}

Test(call_memory, a_put_hands_its_object_over_whatever_happens)
{
    for (int n = 0, fired = 1; fired; n++) {
        open_all();
        cachekit_slice key = {(const uint8_t *)"key", 3};
        arm(n, n % 2);
        cachekit_status status = cachekit_put(t.kit.cache, key, &t, 1, count_destroyed, NULL, 1000);
        fired = disarm();
        cr_assert(status == (fired ? CACHEKIT_E_NOMEM : CACHEKIT_OK) && t.destroyed == fired);
        t.destroyed -= 1; // the object of the put
        if (!fired) {
            kit_close(&t.kit);
            cr_assert(t.destroyed == t.loads && n == 4); // entry, index, two orders
        } else {
            close_all();
        }
    }
}

Test(call_memory, a_refresh_without_memory_is_left_out)
{
    cachekit_function_options options = cachekit_preset_minimal();
    open_all();
    options.refresh_ratio = 0.5;
    options.refresh_retry_ms = 1;
    options.destroy = count_destroyed;
    cachekit_function *f = kit_function(&t.kit, load, NULL, &options);
    cr_assert(kit_call(f, 1, NULL) == BEFORE + 1);
    kit_advance(&t.kit, 200000);
    arm(0, 1);
    for (int i = 0; i < 3; i++) {
        cr_assert(kit_call(f, 1, NULL) == BEFORE + 1);
    }
    KIT_WAIT(atomic_load(&f->refreshing) == 0);
    cr_assert(disarm());
    kit_advance(&t.kit, 10);
    cr_assert(kit_call(f, 1, NULL) == BEFORE + 1);
    KIT_WAIT(atomic_load(&f->refreshing) == 0);
    cr_assert(kit_call(f, 1, NULL) == BEFORE + 2);
    close_all();
}

Test(call_memory, hits_and_removals_allocate_nothing)
{
    cachekit_hit hits[12];
    cachekit_arg arg = cachekit_i64(3);
    open_all();
    int calls = t.allocator.calls;
    for (int i = 0; i < 12; i++) {
        cr_assert(cachekit_call(t.f, &arg, 1, &hits[i], NULL) == CACHEKIT_OK);
    }
    cr_assert(cachekit_invalidate(t.f, &arg, 1) == CACHEKIT_OK);
    kit_advance(&t.kit, 300000);
    cr_assert(cachekit_maintain(t.kit.cache, 0) == BEFORE - 1);
    cachekit_invalidate_all(t.f);
    for (int i = 0; i < 12; i++) {
        cachekit_release(&hits[i]);
    }
    cr_assert(t.allocator.calls == calls);
    close_all();
}
