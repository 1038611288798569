// SPDX-License-Identifier: MIT
// What a function with a backend has besides: made from options that were checked.
#include <string.h>

#include <cachekit/key.h>

#include "base/alloc.h"
#include "base/status.h"
#include "call/backed.h"

static cachekit_status name_keys(struct cki_backed *b, cachekit_error *error)
{
    const cachekit_cache_options *o = &b->function->cache->options;
    char code[CACHEKIT_SERIALIZER_CODE_ROOM];
    if (b->codec.wire == CACHEKIT_WIRE_INTEROP) {
        return cki_interop_prefix(o->name_space, b->function->name, b->prefix, &b->prefix_len,
                                  error);
    }
    const cachekit_key_auto_parts parts = {o->name_space, b->function->name, code,
                                           !b->codec.has_integrity};
    cachekit_status status = cki_codec_code(b->codec.codec, code);
    return status == CACHEKIT_OK ? cki_auto_name_init(&b->auto_name, &parts, o->allocator, error)
                                 : status;
}

static void unname_keys(struct cki_backed *b)
{
    if (b->codec.wire != CACHEKIT_WIRE_INTEROP) {
        cki_auto_name_release(&b->auto_name);
    }
}

cachekit_status cki_backed_key(const struct cki_backed *b, const cachekit_arg *args, size_t count,
                               char *text, cachekit_error *error)
{
    const cachekit_allocator *allocator = b->replies.inner; // leaves no arguments behind
    if (b->codec.wire == CACHEKIT_WIRE_INTEROP) {
        const cachekit_slice prefix = {(const uint8_t *)b->prefix, b->prefix_len};
        return cki_key_interop(prefix, args, count, allocator, text, error);
    }
    const struct cki_auto_args all = {args, count, NULL, 0};
    return cki_key_auto(&b->auto_name, &all, allocator, text, error);
}

static void fill(struct cki_backed *b, const cachekit_function_options *o)
{
    const cachekit_cache *cache = b->function->cache;
    b->backend = cache->options.backend;
    b->bytes = &cache->backing->bytes;
    b->codec = (struct cki_codec){
        .wire = o->wire,
        .codec = o->codec,
        .has_integrity = o->integrity != CACHEKIT_OFF,
        .keyring = o->encryption == CACHEKIT_ON ? cache->options.keyring : NULL,
    };
    b->alarms = &cache->backing->metrics;
    b->metrics = o->metrics != CACHEKIT_OFF ? b->alarms : NULL;
    b->uses_memory = o->memory != CACHEKIT_OFF;
    b->is_fail_closed = o->fail_closed == CACHEKIT_ON;
    b->uses_lock = o->distributed_lock == CACHEKIT_ON;
    b->ttl_ms = o->ttl_ms;
    b->deadline_ms = o->deadline_ms;
    b->lock_hold_ms = o->lock_hold_ms;
    b->lock_wait_ms = o->lock_wait_ms;
    b->jitter = o->ttl_jitter_ratio;
    b->value_max_bytes = o->value_max_bytes;
}

static cachekit_status open_reliability(struct cki_backed *b, const cachekit_function_options *o)
{
    const cachekit_allocator *allocator = b->function->cache->options.allocator;
    const struct cki_breaker_options breaker = {
        .allocator = allocator,
        .clock = b->function->cache->options.clock,
        .failures = o->breaker_failures,
        .recovery_ms = o->breaker_recovery_ms,
        .gauge = b->alarms->breakers,
    };
    struct cki_backpressure_options pressure = CKI_BACKPRESSURE_OPTIONS_INIT;
    pressure.permits = o->questions_max != 0 ? o->questions_max : pressure.permits;
    cachekit_status status = CACHEKIT_OK;
    if (o->breaker != CACHEKIT_OFF) {
        status = cki_breaker_init(&b->breaker, &breaker);
        b->has_breaker = status == CACHEKIT_OK;
    }
    if (status == CACHEKIT_OK && o->backpressure != CACHEKIT_OFF) {
        status = cki_backpressure_init(&b->pressure, &pressure);
        b->has_pressure = status == CACHEKIT_OK;
    }
    return status;
}

