// SPDX-License-Identifier: MIT
// A call of a function with a backend: memory, then one flight per key that asks the backend and
// computes if need be, keeps the result in both, and shares it with whoever waited. Whatever fails
// in the cache is a miss; the caller sees only the loader's failures, arguments that have no
// interop key, results that interop cannot say, and what fail_closed asks for.
#include "call/backed.h"

#include <string.h>

#include <cachekit/key.h>

#include "base/status.h"
#include "base/yield.h"
#include "call/args.h"
#include "call/flight.h"
#include "call/fork.h"
#include "call/l2.h"
#include "call/load.h"

struct backed_call {
    struct cki_backed *b;
    const cachekit_arg *args;
    size_t count;
    char text[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_slice name; // the key as the backend gets it
    struct cki_key key;
    uint64_t epoch; // before the backend was asked
    cachekit_hit *hit;
    cachekit_error *error;
    int cancel_state; // the caller's
};

static cachekit_slice bytes_of(const struct cki_block *block)
{
    return (cachekit_slice){block->data, block->len};
}

static void fill_hit(const struct backed_call *c, struct cki_reply *reply, cachekit_layer layer)
{
    c->hit->object = reply->object;
    c->hit->size_bytes = reply->size_bytes;
    c->hit->layer = layer;
    c->hit->grip = (uintptr_t)reply | CKI_GRIP_REPLY;
    c->hit->owner = c->b->function;
}

// Bytes that are no value: counted by cause. True: the caller is to be told.
static bool is_poison_raised(struct backed_call *c, cachekit_status status, enum cki_tier tier)
{
    struct cki_backed *b = c->b;
    bool is_unauthentic = status == CACHEKIT_E_AUTH;
    cki_count(is_unauthentic ? &b->unauthentic : &b->corrupt);
    if (b->codec.keyring != NULL && b->metrics != NULL) {
        cki_metrics_decrypt_failure(b->metrics, is_unauthentic ? CKI_AUTH_TAMPER : CKI_CORRUPTION,
                                    tier);
    }
    cki_l2_log(b, is_unauthentic ? CACHEKIT_LOG_ERROR : CACHEKIT_LOG_WARNING,
               tier == CKI_TIER_L1 ? "bytes in memory are no value" : "stored bytes are no value",
               status);
    return status == CACHEKIT_E_CONFIG || (is_unauthentic && b->is_fail_closed);
}

static void upgrade(struct backed_call *c, const struct cki_byte_hit *found,
                    const struct cki_held *held)
{
    struct cki_block *block = cki_block_copy(&c->b->bytes->ledger, held->bytes, held->kind);
    if (block != NULL) {
        (void)cki_byte_cache_upgrade(c->b->bytes, &c->key, found->generation, block);
        cki_block_release(block);
    }
}

// In memory. CACHEKIT_MISS also when its bytes were bad: they are gone then, and the backend is
// asked.
static cachekit_status look(struct backed_call *c)
{
    struct cki_backed *b = c->b;
    struct cki_byte_hit found;
    struct cki_held held;
    if (!b->uses_memory || !cki_byte_cache_get(b->bytes, &c->key, &found)) {
        return CACHEKIT_MISS;
    }
    struct cki_reply *reply = cki_reply_take(&b->replies);
    if (reply == NULL) {
        cki_block_release(found.block);
        return CACHEKIT_MISS;
    }
    reply->block = found.block;
    cachekit_status status = cki_codec_decode(&b->codec, c->name, bytes_of(found.block),
                                              found.block->kind, reply, &held, NULL);
    if (status != CACHEKIT_OK) {
        if (status != CACHEKIT_E_NOMEM) {
            (void)cki_byte_cache_evict(b->bytes, &c->key, found.generation);
            (void)is_poison_raised(c, status, CKI_TIER_L1);
        }
        cki_reply_drop(reply);
        return CACHEKIT_MISS;
    }
    if (held.bytes.data != NULL) {
        upgrade(c, &found, &held);
    }
    cki_count(&b->l1_hits);
    if (b->metrics != NULL) {
        cki_metrics_l1_hit(b->metrics);
    }
    fill_hit(c, reply, CACHEKIT_LAYER_L1);
    return CACHEKIT_OK;
}

// A block of `reply->stored`, for memory; NULL: it is not used, or there is none.
static struct cki_block *block_of(struct cki_backed *b, struct cki_reply *reply)
{
    return b->uses_memory ? cki_block_take(&b->bytes->ledger, &reply->stored, CKI_BLOCK_STORED)
                          : NULL;
}

static void keep_in_memory(struct backed_call *c, struct cki_block *block, int64_t ttl_ms)
{
    const struct cki_byte_store store = {&c->key, block, c->b->owner, ttl_ms, c->epoch};
    if (cki_byte_cache_put(c->b->bytes, &store) != CKI_BYTES_STORED) {
        cki_count(&c->b->unstored);
    }
}

// What the backend had, decoded into `reply`.
static cachekit_status take_in(struct backed_call *c, struct cki_reply *reply)
{
    struct cki_backed *b = c->b;
    struct cki_held held;
    reply->block = block_of(b, reply);
    cachekit_slice stored = reply->block != NULL
                                ? bytes_of(reply->block)
                                : (cachekit_slice){reply->stored.data, reply->stored.len};
    cachekit_status status =
        cki_codec_decode(&b->codec, c->name, stored, CKI_BLOCK_STORED, reply, &held, NULL);
    if (status != CACHEKIT_OK) {
        return status;
    }
    (void)cki_owner_track(b->bytes, b->owner, &c->key, b->ttl_ms);
    if (reply->block != NULL) {
        keep_in_memory(c, reply->block, b->ttl_ms);
    }
    cki_count(&b->l2_hits);
    fill_hit(c, reply, CACHEKIT_LAYER_L2);
    return CACHEKIT_OK;
}

// At the backend. CACHEKIT_MISS also when its bytes were bad: they are removed then.
static cachekit_status fetch(struct backed_call *c)
{
    struct cki_backed *b = c->b;
    c->epoch = cki_byte_cache_epoch(b->bytes, &c->key, b->owner);
    struct cki_reply *reply = cki_reply_take(&b->replies);
    if (reply == NULL || cki_owner_owes(b->bytes, b->owner, &c->key)) {
        goto miss;
    }
    CKI_YIELD();
    cachekit_status status = cki_l2_get(b, c->name, &reply->stored);
    if (status == CACHEKIT_OK) {
        status = take_in(c, reply);
    }
    if (status == CACHEKIT_OK) {
        return status;
    }
    if (status < 0 && status != CACHEKIT_E_NOMEM) {
        if (is_poison_raised(c, status, CKI_TIER_L2)) {
            cki_reply_drop(reply);
            return cki_fail(c->error, status, 0, "stored bytes: %s", cachekit_status_text(status));
        }
        (void)cki_l2_remove(b, c->name);
    }
miss:
    if (reply != NULL) {
        cki_reply_drop(reply);
    }
    return CACHEKIT_MISS;
}

static int64_t life_ms(struct cki_backed *b)
{
    if (b->jitter == 0.0 || b->ttl_ms == CACHEKIT_FOREVER_MS) {
        return b->ttl_ms;
    }
    uint64_t n = atomic_fetch_add_explicit(&b->draws, 1, memory_order_relaxed);
    uint64_t bits = cki_mix(b->function->seed.a ^ n, 0x9e3779b97f4a7c15U);
    double share = 1.0 - b->jitter * ((double)(bits >> 11) * 0x1p-53);
    int64_t life = (int64_t)((double)b->ttl_ms * share);
    return life >= 1000 ? life : 1000;
}

// An invalidation overtook what was written.
static void take_back(struct backed_call *c, int64_t ttl_ms)
{
    struct cki_backed *b = c->b;
    if (cki_l2_remove(b, c->name) < 0) {
        cki_owner_owe(b->bytes, b->owner, &c->key, ttl_ms);
    }
    cki_count(&b->unstored);
}

// At the backend and in memory, unless an invalidation came meanwhile; one that comes while the
// backend writes finds the bytes removed again.
static void keep(struct backed_call *c, struct cki_reply *reply, const struct cki_flight *flight)
{
    struct cki_backed *b = c->b;
    int64_t ttl_ms = life_ms(b);
    if (flight != NULL && atomic_load(&flight->is_overtaken)) {
        cki_count(&b->unstored);
        return;
    }
    (void)cki_owner_track(b->bytes, b->owner, &c->key, ttl_ms);
    CKI_YIELD();
    const cachekit_slice stored = {reply->stored.data, reply->stored.len};
    bool is_written = cki_l2_set(b, c->name, stored, ttl_ms);
    CKI_YIELD();
    bool is_overtaken = flight != NULL && atomic_load(&flight->is_overtaken);
    if (is_written && (is_overtaken || !cki_owner_written(b->bytes, b->owner, &c->key, c->epoch))) {
        take_back(c, ttl_ms);
        return;
    }
    if (is_written) {
        cki_count(&b->stored);
    }
    struct cki_block *block = block_of(b, reply);
    if (block != NULL) {
        keep_in_memory(c, block, ttl_ms);
        cki_block_release(block);
    }
}

// A failure is the caller's only where interop demands it.
static cachekit_status encode_and_keep(struct backed_call *c, const cachekit_result *result,
                                       struct cki_reply *reply, const struct cki_flight *flight)
{
    struct cki_backed *b = c->b;
    cachekit_error failure = {CACHEKIT_OK, 0, 0, ""};
    cachekit_status status = cki_codec_encode(&b->codec, c->name, result, reply, &failure);
    if (status == CACHEKIT_OK && reply->stored.len > b->value_max_bytes) {
        cki_count(&b->too_large);
    } else if (status == CACHEKIT_OK) {
        keep(c, reply, flight);
    } else {
        cki_count(&b->unstored);
        cki_l2_log(b, CACHEKIT_LOG_WARNING, "a result was not stored", status);
    }
    cki_reply_scrub(reply);
    if (status != CACHEKIT_E_VALUE || b->codec.wire != CACHEKIT_WIRE_INTEROP) {
        return CACHEKIT_OK;
    }
    *c->error = failure;
    return status;
}

// What has to be undone when the loader never returns.
struct backed_loading {
    struct backed_call *call;
    struct cki_reply *reply;
    struct cki_flight *flight; // NULL: nobody waits
};

static void abandon(void *arg)
{
    struct backed_loading *loading = arg;
    if (loading->reply != NULL) {
        cki_reply_drop(loading->reply);
    }
    if (loading->flight != NULL) {
        cki_flight_settle(&loading->call->b->function->flights, loading->flight, CKI_ABANDONED);
    }
}

// Without memory for a reply the caller gets the loader's object all the same.
static cachekit_status settle_loaded(struct backed_call *c, const cachekit_result *result,
                                     struct cki_reply *reply, const struct cki_flight *flight)
{
    if (reply == NULL) {
        cki_count(&c->b->unstored);
        cki_hit_loose(c->hit, c->b->function, result);
        return CACHEKIT_OK;
    }
    reply->object = result->object;
    reply->size_bytes = result->size_bytes;
    reply->is_loaded = true;
    cachekit_status status =
        flight != NULL ? encode_and_keep(c, result, reply, flight) : CACHEKIT_OK;
    if (status == CACHEKIT_OK) {
        fill_hit(c, reply, CACHEKIT_LAYER_MISS);
    } else {
        cki_reply_drop(reply);
    }
    return status;
}

// Runs the loader and fills the hit with its own object. `flight` NULL: nothing is kept.
static cachekit_status compute(struct backed_call *c, struct cki_flight *flight)
{
    struct cki_backed *b = c->b;
    cachekit_result result = {NULL, 0};
    struct backed_loading loading = {c, cki_reply_take(&b->replies), flight};
    const struct cki_load load = {b->function,     c->args, c->count,
                                  c->cancel_state, abandon, &loading};
    cki_count(&b->misses);
    cachekit_status status = cki_load(&load, &result, c->error);
    if (status == CACHEKIT_OK) {
        return settle_loaded(c, &result, loading.reply, flight);
    }
    if (loading.reply != NULL) {
        cki_reply_drop(loading.reply);
    }
    return status;
}

static cachekit_status compute_locked(struct backed_call *c, struct cki_flight *flight)
{
    char token[CACHEKIT_LOCK_TOKEN_ROOM];
    cki_l2_lock(c->b, c->name, token);
    // Whoever had the lock before has stored.
    cachekit_status status = fetch(c);
    if (status == CACHEKIT_MISS) {
        status = compute(c, flight);
    }
    cki_l2_unlock(c->b, c->name, token);
    return status;
}

static struct cki_reply *reply_of(const cachekit_hit *hit)
{
    return (struct cki_reply *)(hit->grip & ~(uintptr_t)CKI_GRIP_TAGS);
}

// Gives the outcome to all who wait, with a hold for each. What has no reply they compute anew.
static void land(struct backed_call *c, struct cki_flight *flight, cachekit_status status)
{
    struct cki_flights *flights = &c->b->function->flights;
    bool is_loose = status == CACHEKIT_OK && (c->hit->grip & CKI_GRIP_TAGS) != CKI_GRIP_REPLY;
    uint32_t waiters = cki_flight_close(flights, flight);
    flight->status = status;
    flight->error = *c->error;
    if (status == CACHEKIT_OK && !is_loose) {
        flight->reply = reply_of(c->hit);
        cki_reply_hold(flight->reply, waiters);
    }
    cki_flight_settle(flights, flight, is_loose ? CKI_ABANDONED : CKI_LANDED);
}

// Another flight may have landed between our look and our take-off.
static cachekit_status lead(struct backed_call *c, struct cki_flight *flight)
{
    cachekit_status status = look(c);
    if (status == CACHEKIT_OK) {
        cki_flight_settle(&c->b->function->flights, flight, CKI_ABANDONED);
        return status;
    }
    status = fetch(c);
    if (status == CACHEKIT_MISS) {
        status = c->b->uses_lock ? compute_locked(c, flight) : compute(c, flight);
    }
    land(c, flight, status);
    return status;
}

static cachekit_status follow(struct backed_call *c, const struct cki_flight *flight)
{
    if (flight->status != CACHEKIT_OK) {
        *c->error = flight->error;
        return flight->status;
    }
    cki_count(&c->b->joined);
    fill_hit(c, flight->reply, CACHEKIT_LAYER_L1);
    return CACHEKIT_OK;
}

static cachekit_status fly(struct backed_call *c)
{
    struct cki_flight flight;
    CKI_YIELD();
    enum cki_joined joined = cki_flight_join(&c->b->function->flights, &c->key, &flight);
    return joined == CKI_FOLLOWED ? follow(c, &flight) : lead(c, &flight);
}

// CACHEKIT_MISS: the arguments have no key, and the call is computed without one.
static cachekit_status prepare(struct backed_call *c)
{
    const struct cki_backed *b = c->b;
    bool is_interop = b->codec.wire == CACHEKIT_WIRE_INTEROP;
    if (is_interop && b->backend->prefixes_keys) {
        return cki_fail(c->error, CACHEKIT_E_CONFIG, 0,
                        "wire interop cannot use a backend that adds to keys");
    }
    cachekit_status status = cki_backed_key(b, c->args, c->count, c->text, c->error);
    if (status == CACHEKIT_OK) {
        c->name = (cachekit_slice){(const uint8_t *)c->text, strlen(c->text)};
        c->key = cki_byte_key(b->bytes, c->name);
    }
    return status == CACHEKIT_E_VALUE && !is_interop ? CACHEKIT_MISS : status;
}

// Member by member: the key's text need not be zeroed.
static void begin_call(struct backed_call *c, cachekit_function *function, const cachekit_arg *args,
                       size_t count, cachekit_hit *hit, cachekit_error *error)
{
    c->b = function->backed;
    c->args = args;
    c->count = count;
    c->hit = hit;
    c->error = error;
}

static cachekit_status call_slowly(struct backed_call *c, bool has_key)
{
    int ignored;
    cachekit_error failure, *given = c->error;
    failure.status = CACHEKIT_OK;
    failure.foreign = 0;
    failure.position = 0;
    failure.text[0] = '\0';
    c->error = &failure;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &c->cancel_state);
    if (!has_key) {
        cki_count(&c->b->unkeyed);
    }
    cachekit_status status = has_key ? fly(c) : compute(c, NULL);
    (void)pthread_setcancelstate(c->cancel_state, &ignored);
    if (status != CACHEKIT_OK && given != NULL) {
        *given = failure;
    }
    return status;
}

