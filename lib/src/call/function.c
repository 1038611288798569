// SPDX-License-Identifier: MIT
// The slow way of a call: look under the lock, join a flight, compute (compute.c) or share what
// another computed. The hit without a lock is in call.c.
#include <string.h>

#include "base/status.h"
#include "base/yield.h"
#include "call/backed.h"
#include "call/compute.h"
#include "call/fork.h"
#include "call/long_key.h"

static cachekit_status follow(struct cki_call *call, const struct cki_flight *flight)
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
static void consider_refresh(struct cki_call *call, const struct cki_entry *entry)
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
static bool look(struct cki_call *call)
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
static cachekit_status lead(struct cki_call *call, struct cki_flight *flight)
{
    if (!look(call)) {
        return cki_compute(call, flight);
    }
    cki_flight_settle(&call->function->flights, flight, CKI_ABANDONED);
    return CACHEKIT_OK;
}

static cachekit_status look_or_compute(struct cki_call *call)
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
        return cki_compute(call, &flight);
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
static cachekit_status make_key(struct cki_call *call)
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
    if (function == NULL || hit == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "function or hit is NULL");
    }
    cki_hit_clear(hit);
    cki_fork_check();
    if (function->backed != NULL) {
        return cki_backed_call(function, args, count, hit, error);
    }
    struct cki_call call = {.function = function,
                            .args = {args, count, 0},
                            .long_key = CACHEKIT_BUFFER_INIT,
                            .hit = hit,
                            .error = error};
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

cachekit_status cachekit_peek(cachekit_function *function, const cachekit_arg *args, size_t count,
                              cachekit_hit *hit, cachekit_error *error)
{
    struct cki_call call = {.function = function,
                            .args = {args, count, 0},
                            .long_key = CACHEKIT_BUFFER_INIT,
                            .hit = hit,
                            .error = error};
    if (function == NULL || hit == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "function or hit is NULL");
    }
    cki_hit_clear(hit);
    cki_fork_check();
    if (function->backed != NULL) {
        return cki_backed_peek(function, args, count, hit, error);
    }
    cachekit_status status = make_key(&call);
    if (status == CACHEKIT_OK) {
        status = look(&call) ? CACHEKIT_OK : CACHEKIT_MISS;
    }
    cachekit_buffer_release(&call.long_key);
    return status;
}

cachekit_status cachekit_invalidate(cachekit_function *function, const cachekit_arg *args,
                                    size_t count)
{
    struct cki_call call = {
        .function = function, .args = {args, count, 0}, .long_key = CACHEKIT_BUFFER_INIT};
    if (function == NULL) {
        return CACHEKIT_E_INVALID;
    }
    cki_fork_check();
    if (function->backed != NULL) {
        return cki_backed_invalidate(function, args, count);
    }
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
    if (function->backed != NULL) {
        return cki_backed_invalidate_all(function);
    }
    cki_flights_overtake(&function->flights, NULL);
    CKI_YIELD();
    (void)cki_memory_clear(&function->memory, CKI_INVALIDATED);
    return CACHEKIT_OK;
}

void cachekit_info(cachekit_function *function, cachekit_info_data *out)
{
    if (out == NULL) {
        return;
    }
    memset(out, 0, sizeof *out);
    if (function == NULL) {
        return;
    }
    cki_fork_check();
    if (function->backed != NULL) {
        cki_backed_info(function->backed, out);
        return;
    }
    cki_info_fill(&function->memory, out);
    out->unstored += atomic_load(&function->unkept);
    out->hits += atomic_load(&function->slow_hits);
    out->misses = atomic_load(&function->misses);
    out->refreshes = atomic_load(&function->refreshes);
    out->refresh_failures = atomic_load(&function->refresh_failures);
}