static void close_reliability(struct cki_backed *b)
{
    if (b->has_breaker) {
        cki_breaker_release(&b->breaker);
    }
    if (b->has_pressure) {
        cki_backpressure_release(&b->pressure);
    }
}

static cachekit_status open_parts(struct cki_backed *b, const cachekit_function_options *o,
                                  cachekit_error *error)
{
    cachekit_status status = name_keys(b, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    status = CACHEKIT_E_NOMEM;
    if (!cki_replies_init(&b->replies, o, b->function->cache->options.allocator,
                          b->codec.keyring != NULL)) {
        goto no_replies;
    }
    status = open_reliability(b, o);
    b->owner = cki_backing_owner(b->function->cache, b->function->name);
    if (status == CACHEKIT_OK && b->owner != NULL) {
        return status;
    }
    status = status != CACHEKIT_OK ? status : CACHEKIT_E_NOMEM;
    close_reliability(b);
    cki_replies_release(&b->replies);
no_replies:
    unname_keys(b);
    return status;
}

cachekit_status cki_backed_new(cachekit_function *function, const cachekit_function_options *o,
                               cachekit_error *error)
{
    const cachekit_allocator *allocator = function->cache->options.allocator;
    struct cki_backed *b = cki_alloc(allocator, sizeof *b);
    if (b == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    memset(b, 0, sizeof *b);
    b->function = function;
    fill(b, o);
    cachekit_status status = open_parts(b, o, error);
    if (status != CACHEKIT_OK) {
        cki_free(allocator, b, sizeof *b);
        return status;
    }
    function->backed = b;
    function->memory.tick = NULL; // see by_clock()
    return CACHEKIT_OK;
}

bool cki_backed_is_busy(const struct cki_backed *b)
{
    return cki_replies_are_out(&b->replies);
}

void cki_backed_free(struct cki_backed *b)
{
    if (b == NULL) {
        return;
    }
    close_reliability(b);
    cki_replies_release(&b->replies);
    unname_keys(b);
    cki_free(b->function->cache->options.allocator, b, sizeof *b);
}

void cki_backed_forked(struct cki_backed *b)
{
    _Atomic uint64_t *const counters[] = {&b->l1_hits,  &b->l2_hits,     &b->joined,  &b->misses,
                                          &b->stored,   &b->failures,    &b->skipped, &b->corrupt,
                                          &b->unstored, &b->unauthentic, &b->unkeyed, &b->too_large,
                                          &b->refused,  &b->asked,       &b->asked_ns};
    cki_replies_forked(&b->replies);
    if (b->has_breaker) {
        cki_breaker_forked(&b->breaker);
    }
    if (b->has_pressure) {
        cki_backpressure_forked(&b->pressure);
    }
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        atomic_store(counters[i], 0);
    }
    for (int i = 0; i < 2; i++) {
        atomic_store(&b->told[i].at_ns, 0);
        atomic_store(&b->told[i].untold, 0);
    }
    atomic_store(&b->is_locked_out, false);
}

void cki_backed_info(struct cki_backed *b, cachekit_info_data *out)
{
    struct cki_byte_usage usage;
    cki_byte_cache_usage(b->bytes, &usage);
    memset(out, 0, sizeof *out);
    out->l1_hits = atomic_load(&b->l1_hits);
    out->l2_hits = atomic_load(&b->l2_hits);
    out->hits = out->l1_hits + out->l2_hits + atomic_load(&b->joined);
    out->misses = atomic_load(&b->misses);
    out->stored = atomic_load(&b->stored);
    out->unstored = atomic_load(&b->unstored);
    out->backend_failures = atomic_load(&b->failures);
    out->backend_skipped = atomic_load(&b->skipped);
    out->corrupt = atomic_load(&b->corrupt);
    out->unauthentic = atomic_load(&b->unauthentic);
    out->unkeyed = atomic_load(&b->unkeyed);
    out->too_large = atomic_load(&b->too_large);
    out->refused = atomic_load(&b->refused);
    uint64_t asked = atomic_load(&b->asked);
    out->l2_average_us = asked > 0 ? (double)atomic_load(&b->asked_ns) / 1e3 / (double)asked : 0.0;
    out->entries = usage.entries;
    out->used_bytes = usage.used_bytes;
    out->budget_bytes = usage.budget_bytes;
    out->overhead_bytes = usage.overhead_bytes;
}