cachekit_status cki_backed_call(cachekit_function *function, const cachekit_arg *args, size_t count,
                                cachekit_hit *hit, cachekit_error *error)
{
    struct backed_call c;
    begin_call(&c, function, args, count, hit, error);
    cachekit_status status = prepare(&c);
    if (status < 0 || (status == CACHEKIT_OK && look(&c) == CACHEKIT_OK)) {
        return status;
    }
    return call_slowly(&c, status == CACHEKIT_OK);
}

cachekit_status cki_backed_peek(cachekit_function *function, const cachekit_arg *args, size_t count,
                                cachekit_hit *hit, cachekit_error *error)
{
    struct backed_call c;
    begin_call(&c, function, args, count, hit, error);
    cachekit_status status = prepare(&c);
    if (status != CACHEKIT_OK) {
        return status;
    }
    status = look(&c);
    return status == CACHEKIT_OK ? status : fetch(&c);
}

// Remove here, there, and here again: a reader may have asked the backend in between.
cachekit_status cki_backed_invalidate(cachekit_function *function, const cachekit_arg *args,
                                      size_t count)
{
    struct backed_call c;
    struct cki_backed *b = function->backed;
    begin_call(&c, function, args, count, NULL, NULL);
    cachekit_status status = prepare(&c);
    if (status != CACHEKIT_OK) {
        return status;
    }
    cki_flights_overtake(&function->flights, &c.key);
    CKI_YIELD();
    uint64_t mark = cki_byte_cache_remove(b->bytes, &c.key);
    CKI_YIELD();
    status = cki_l2_remove(b, c.name);
    if (status < 0) {
        cki_owner_owe(b->bytes, b->owner, &c.key, b->ttl_ms);
    } else {
        cki_owner_untrack(b->bytes, b->owner, &c.key, mark);
    }
    (void)cki_byte_cache_remove(b->bytes, &c.key);
    return status;
}

cachekit_status cki_backed_invalidate_all(cachekit_function *function)
{
    struct cki_backed *b = function->backed;
    struct cki_tracked *list;
    cachekit_status status = CACHEKIT_OK;
    cki_flights_overtake(&function->flights, NULL);
    CKI_YIELD();
    uint64_t mark = cki_owner_begin(b->bytes, b->owner);
    while ((list = cki_owner_take(b->bytes, b->owner, mark)) != NULL) {
        cachekit_status answer = cki_l2_remove_list(b, list);
        status = answer < 0 ? answer : status;
        cki_owner_give(b->bytes, b->owner, list);
    }
    uint64_t forgotten = cki_owner_end(b->bytes, b->owner);
    if (forgotten > 0) {
        cki_l2_log(b, CACHEKIT_LOG_ERROR, "keys were forgotten and stay until their end",
                   CACHEKIT_E_NOMEM);
    }
    return status;
}

void cki_backed_settle(struct cki_backed *b)
{
    struct cki_tracked *list = cki_owner_take_owed(b->bytes, b->owner);
    if (list != NULL) {
        (void)cki_l2_remove_list(b, list);
        cki_owner_give(b->bytes, b->owner, list);
    }
}
