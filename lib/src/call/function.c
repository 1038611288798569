// SPDX-License-Identifier: MIT
// The cached function. The short way of a hit is in cachekit_call() alone; whatever is not a plain
// hit goes through look(), then join a flight, then compute.
#include "call/cache.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/status.h"
#include "call/args.h"
#include "call/fork.h"
#include "call/long_key.h"
#include "memory/hit.h"

// A call on its slow way.
struct call {
    cachekit_function *function;
    struct cki_args args;
    struct cki_key key;
    uint8_t packed[CKI_ARGS_PACKED_MAX];
    cachekit_buffer long_key; // for keys that are not packed scalars
    cki_pin *pin;
    cachekit_hit *hit;
    cachekit_error *error;
};

static void release_loose(cachekit_hit *hit)
{
    cachekit_function *function = hit->memory;
    if (function->destroy != NULL) {
        function->destroy((void *)(uintptr_t)hit->object, hit->size_bytes,
                          function->destroy_context);
    }
}

void cachekit_release(cachekit_hit *hit)
{
    if (hit->pin != NULL) {
        cki_pin_release(hit->pin);
    } else if (hit->entry != NULL) {
        cki_memory_unhold(hit->memory, hit->entry);
    } else if (hit->memory != NULL) {
        release_loose(hit);
    }
    cki_hit_clear(hit);
}

cki_pin *cki_pin_ready(const struct cki_memory *memory)
{
    struct cki_cell *cell = cki_cell;
    if (cell == NULL || memory->number >= atomic_load(&cell->counter_room)) {
        cell = cki_cell_ready(memory->number);
    }
    return cell != NULL ? cki_pin_free(cell) : NULL;
}

void cki_tell(void *context, const struct cki_entry *entry)
{
    const struct cki_listener *listener = context;
    listener->removed(listener->context, entry->object, entry->object_size,
                      (cachekit_cause)entry->cause);
}

// An entry of this call's key without an object; NULL: no memory, then nothing can be kept.
static struct cki_entry *entry_for(const struct call *call)
{
    struct cki_entry *entry = cki_entry_new(call->function->memory.options.allocator, &call->key);
    if (entry != NULL) {
        entry->holds = call->pin != NULL ? 0 : 1;
    }
    return entry;
}

// What has to be undone when the loader never returns.
struct loading {
    struct call *call;
    struct cki_entry *entry;
    struct cki_flight *flight; // NULL: shared with nobody
};

static void abandon(void *arg)
{
    struct loading *loading = arg;
    cki_free(loading->call->function->memory.options.allocator, loading->entry,
             loading->entry != NULL ? cki_entry_bytes(loading->entry) : 0);
    if (loading->flight != NULL) {
        cki_flight_settle(&loading->call->function->flights, loading->flight, CKI_ABANDONED);
    }
    cachekit_buffer_release(&loading->call->long_key);
}

static cachekit_status load(struct loading *loading, cachekit_result *result, cachekit_error *error)
{
    cachekit_function *f = loading->call->function;
    cachekit_status status = CACHEKIT_E_INVALID;
    pthread_cleanup_push(abandon, loading);
    status =
        f->loader(f->context, loading->call->args.args, loading->call->args.count, result, error);
    pthread_cleanup_pop(0);
    return status;
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
        .due_ns = call->key.kind == CKI_KEY_SCALARS ? f->due_ns : CKI_FOREVER,
        .overtaken = loading->flight != NULL ? &loading->flight->is_overtaken : NULL,
    };
    bool stored = cki_memory_put(&f->memory, &store, call->pin) == CKI_STORED;
    uint32_t waiters = loading->flight != NULL ? cki_flight_close(&f->flights, loading->flight) : 0;
    if (!stored) {
        call->pin = NULL;
        cki_memory_adopt(&f->memory, entry, 1 + waiters);
    } else if (waiters > 0) {
        cki_memory_hold(&f->memory, entry, waiters);
    }
    cki_hit_fill(call->hit, &f->memory, entry, call->pin, CACHEKIT_LAYER_MISS);
}

// Without memory for an entry the caller still gets its result; waiters compute their own.
static void hand_over(struct call *call, const cachekit_result *result)
{
    cki_hit_clear(call->hit);
    call->hit->object = result->object;
    call->hit->size_bytes = result->size_bytes;
    call->hit->layer = CACHEKIT_LAYER_MISS;
    call->hit->memory = call->function;
}

