// SPDX-License-Identifier: MIT
// The slow way of a call: look under the lock, join a flight, compute, keep the result for whoever
// waits. The hit without a lock is in call.c.
#include "call/cache.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/yield.h"
#include "call/args.h"
#include "call/fork.h"
#include "call/long_key.h"

// A call on its slow way.
struct call {
    cachekit_function *function;
    struct cki_args args;
    struct cki_key key;
    uint8_t packed[CKI_ARGS_PACKED_MAX];
    cachekit_buffer long_key; // for keys that are not packed scalars
    cachekit_hit *hit;
    cachekit_error *error;
    int cancel_state; // the caller's
};

// A forked child neither destroys nor counts what its parent was handed.
static void release_loose(cachekit_hit *hit, uintptr_t grip)
{
    cachekit_function *f = hit->owner;
    if (grip >> CKI_GRIP_SHIFT != cki_forks()) {
        return;
    }
    if (f->destroy != NULL) {
        f->destroy((void *)(uintptr_t)hit->object, hit->size_bytes, f->destroy_context);
    }
    atomic_fetch_sub(&f->loose, 1);
}

void cki_release_slowly(cachekit_hit *hit)
{
    uintptr_t grip = hit->grip;
    hit->grip = 0;
    cki_fork_check();
    if ((grip & CKI_GRIP_TAGS) == CKI_GRIP_HOLD) {
        cki_memory_unhold(hit->owner, (struct cki_entry *)(grip & ~(uintptr_t)CKI_GRIP_TAGS));
    } else {
        release_loose(hit, grip);
    }
    hit->object = NULL;
}

void cki_hit_kept(cachekit_hit *hit, struct cki_memory *memory, struct cki_entry *entry,
                  const struct cki_grip *grip, cachekit_layer layer)
{
    if (grip != NULL && grip->pin != NULL) {
        cki_hit_pinned(hit, entry, grip->pin, layer);
        return;
    }
    hit->object = entry->object;
    hit->size_bytes = entry->object_size;
    hit->layer = layer;
    hit->grip = (uintptr_t)entry | CKI_GRIP_HOLD;
    hit->owner = memory;
}

struct cki_cell *cki_cell_for(const struct cki_memory *memory)
{
    struct cki_cell *cell = cki_cell;
    if (memory->number >= cell->counter_room) {
        cell = cki_cell_ready(memory->number);
    }
    return cell;
}

void cki_tell(void *context, const struct cki_entry *entry)
{
    const struct cki_listener *listener = context;
    listener->removed(listener->context, entry->object, entry->object_size,
                      (cachekit_cause)entry->cause);
}

// What has to be undone when the loader never returns.
struct loading {
    struct call *call;
    struct cki_entry *entry; // NULL: no memory, then nothing can be kept
    struct cki_flight *flight;
};

static void free_entry(const cachekit_function *f, struct cki_entry *entry)
{
    if (entry != NULL) {
        cki_free(f->memory.options.allocator, entry, cki_entry_bytes(entry));
    }
}

static void abandon(void *arg)
{
    struct loading *loading = arg;
    free_entry(loading->call->function, loading->entry);
    cki_flight_settle(&loading->call->function->flights, loading->flight, CKI_ABANDONED);
    cachekit_buffer_release(&loading->call->long_key);
}

// The loader alone may be cancelled; everything around it runs to its end.
static cachekit_status load(struct loading *loading, cachekit_result *result, cachekit_error *error)
{
    const struct call *call = loading->call;
    cachekit_function *f = call->function;
    cachekit_status status = CACHEKIT_E_INVALID;
    int ignored;
    pthread_cleanup_push(abandon, loading);
    (void)pthread_setcancelstate(call->cancel_state, &ignored);
    status = f->loader(f->context, call->args.args, call->args.count, result, error);
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &ignored);
    pthread_cleanup_pop(0);
    if (status != CACHEKIT_OK && error->status == CACHEKIT_OK) {
        error->status = status;
    }
    return status;
}

static void fill_entry(const cachekit_function *f, struct cki_entry *entry,
                       const cachekit_result *result)
{
    entry->object = result->object;
    entry->object_size = result->size_bytes;
    entry->destroy = f->destroy;
    entry->destroy_context = f->destroy_context;
}

