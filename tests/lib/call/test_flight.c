// SPDX-License-Identifier: MIT
// One computation per key, however many ask: results, failures, recursion, circles, invalidations
// in between, and loaders that end their thread.
#include "call_kit.h"

#include <string.h>

#include "call/cache.h"

enum { WAITERS = 12, DEEP = 2000 };

static struct {
    struct kit kit;
    cachekit_function *f, *g;
    atomic_int loads, entered, destroyed;
    atomic_bool go;
    cachekit_status status;
} t;

// In these tests every computation waits until it is told to go on.
static cachekit_status load_slowly(void *context, const cachekit_arg *args, size_t count,
                                   cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)count;
    int load = atomic_fetch_add(&t.loads, 1);
    atomic_fetch_add(&t.entered, 1);
    while (!atomic_load(&t.go)) {
        kit_sleep_ms(1);
    }
    if (t.status != CACHEKIT_OK) {
        error->status = t.status;
        error->foreign = 4711;
        return t.status;
    }
    result->object = (void *)(intptr_t)(args[0].as.i64 * 100 + load);
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

static void open_with(cachekit_loader loader)
{
    cachekit_function_options options = cachekit_preset_minimal();
    options.destroy = count_destroyed;
    memset(&t, 0, sizeof t);
    kit_open(&t.kit, NULL);
    t.f = kit_function(&t.kit, loader, NULL, &options);
}

// How many wait for the flights of f.
static uint32_t waiting(void)
{
    uint32_t count = 0;
    (void)pthread_mutex_lock(&t.f->flights.lock);
    for (int i = 0; i < CKI_FLIGHT_BUCKETS; i++) {
        for (struct cki_flight *flight = t.f->flights.buckets[i]; flight != NULL;
             flight = flight->next) {
            count += flight->waiters;
        }
    }
    (void)pthread_mutex_unlock(&t.f->flights.lock);
    return count;
}

struct caller {
    pthread_t id;
    cachekit_status status;
    cachekit_error error;
    intptr_t object;
    cachekit_layer layer;
};

static void *call_seven(void *arg)
{
    struct caller *caller = arg;
    cachekit_hit hit;
    cachekit_arg number = cachekit_i64(7);
    caller->status = cachekit_call(t.f, &number, 1, &hit, &caller->error);
    if (caller->status == CACHEKIT_OK) {
        caller->object = (intptr_t)hit.object;
        caller->layer = hit.layer;
        cachekit_release(&hit);
    }
    return NULL;
}

static void start(struct caller *caller)
{
    memset(caller, 0, sizeof *caller);
    caller->object = -1;
    cr_assert(pthread_create(&caller->id, NULL, call_seven, caller) == 0);
}

static void start_all(struct caller callers[WAITERS])
{
    for (int i = 0; i < WAITERS; i++) {
        start(&callers[i]);
    }
    KIT_WAIT(waiting() == WAITERS - 1);
}

static void join_all(struct caller callers[WAITERS])
{
    for (int i = 0; i < WAITERS; i++) {
        cr_assert(pthread_join(callers[i].id, NULL) == 0);
    }
}

Test(flight, many_callers_share_one_computation)
{
    struct caller callers[WAITERS];
    cachekit_info_data info;
    int misses = 0;
    open_with(load_slowly);
    start_all(callers);
    atomic_store(&t.go, true);
    join_all(callers);
    for (int i = 0; i < WAITERS; i++) {
        cr_assert(callers[i].status == CACHEKIT_OK && callers[i].object == 700);
        misses += callers[i].layer == CACHEKIT_LAYER_MISS;
    }
    cachekit_info(t.f, &info);
    cr_assert(misses == 1 && atomic_load(&t.loads) == 1);
    cr_assert(info.misses == 1 && info.hits == WAITERS - 1);
    cr_assert(atomic_load(&t.destroyed) == 0);
    kit_close(&t.kit);
    cr_assert(atomic_load(&t.destroyed) == 1);
}