static cachekit_status compute(struct call *call, struct cki_flight *flight)
{
    cachekit_function *f = call->function;
    struct loading loading = {call, entry_for(call), flight};
    cachekit_result result = {NULL, 0};
    cachekit_error failure = {CACHEKIT_OK, 0, 0, ""};
    enum cki_flight_state state = CKI_LANDED;
    atomic_fetch_add_explicit(&f->misses, 1, memory_order_relaxed);
    cachekit_status status = load(&loading, &result, &failure);
    if (status != CACHEKIT_OK) {
        cki_free(f->memory.options.allocator, loading.entry,
                 loading.entry != NULL ? cki_entry_bytes(loading.entry) : 0);
        loading.entry = NULL;
        if (call->error != NULL) {
            *call->error = failure;
        }
    } else if (loading.entry == NULL) {
        hand_over(call, &result);
        state = CKI_ABANDONED;
    } else {
        loading.entry->object = result.object;
        loading.entry->object_size = result.size_bytes;
        loading.entry->destroy = f->destroy;
        loading.entry->destroy_context = f->destroy_context;
        keep(&loading);
    }
    if (flight != NULL) {
        flight->status = status;
        flight->error = failure;
        flight->entry = loading.entry;
        cki_flight_settle(&f->flights, flight, state);
    }
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
    cki_hit_fill(call->hit, &call->function->memory, flight->entry, NULL, CACHEKIT_LAYER_L1);
    return CACHEKIT_OK;
}

// Uniform in 0.9 to 1.1, another one at each read.
static double draw(cachekit_function *f)
{
    uint64_t n = atomic_fetch_add_explicit(&f->draws, 1, memory_order_relaxed);
    uint64_t bits = cki_mix(f->seed ^ n, 0x9e3779b97f4a7c15U);
    return 0.9 + 0.2 * ((double)(bits >> 11) * 0x1p-53);
}

// A hit past the earliest refresh point: starts one if this read's draw says so.
static void consider_refresh(struct call *call, const struct cki_entry *entry)
{
    cachekit_function *f = call->function;
    int64_t now = cki_memory_now(&f->memory);
    if (f->due_ns == CKI_FOREVER || call->key.kind != CKI_KEY_SCALARS ||
        now < atomic_load(&entry->due_ns)) {
        return;
    }
    double due = (double)f->ttl_ns * f->refresh_ratio * draw(f);
    if ((double)(now - entry->stored_ns) <= due) {
        return;
    }
    cki_memory_set_due(&f->memory, &call->key, entry->generation, CKI_FOREVER);
    if (!cki_refresh_add(&f->cache->refresh, f, &call->key, entry->generation)) {
        cki_memory_set_due(&f->memory, &call->key, entry->generation, now);
    }
}

// Looks under the lock. True: `hit` is filled.
static bool look(struct call *call)
{
    cachekit_function *f = call->function;
    struct cki_entry *entry = cki_memory_find(&f->memory, &call->key, call->pin);
    if (entry == NULL) {
        return false;
    }
    consider_refresh(call, entry);
    atomic_fetch_add_explicit(&f->slow_hits, 1, memory_order_relaxed);
    cki_hit_fill(call->hit, &f->memory, entry, call->pin, CACHEKIT_LAYER_L1);
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
    switch (cki_flight_join(&call->function->flights, &call->key, &flight)) {
    case CKI_LEAD:
        return lead(call, &flight);
    case CKI_ALONE:
        return compute(call, NULL);
    default:
        return follow(call, &flight);
    }
}

static cachekit_status check(const cachekit_arg *args, size_t count, cachekit_error *error)
{
    if (args == NULL && count > 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "arguments are NULL");
    }
    for (size_t i = 0; i < count; i++) {
        if (args[i].type > CACHEKIT_ARG_BYTES) {
            return cki_fail(error, CACHEKIT_E_INVALID, i, "argument %zu has no known type", i);
        }
        if (args[i].type >= CACHEKIT_ARG_STR &&
            (args[i].len == UINT32_MAX || (args[i].len > 0 && args[i].as.data == NULL))) {
            return cki_fail(error, CACHEKIT_E_INVALID, i, "argument %zu is NULL or too long", i);
        }
    }
    return CACHEKIT_OK;
}