// Stores the result, or keeps it aside for those who wait. Everybody who gets it has a pin or hold.
static void keep(struct loading *loading)
{
    struct call *call = loading->call;
    cachekit_function *f = call->function;
    struct cki_entry *entry = loading->entry;
    const struct cki_store store = {
        .entry = entry,
        .ttl_ns = f->ttl_ns,
        .due_ns = cki_key_is_scalars(&call->key) ? f->due_ns : CKI_FOREVER,
        .overtaken = &loading->flight->is_overtaken,
    };
    struct cki_grip grip = {cki_cell_for(&f->memory), NULL};
    bool stored = cki_memory_put(&f->memory, &store, &grip) == CKI_STORED;
    CKI_YIELD();
    uint32_t waiters = cki_flight_close(&f->flights, loading->flight);
    CKI_YIELD();
    if (!stored) {
        cki_memory_adopt(&f->memory, entry, 1 + waiters);
    } else if (waiters > 0) {
        cki_memory_hold(&f->memory, entry, waiters);
    }
    cki_hit_kept(call->hit, &f->memory, entry, &grip, CACHEKIT_LAYER_MISS);
}

// Without memory for an entry the caller still gets its result; waiters compute their own.
static void hand_over(struct call *call, const cachekit_result *result)
{
    call->hit->object = result->object;
    call->hit->size_bytes = result->size_bytes;
    call->hit->layer = CACHEKIT_LAYER_MISS;
    call->hit->grip = (uintptr_t)cki_forks() << CKI_GRIP_SHIFT | CKI_GRIP_LOOSE;
    call->hit->owner = call->function;
    atomic_fetch_add(&call->function->loose, 1);
    atomic_fetch_add_explicit(&call->function->unkept, 1, memory_order_relaxed);
}

static cachekit_status compute(struct call *call, struct cki_flight *flight)
{
    cachekit_function *f = call->function;
    struct loading loading = {call, cki_entry_new(f->memory.options.allocator, &call->key), flight};
    cachekit_result result = {NULL, 0};
    cachekit_error failure = {CACHEKIT_OK, 0, 0, ""};
    enum cki_flight_state state = CKI_LANDED;
    atomic_fetch_add_explicit(&f->misses, 1, memory_order_relaxed);
    cachekit_status status = load(&loading, &result, &failure);
    if (status != CACHEKIT_OK) {
        free_entry(f, loading.entry);
        loading.entry = NULL;
        if (call->error != NULL) {
            *call->error = failure;
        }
    } else if (loading.entry == NULL) {
        hand_over(call, &result);
        state = CKI_ABANDONED;
    } else {
        fill_entry(f, loading.entry, &result);
        keep(&loading);
    }
    flight->status = status;
    flight->error = failure;
    flight->entry = loading.entry;
    cki_flight_settle(&f->flights, flight, state);
    return status;
}

static cachekit_status follow(struct call *call, const struct cki_flight *flight)
{
    if (flight->status != CACHEKIT_OK) {
        if (call->error != NULL) {
            *call->error = flight->error;
        }
        return flight->status;
    }
    atomic_fetch_add_explicit(&call->function->slow_hits, 1, memory_order_relaxed);
    cki_hit_kept(call->hit, &call->function->memory, flight->entry, NULL, CACHEKIT_LAYER_L1);
    return CACHEKIT_OK;
}

// Uniform in 0.9 to 1.1, another one at each read.
static double draw(cachekit_function *f)
{
    uint64_t n = atomic_fetch_add_explicit(&f->draws, 1, memory_order_relaxed);
    uint64_t bits = cki_mix(f->seed.a ^ n, 0x9e3779b97f4a7c15U);
    return 0.9 + 0.2 * ((double)(bits >> 11) * 0x1p-53);
}

// A hit past the earliest refresh point: starts one if this read's draw says so.
static void consider_refresh(struct call *call, const struct cki_entry *entry)
{
    cachekit_function *f = call->function;
    int64_t now = cki_memory_now(&f->memory);
    if (f->due_ns == CKI_FOREVER || !cki_key_is_scalars(&call->key) ||
        now < atomic_load(&entry->due_ns)) {
        return;
    }
    double due = (double)f->ttl_ns * f->refresh_ratio * draw(f);
    if ((double)(now - entry->stored_ns) <= due) {
        return;
    }
    if (cki_memory_claim_due(&f->memory, &call->key, entry->generation, now) &&
        !cki_refresh_add(&f->cache->refresh, f, &call->key, entry->generation)) {
        cki_memory_set_due(&f->memory, &call->key, entry->generation, now);
    }
}