Test(flight, a_failure_is_everybodys_and_nobodys_later)
{
    struct caller callers[WAITERS];
    cachekit_info_data info;
    open_with(load_slowly);
    t.status = CACHEKIT_E_VALUE;
    start_all(callers);
    atomic_store(&t.go, true);
    join_all(callers);
    for (int i = 0; i < WAITERS; i++) {
        cr_assert(callers[i].status == CACHEKIT_E_VALUE && callers[i].error.foreign == 4711);
        cr_assert(callers[i].error.status == CACHEKIT_E_VALUE);
    }
    cr_assert(atomic_load(&t.loads) == 1);
    cachekit_info(t.f, &info);
    cr_assert(info.misses == 1 && info.hits == 0 && info.entries == 0);
    t.status = CACHEKIT_OK;
    cr_assert(kit_call(t.f, 7, NULL) == 701);
    kit_close(&t.kit);
}

Test(flight, an_overtaken_result_reaches_those_who_wait_and_no_one_later)
{
    struct caller early[2], late;
    cachekit_layer layer;
    cachekit_arg number = cachekit_i64(7);
    open_with(load_slowly);
    start(&early[0]);
    KIT_WAIT(atomic_load(&t.entered) == 1);
    start(&early[1]);
    KIT_WAIT(waiting() == 1);
    cr_assert(cachekit_invalidate(t.f, &number, 1) == CACHEKIT_MISS);
    start(&late);
    KIT_WAIT(atomic_load(&t.entered) == 2);
    atomic_store(&t.go, true);
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(early[i].id, NULL);
        cr_assert(early[i].object == 700);
    }
    (void)pthread_join(late.id, NULL);
    cr_assert(late.object == 701 && late.layer == CACHEKIT_LAYER_MISS);
    cr_assert(kit_call(t.f, 7, &layer) == 701 && layer == CACHEKIT_LAYER_L1);
    kit_close(&t.kit);
    cr_assert(atomic_load(&t.destroyed) == 2);
}

// Calls itself once with the same argument, then perhaps has everything invalidated.
static cachekit_status load_again(void *context, const cachekit_arg *args, size_t count,
                                  cachekit_result *result, cachekit_error *error)
{
    static _Thread_local int depth;
    cachekit_hit hit;
    (void)context;
    (void)error;
    int load = atomic_fetch_add(&t.loads, 1);
    if (depth++ == 0) {
        cr_assert(cachekit_call(t.f, args, count, &hit, NULL) == CACHEKIT_OK);
        cr_assert((intptr_t)hit.object == 1001 && hit.layer == CACHEKIT_LAYER_MISS);
        cachekit_release(&hit);
    } else if (atomic_load(&t.go)) {
        cachekit_invalidate_all(t.f);
    }
    depth--;
    result->object = (void *)(intptr_t)(1000 + load);
    result->size_bytes = 8;
    return CACHEKIT_OK;
}

Test(flight, recursion_on_the_same_key_computes_again)
{
    cachekit_info_data info;
    open_with(load_again);
    cr_assert(kit_call(t.f, 7, NULL) == 1000);
    cr_assert(kit_call(t.f, 7, NULL) == 1000);
    cachekit_info(t.f, &info);
    cr_assert(info.stored == 2 && info.removals[CACHEKIT_REPLACED] == 1 && info.entries == 1);
    kit_close(&t.kit);
}

Test(flight, a_computation_within_a_computation_is_overtaken_too)
{
    cachekit_info_data info;
    open_with(load_again);
    atomic_store(&t.go, true);
    cr_assert(kit_call(t.f, 7, NULL) == 1000);
    cachekit_info(t.f, &info);
    cr_assert(info.stored == 0 && info.entries == 0);
    kit_close(&t.kit);
    cr_assert(atomic_load(&t.destroyed) == 2);
}

static cachekit_status load_deeper(void *context, const cachekit_arg *args, size_t count,
                                   cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)count;
    (void)error;
    int64_t n = args[0].as.i64;
    result->object = (void *)(n == 0 ? 0 : kit_call(t.f, n - 1, NULL) + 1);
    result->size_bytes = 8;
    return CACHEKIT_OK;
}

Test(flight, a_deep_recursion_over_many_keys_ends)
{
    cachekit_info_data info;
    open_with(load_deeper);
    cr_assert(kit_call(t.f, DEEP, NULL) == DEEP);
    cachekit_info(t.f, &info);
    cr_assert(info.misses == DEEP + 1 && info.entries == DEEP + 1);
    kit_close(&t.kit);
}

