// SPDX-License-Identifier: MIT
// Recomputation within the life of an entry: when it begins, what it may replace, how it fails.
#include "call_kit.h"

#include <string.h>

#include "call/cache.h"

enum { TTL_MS = 1000, RETRY_MS = 100, MANY = 40 };

static struct {
    struct kit kit;
    cachekit_function *f;
    atomic_int loads, destroyed;
    atomic_bool hold, refuse, leave;
} t;

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)error;
    int load = atomic_fetch_add(&t.loads, 1);
    while (atomic_load(&t.hold)) {
        kit_sleep_ms(1);
    }
    if (atomic_load(&t.refuse)) {
        return CACHEKIT_E_VALUE;
    }
    if (atomic_exchange(&t.leave, false)) {
        pthread_exit(NULL);
    }
    cr_assert(count == 2 && args[1].len == 5 && memcmp(args[1].as.data, "\0text", 5) == 0);
    result->object = (void *)(intptr_t)(load + 1);
    result->size_bytes = 8;
    return CACHEKIT_OK;
}

static void count_destroyed(void *object, size_t size, void *context)
{
    (void)object;
    (void)size;
    (void)context;
    atomic_fetch_add(&t.destroyed, 1);
}

static void open_all(void)
{
    cachekit_function_options options = cachekit_preset_minimal();
    memset(&t, 0, sizeof t);
    kit_open(&t.kit, NULL);
    options.ttl_ms = TTL_MS;
    options.refresh_ratio = 0.5;
    options.refresh_retry_ms = RETRY_MS;
    options.destroy = count_destroyed;
    t.f = kit_function(&t.kit, load, NULL, &options);
}

static intptr_t call(int64_t number)
{
    cachekit_hit hit;
    cachekit_arg args[] = {cachekit_i64(number), cachekit_str_len("\0text", 5)};
    cr_assert(cachekit_call(t.f, args, 2, &hit, NULL) == CACHEKIT_OK);
    intptr_t object = (intptr_t)hit.object;
    cachekit_release(&hit);
    return object;
}

static void settle(void)
{
    KIT_WAIT(atomic_load(&t.f->refreshing) == 0);
}

Test(refresh, begins_between_nine_and_eleven_tenths_of_the_ratio)
{
    open_all();
    cr_assert(call(1) == 1);
    kit_advance(&t.kit, 449);
    cr_assert(call(1) == 1);
    settle();
    cr_assert(atomic_load(&t.loads) == 1);
    kit_advance(&t.kit, 102);
    cr_assert(call(1) == 1); // served as ever
    settle();
    cr_assert(call(1) == 2 && atomic_load(&t.loads) == 2);
    // Its life began anew.
    kit_advance(&t.kit, TTL_MS - 552);
    cr_assert(call(1) == 2);
    kit_close(&t.kit);
}

Test(refresh, draws_its_point_at_every_read)
{
    int at_middle = 0;
    open_all();
    for (int64_t i = 0; i < MANY; i++) {
        (void)call(i);
    }
    kit_advance(&t.kit, 500);
    for (int64_t i = 0; i < MANY; i++) {
        int before = atomic_load(&t.loads);
        (void)call(i);
        settle();
        at_middle += atomic_load(&t.loads) - before;
    }
    // Half of them on average; none or all once in 2^39 runs.
    cr_assert(at_middle > 0 && at_middle < MANY);
    kit_close(&t.kit);
}

Test(refresh, of_one_entry_runs_once_at_a_time)
{
    open_all();
    (void)call(1);
    kit_advance(&t.kit, 600);
    atomic_store(&t.hold, true);
    for (int i = 0; i < MANY; i++) {
        cr_assert(call(1) == 1);
    }
    KIT_WAIT(atomic_load(&t.loads) == 2);
    cr_assert(atomic_load(&t.f->refreshing) == 1);
    atomic_store(&t.hold, false);
    settle();
    cr_assert(atomic_load(&t.loads) == 2);
    kit_close(&t.kit);
}

Test(refresh, that_fails_leaves_the_entry_and_waits)
{
    cachekit_info_data info;
    open_all();
    (void)call(1);
    kit_advance(&t.kit, 600);
    atomic_store(&t.refuse, true);
    cr_assert(call(1) == 1);
    settle();
    cr_assert(call(1) == 1);
    settle();
    cr_assert(atomic_load(&t.loads) == 2);
    kit_advance(&t.kit, RETRY_MS - 1);
    (void)call(1);
    settle();
    cr_assert(atomic_load(&t.loads) == 2);
    kit_advance(&t.kit, 1);
    (void)call(1);
    settle();
    cachekit_info(t.f, &info);
    cr_assert(atomic_load(&t.loads) == 3 && info.refresh_failures == 2 && info.refreshes == 0);
    atomic_store(&t.refuse, false);
    kit_advance(&t.kit, TTL_MS - 600 - RETRY_MS);
    cr_assert(call(1) == 4); // its end came
    kit_close(&t.kit);
}