// Looks under the lock. True: `hit` is filled.
static bool look(struct call *call)
{
    cachekit_function *f = call->function;
    struct cki_grip grip = {cki_cell_for(&f->memory), NULL};
    struct cki_entry *entry = cki_memory_find(&f->memory, &call->key, &grip);
    if (entry == NULL) {
        return false;
    }
    consider_refresh(call, entry);
    atomic_fetch_add_explicit(&f->slow_hits, 1, memory_order_relaxed);
    cki_hit_kept(call->hit, &f->memory, entry, &grip, CACHEKIT_LAYER_L1);
    return true;
}

// Another flight may have landed between our look and our take-off.
static cachekit_status lead(struct call *call, struct cki_flight *flight)
{
    if (!look(call)) {
        return compute(call, flight);
    }
    cki_flight_settle(&call->function->flights, flight, CKI_ABANDONED);
    return CACHEKIT_OK;
}

static cachekit_status look_or_compute(struct call *call)
{
    struct cki_flight flight;
    if (look(call)) {
        return CACHEKIT_OK;
    }
    CKI_YIELD();
    switch (cki_flight_join(&call->function->flights, &call->key, &flight)) {
    case CKI_LEAD:
        return lead(call, &flight);
    case CKI_ALONE:
        return compute(call, &flight);
    default:
        return follow(call, &flight);
    }
}

static cachekit_status check(const cachekit_arg *args, size_t count, cachekit_error *error)
{
    if (args == NULL && count > 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "arguments are NULL");
    }
    cachekit_status status = CACHEKIT_OK;
    for (size_t i = 0; status == CACHEKIT_OK && i < count; i++) {
        status = cki_arg_check(&args[i], error);
    }
    return status;
}

// The key of a call: packed scalars, or MessagePack when they are too many or too long.
static cachekit_status make_key(struct call *call)
{
    const struct cki_seed *seed = &call->function->seed;
    cachekit_status status = check(call->args.args, call->args.count, call->error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    if (cki_args_hash(&call->args, seed, &call->key.hash)) {
        cki_args_pack(&call->args, call->packed, &call->key);
        return CACHEKIT_OK;
    }
    cachekit_buffer_init(&call->long_key, call->function->memory.options.allocator);
    return cki_long_key(&call->args, seed->a, &call->long_key, &call->key, call->error);
}

cachekit_status cki_call_slowly(cachekit_function *function, const cachekit_arg *args, size_t count,
                                cachekit_hit *hit, cachekit_error *error)
{
    struct call call = {.function = function,
                        .args = {args, count, 0},
                        .long_key = CACHEKIT_BUFFER_INIT,
                        .hit = hit,
                        .error = error};
    if (function == NULL || hit == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "function or hit is NULL");
    }
    cki_hit_clear(hit);
    cki_fork_check();
    cachekit_status status = make_key(&call);
    if (status == CACHEKIT_OK) {
        int ignored;
        (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &call.cancel_state);
        status = look_or_compute(&call);
        (void)pthread_setcancelstate(call.cancel_state, &ignored);
    }
    cachekit_buffer_release(&call.long_key);
    return status;
}

cachekit_status cachekit_invalidate(cachekit_function *function, const cachekit_arg *args,
                                    size_t count)
{
    struct call call = {
        .function = function, .args = {args, count, 0}, .long_key = CACHEKIT_BUFFER_INIT};
    if (function == NULL) {
        return CACHEKIT_E_INVALID;
    }
    cki_fork_check();
    cachekit_status status = make_key(&call);
    if (status == CACHEKIT_OK) {
        cki_flights_overtake(&function->flights, &call.key);
        CKI_YIELD();
        status = cki_memory_remove(&function->memory, &call.key) ? CACHEKIT_OK : CACHEKIT_MISS;
    }
    cachekit_buffer_release(&call.long_key);
    return status;
}

cachekit_status cachekit_invalidate_all(cachekit_function *function)
{
    if (function == NULL) {
        return CACHEKIT_E_INVALID;
    }
    cki_fork_check();
    cki_flights_overtake(&function->flights, NULL);
    CKI_YIELD();
    (void)cki_memory_clear(&function->memory, CKI_INVALIDATED);
    return CACHEKIT_OK;
}

void cachekit_info(cachekit_function *function, cachekit_info_data *out)
{
    cki_fork_check();
    cki_info_fill(&function->memory, out);
    out->unstored += atomic_load(&function->unkept);
    out->hits += atomic_load(&function->slow_hits);
    out->misses = atomic_load(&function->misses);
    out->refreshes = atomic_load(&function->refreshes);
    out->refresh_failures = atomic_load(&function->refresh_failures);
}