// f(1) needs g(1) and g(1) needs f(1); each thread begins with one of them.
static cachekit_status load_crosswise(void *context, const cachekit_arg *args, size_t count,
                                      cachekit_result *result, cachekit_error *error)
{
    static _Thread_local int depth;
    cachekit_function *other = context == NULL ? t.g : t.f;
    cachekit_hit hit;
    (void)error;
    atomic_fetch_add(&t.loads, 1);
    if (depth++ < 1) {
        atomic_fetch_add(&t.entered, 1);
        while (atomic_load(&t.entered) < 2) {
            kit_sleep_ms(1);
        }
        cr_assert(cachekit_call(other, args, count, &hit, NULL) == CACHEKIT_OK);
        cachekit_release(&hit);
    }
    depth--;
    result->object = context;
    result->size_bytes = 8;
    return CACHEKIT_OK;
}

static void *call_g(void *arg)
{
    (void)arg;
    (void)kit_call(t.g, 1, NULL);
    return NULL;
}

Test(flight, two_threads_do_not_wait_for_each_other_in_a_circle, .timeout = 120)
{
    for (int i = 0; i < 50; i++) {
        pthread_t other;
        open_with(load_crosswise);
        t.g = kit_function(&t.kit, load_crosswise, &t, NULL);
        cr_assert(pthread_create(&other, NULL, call_g, NULL) == 0);
        cr_assert(kit_call(t.f, 1, NULL) == 0);
        (void)pthread_join(other, NULL);
        cr_assert(atomic_load(&t.loads) == 3);
        kit_close(&t.kit);
    }
}

// The first load does not come back.
static cachekit_status load_or_leave(void *context, const cachekit_arg *args, size_t count,
                                     cachekit_result *result, cachekit_error *error)
{
    bool is_first = atomic_load(&t.loads) == 0;
    if (is_first && context == NULL) {
        atomic_fetch_add(&t.loads, 1);
        KIT_WAIT(waiting() == 1);
        pthread_exit(NULL);
    }
    while (is_first && atomic_load(&t.go) == false) {
        atomic_store(&t.loads, 1);
        kit_sleep_ms(1000); // where it is cancelled
    }
    atomic_store(&t.go, true);
    return load_slowly(context, args, count, result, error);
}

Test(flight, a_loader_that_ends_its_thread_wakes_those_who_wait, .timeout = 120)
{
    struct caller first, second;
    open_with(load_or_leave);
    start(&first);
    KIT_WAIT(atomic_load(&t.loads) == 1);
    start(&second);
    (void)pthread_join(first.id, NULL);
    (void)pthread_join(second.id, NULL);
    cr_assert(first.object == -1 && second.object == 701);
    cr_assert(waiting() == 0);
    kit_close(&t.kit);
}

// gcc's AddressSanitizer takes the frames that a cancelled thread leaves behind for an overflow:
// asan_cancel.c shows it without us.
Test(flight, a_loader_may_be_cancelled_and_a_caller_that_waits_is_not, .timeout = 120,
     .disabled = KIT_ASAN)
{
    struct caller first, second;
    open_with(load_or_leave);
    t.f->context = &t;
    start(&first);
    KIT_WAIT(atomic_load(&t.loads) == 1);
    start(&second);
    KIT_WAIT(waiting() == 1);
    cr_assert(pthread_cancel(second.id) == 0);
    kit_sleep_ms(20);
    cr_assert(waiting() == 1);
    atomic_store(&t.loads, 1);
    cr_assert(pthread_cancel(first.id) == 0);
    (void)pthread_join(first.id, NULL);
    (void)pthread_join(second.id, NULL);
    cr_assert(first.object == -1);
    KIT_WAIT(waiting() == 0);
    atomic_store(&t.go, true);
    cr_assert(kit_call(t.f, 7, NULL) >= 700);
    kit_close(&t.kit);
}

static cachekit_status load_null(void *context, const cachekit_arg *args, size_t count,
                                 cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)args;
    (void)count;
    (void)error;
    (void)result;
    atomic_fetch_add(&t.loads, 1);
    return CACHEKIT_OK;
}

Test(flight, a_null_result_is_kept)
{
    cachekit_layer layer;
    open_with(load_null);
    cr_assert(kit_call(t.f, 7, &layer) == 0 && layer == CACHEKIT_LAYER_MISS);
    cr_assert(kit_call(t.f, 7, &layer) == 0 && layer == CACHEKIT_LAYER_L1);
    cr_assert(atomic_load(&t.loads) == 1);
    kit_close(&t.kit);
    cr_assert(atomic_load(&t.destroyed) == 1);
}