Test(refresh, does_not_bring_back_what_was_invalidated)
{
    cachekit_arg args[] = {cachekit_i64(1), cachekit_str_len("\0text", 5)};
    for (int all = 0; all < 2; all++) {
        open_all();
        (void)call(1);
        kit_advance(&t.kit, 600);
        atomic_store(&t.hold, true);
        (void)call(1);
        KIT_WAIT(atomic_load(&t.loads) == 2);
        if (all != 0) {
            cachekit_invalidate_all(t.f);
        } else {
            cr_assert(cachekit_invalidate(t.f, args, 2) == CACHEKIT_OK);
        }
        atomic_store(&t.hold, false);
        settle();
        cr_assert(atomic_load(&t.destroyed) == 2);
        cr_assert(call(1) == 3);
        kit_close(&t.kit);
    }
}

Test(refresh, does_not_replace_what_is_newer)
{
    open_all();
    (void)call(1);
    kit_advance(&t.kit, 600);
    atomic_store(&t.hold, true);
    (void)call(1);
    KIT_WAIT(atomic_load(&t.loads) == 2);
    kit_advance(&t.kit, TTL_MS);
    struct cki_memory *memory = &t.f->memory;
    struct cki_entry *old = memory->eldest;
    struct cki_key key = cki_entry_key(old);
    struct cki_entry *newer = cki_entry_new(NULL, &key);
    newer->object = (void *)(intptr_t)77;
    const struct cki_store store = {newer, CKI_FOREVER, CKI_FOREVER, 0, NULL};
    cr_assert(cki_memory_put(memory, &store, NULL) == CKI_STORED);
    atomic_store(&t.hold, false);
    settle();
    cr_assert(call(1) == 77);
    kit_close(&t.kit);
}

Test(refresh, runs_at_most_32_of_a_function_and_serves_the_others)
{
    open_all();
    for (int64_t i = 0; i < MANY; i++) {
        (void)call(i);
    }
    kit_advance(&t.kit, 600);
    atomic_store(&t.hold, true);
    for (int64_t i = 0; i < MANY; i++) {
        cr_assert(call(i) == i + 1);
    }
    cr_assert(atomic_load(&t.f->refreshing) == CKI_REFRESHES_MAX);
    atomic_store(&t.hold, false);
    settle();
    cr_assert(atomic_load(&t.loads) == MANY + CKI_REFRESHES_MAX);
    for (int64_t i = 0; i < MANY; i++) {
        (void)call(i);
        settle();
    }
    cr_assert(atomic_load(&t.loads) == 2 * MANY);
    kit_close(&t.kit);
}

Test(refresh, survives_loaders_that_end_their_thread)
{
    open_all();
    for (int64_t i = 0; i < 2 * CKI_REFRESH_THREADS; i++) {
        intptr_t object = call(i);
        kit_advance(&t.kit, 600);
        atomic_store(&t.leave, true);
        cr_assert(call(i) == object);
        settle();
        cr_assert(!atomic_load(&t.leave) && call(i) == object);
    }
    intptr_t object = call(99);
    kit_advance(&t.kit, 600);
    cr_assert(call(99) == object);
    settle();
    cr_assert(call(99) == object + 1);
    kit_close(&t.kit);
}

Test(refresh, is_claimed_by_one_reader)
{
    open_all();
    (void)call(1);
    struct cki_memory *memory = &t.f->memory;
    struct cki_key key = cki_entry_key(memory->eldest);
    uint64_t generation = memory->eldest->generation;
    int64_t later = atomic_load(&t.kit.now_ns) + (int64_t)500 * KIT_NS_PER_MS;
    cr_assert(!cki_memory_claim_due(memory, &key, generation, later - 60 * KIT_NS_PER_MS));
    cr_assert(!cki_memory_claim_due(memory, &key, generation + 1, later));
    cr_assert(cki_memory_claim_due(memory, &key, generation, later));
    cr_assert(!cki_memory_claim_due(memory, &key, generation, later));
    kit_close(&t.kit);
}

static void *release_the_hold(void *arg)
{
    (void)arg;
    kit_sleep_ms(20);
    atomic_store(&t.hold, false);
    return NULL;
}

Test(refresh, is_waited_for_when_the_cache_is_freed)
{
    pthread_t other;
    open_all();
    for (int64_t i = 0; i < 10; i++) {
        (void)call(i);
    }
    kit_advance(&t.kit, 600);
    atomic_store(&t.hold, true);
    for (int64_t i = 0; i < 10; i++) {
        (void)call(i);
    }
    KIT_WAIT(atomic_load(&t.loads) > 10);
    cr_assert(pthread_create(&other, NULL, release_the_hold, NULL) == 0);
    kit_close(&t.kit);
    (void)pthread_join(other, NULL);
    cr_assert(atomic_load(&t.destroyed) == atomic_load(&t.loads));
}