// The key of a call: packed scalars, or MessagePack when they are too many or too long.
static cachekit_status make_key(struct call *call)
{
    uint64_t seed = call->function->seed;
    cachekit_status status = check(call->args.args, call->args.count, call->error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    if (cki_args_hash(&call->args, seed, &call->key.hash)) {
        cki_args_pack(&call->args, call->packed);
        call->key.kind = CKI_KEY_SCALARS;
        call->key.len = call->args.packed_len;
        call->key.bytes = call->packed;
        return CACHEKIT_OK;
    }
    cachekit_buffer_init(&call->long_key, call->function->memory.options.allocator);
    return cki_long_key(&call->args, seed, &call->long_key, &call->key, call->error);
}

static cachekit_status call_slowly(cachekit_function *function, const cachekit_arg *args,
                                   size_t count, cachekit_hit *hit, cachekit_error *error)
{
    struct call call = {.function = function,
                        .args = {args, count, 0},
                        .long_key = CACHEKIT_BUFFER_INIT,
                        .hit = hit,
                        .error = error};
    cki_hit_clear(hit);
    cki_fork_check();
    cachekit_status status = make_key(&call);
    if (status == CACHEKIT_OK) {
        call.pin = cki_pin_ready(&function->memory);
        status = look_or_compute(&call);
    }
    cachekit_buffer_release(&call.long_key);
    return status;
}

cachekit_status cachekit_call(cachekit_function *function, const cachekit_arg *args, size_t count,
                              cachekit_hit *hit, cachekit_error *error)
{
    struct cki_cell *cell = cki_cell;
    struct cki_args key = {args, count, 0};
    uint64_t hash;
    if (cell != NULL &&
        function->memory.number < atomic_load_explicit(&cell->counter_room, memory_order_relaxed) &&
        cki_args_hash(&key, function->seed, &hash)) {
        cki_pin *pin = cki_pin_free(cell);
        if (pin != NULL) {
            struct cki_entry *entry =
                cki_memory_hit(&function->memory, hash, cki_memory_now(&function->memory),
                               cki_args_match, &key, cell, pin);
            if (entry != NULL) {
                cki_hit_fill(hit, &function->memory, entry, pin, CACHEKIT_LAYER_L1);
                return CACHEKIT_OK;
            }
        }
    }
    return call_slowly(function, args, count, hit, error);
}

cachekit_status cachekit_invalidate(cachekit_function *function, const cachekit_arg *args,
                                    size_t count)
{
    struct call call = {
        .function = function, .args = {args, count, 0}, .long_key = CACHEKIT_BUFFER_INIT};
    cki_fork_check();
    cachekit_status status = make_key(&call);
    if (status == CACHEKIT_OK) {
        cki_flights_overtake(&function->flights, &call.key);
        status = cki_memory_remove(&function->memory, &call.key) ? CACHEKIT_OK : CACHEKIT_MISS;
    }
    cachekit_buffer_release(&call.long_key);
    return status;
}

void cachekit_invalidate_all(cachekit_function *function)
{
    cki_fork_check();
    cki_flights_overtake(&function->flights, NULL);
    (void)cki_memory_clear(&function->memory, CKI_INVALIDATED);
}

void cachekit_info(cachekit_function *function, cachekit_info_data *out)
{
    cki_info_fill(&function->memory, out);
    out->hits += atomic_load(&function->slow_hits);
    out->misses = atomic_load(&function->misses);
    out->refreshes = atomic_load(&function->refreshes);
    out->refresh_failures = atomic_load(&function->refresh_failures);
}

void cki_function_refresh(cachekit_function *f, const struct cki_key *key, uint64_t generation)
{
    cachekit_arg args[CKI_ARGS_MAX];
    size_t count = cki_args_unpack(key->bytes, key->len, args);
    cachekit_result result = {NULL, 0};
    struct cki_entry *entry = cki_entry_new(f->memory.options.allocator, key);
    cachekit_status status =
        entry == NULL ? CACHEKIT_E_NOMEM : f->loader(f->context, args, count, &result, NULL);
    if (status != CACHEKIT_OK) {
        cki_free(f->memory.options.allocator, entry, entry != NULL ? cki_entry_bytes(entry) : 0);
        atomic_fetch_add(&f->refresh_failures, 1);
        int64_t now = cki_memory_now(&f->memory);
        int64_t retry = f->retry_ns > CKI_FOREVER - now ? CKI_FOREVER : now + f->retry_ns;
        cki_memory_set_due(&f->memory, key, generation, retry);
        return;
    }
    entry->object = result.object;
    entry->object_size = result.size_bytes;
    entry->destroy = f->destroy;
    entry->destroy_context = f->destroy_context;
    const struct cki_store store = {
        .entry = entry, .ttl_ns = f->ttl_ns, .due_ns = f->due_ns, .replaces = generation};
    atomic_fetch_add(&f->refreshes, 1);
    if (cki_memory_put(&f->memory, &store, NULL) != CKI_STORED) {
        cki_entry_free(f->memory.options.allocator, entry);
    }
}
