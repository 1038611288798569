// SPDX-License-Identifier: MIT
// The owner of a flight computes, keeps the result for itself and whoever waits, and settles. What
// a loader that never returns leaves behind is undone.
#include "call/compute.h"

#include "base/alloc.h"
#include "base/yield.h"
#include "call/load.h"

// What has to be undone when the loader never returns.
struct loading {
    struct cki_call *call;
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
    struct cki_call *call = loading->call;
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

cachekit_status cki_compute(struct cki_call *call, struct cki_flight *flight)
{
    cachekit_function *f = call->function;
    struct loading loading = {call, cki_entry_new(f->memory.options.allocator, &call->key), flight};
    cachekit_result result = {NULL, 0};
    cachekit_error failure = {CACHEKIT_OK, 0, 0, ""};
    enum cki_flight_state state = CKI_LANDED;
    atomic_fetch_add_explicit(&f->misses, 1, memory_order_relaxed);
    const struct cki_load load = {f,       call->args.args, call->args.count, call->cancel_state,
                                  abandon, &loading};
    cachekit_status status = cki_load(&load, &result, &failure);
    if (status != CACHEKIT_OK) {
        free_entry(f, loading.entry);
        loading.entry = NULL;
        if (call->error != NULL) {
            *call->error = failure;
        }
    } else if (loading.entry == NULL) {
        // The caller still gets its result; waiters compute their own.
        cki_hit_loose(call->hit, f, &result);
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
