// SPDX-License-Identifier: MIT
// A call of a function with a backend: memory, then one flight per key that asks the backend and
// computes if need be, keeps the result in both, and shares it with whoever waited. Whatever fails
// in the cache is a miss; the caller sees only the loader's failures, arguments that have no
// interop key, results that interop cannot say, and what fail_closed asks for.
#include "call/backed_call.h"

#include <string.h>

#include "base/status.h"
#include "base/wiping.h"
#include "base/yield.h"
#include "call/args.h"
#include "call/flight.h"
#include "call/fork.h"
#include "call/l2.h"
#include "call/load.h"

// What has to be undone when the loader never returns.
struct backed_loading {
    struct cki_backed_call *call;
    struct cki_reply *reply;
    struct cki_flight *flight; // NULL: nobody waits
};

static void abandon(void *arg)
{
    struct backed_loading *loading = arg;
    cki_l2_unlock(loading->call->b, loading->call->name, loading->call->token);
    if (loading->reply != NULL) {
        cki_reply_drop(loading->reply);
    }
    if (loading->flight != NULL) {
        cki_flight_settle(&loading->call->b->function->flights, loading->flight, CKI_ABANDONED);
    }
}

// Without memory for a reply the caller gets the loader's object all the same.
static cachekit_status settle_loaded(struct cki_backed_call *c, const cachekit_result *result,
                                     struct cki_reply *reply, struct cki_flight *flight)
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
        flight != NULL ? cki_backed_keep(c, result, reply, flight) : CACHEKIT_OK;
    if (status == CACHEKIT_OK) {
        cki_backed_hit(c, reply, CACHEKIT_LAYER_MISS);
    } else {
        cki_reply_drop(reply);
    }
    return status;
}

// Runs the loader and fills the hit with its own object. `flight` NULL: nothing is kept.
static cachekit_status compute(struct cki_backed_call *c, struct cki_flight *flight)
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

static cachekit_status compute_locked(struct cki_backed_call *c, struct cki_flight *flight)
{
    // Whoever had the lock before has stored.
    bool may_be_there = cki_l2_lock(c->b, c->name, c->token);
    cachekit_status status = may_be_there ? cki_backed_fetch(c) : CACHEKIT_MISS;
    if (status == CACHEKIT_MISS) {
        status = compute(c, flight);
    }
    cki_l2_unlock(c->b, c->name, c->token);
    c->token[0] = '\0';
    return status;
}

static struct cki_reply *reply_of(const cachekit_hit *hit)
{
    return (struct cki_reply *)(hit->grip & ~(uintptr_t)CKI_GRIP_TAGS);
}

// Gives the outcome to all who wait, with a hold for each. What has no reply they compute anew.
static void land(struct cki_backed_call *c, struct cki_flight *flight, cachekit_status status)
{
    struct cki_flights *flights = &c->b->function->flights;
    bool is_loose = status == CACHEKIT_OK && (c->hit->grip & CKI_GRIP_TAGS) != CKI_GRIP_REPLY;
    uint32_t waiters = cki_flight_close(flights, flight);
    flight->status = status;
    if (status != CACHEKIT_OK) {
        flight->error = *c->error;
    }
    if (status == CACHEKIT_OK && !is_loose) {
        flight->reply = reply_of(c->hit);
        cki_reply_hold(flight->reply, waiters);
    }
    cki_flight_settle(flights, flight, is_loose ? CKI_ABANDONED : CKI_LANDED);
}

// A flight may have landed between our look and our take-off; if none did, it was looked already.
static cachekit_status lead(struct cki_backed_call *c, struct cki_flight *flight, bool may_lock)
{
    struct cki_flights *flights = &c->b->function->flights;
    bool has_landed = cki_flights_landed(flights) != c->landed;
    cachekit_status status = has_landed ? cki_backed_look(c) : CACHEKIT_MISS;
    if (status == CACHEKIT_OK) {
        cki_flight_settle(flights, flight, CKI_ABANDONED);
        return status;
    }
    status = cki_backed_fetch(c);
    if (status == CACHEKIT_MISS) {
        status = may_lock && c->b->uses_lock ? compute_locked(c, flight) : compute(c, flight);
    }
    land(c, flight, status);
    return status;
}

static cachekit_status follow(struct cki_backed_call *c, const struct cki_flight *flight)
{
    if (flight->status != CACHEKIT_OK) {
        *c->error = flight->error;
        return flight->status;
    }
    cki_count(&c->b->joined);
    cki_backed_hit(c, flight->reply, CACHEKIT_LAYER_L1);
    return CACHEKIT_OK;
}

static cachekit_status fly(struct cki_backed_call *c)
{
    struct cki_flight flight;
    CKI_YIELD();
    enum cki_joined joined = cki_flight_join(&c->b->function->flights, &c->key, &flight);
    if (joined == CKI_FOLLOWED) {
        return follow(c, &flight);
    }
    // Alone, the lock's holder cannot go on before this call has returned.
    return lead(c, &flight, joined == CKI_LEAD);
}

// CACHEKIT_MISS: the arguments have no key.
static cachekit_status prepare(struct cki_backed_call *c)
{
    const struct cki_backed *b = c->b;
    bool is_interop = b->codec.wire == CACHEKIT_WIRE_INTEROP;
    if (is_interop && b->backend->prefixes_keys) {
        return cki_fail(c->error, CACHEKIT_E_CONFIG, 0,
                        "wire interop cannot use a backend that adds to keys");
    }
    // Without the error: a call that is computed all the same must leave it as it was.
    cachekit_status status = cki_backed_key(b, c->args, c->count, c->text, NULL);
    if (status == CACHEKIT_E_VALUE && !is_interop) {
        return CACHEKIT_MISS;
    }
    if (status != CACHEKIT_OK) {
        return cki_backed_key(b, c->args, c->count, c->text, c->error);
    }
    c->name = (cachekit_slice){(const uint8_t *)c->text, strlen(c->text)};
    c->key = cki_byte_key(b->bytes, c->name);
    return CACHEKIT_OK;
}

// Member by member: the key's text need not be zeroed.
static void begin_call(struct cki_backed_call *c, cachekit_function *function,
                       const cachekit_arg *args, size_t count, cachekit_hit *hit,
                       cachekit_error *error)
{
    c->b = function->backed;
    c->args = args;
    c->count = count;
    c->hit = hit;
    c->error = error;
    c->name = (cachekit_slice){NULL, 0};
    c->token[0] = '\0';
    c->landed = cki_flights_landed(&function->flights);
}

// Arguments, and what was stored, have passed over the stack.
enum { PAGES_OF_KEY = 1, PAGES_OF_READ = 6 };

static cachekit_status end_call(const struct cki_backed_call *c, cachekit_status status,
                                unsigned pages)
{
    if (c->b->codec.keyring != NULL) {
        cki_stack_wipe(pages);
    }
    return status;
}

// Half an invalidation is none, and whoever waits or asks holds something: no cancellation.
static int begin_uncancelled(void)
{
    int before;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static void end_uncancelled(int before)
{
    int ignored;
    (void)pthread_setcancelstate(before, &ignored);
}

static cachekit_status call_slowly(struct cki_backed_call *c, bool has_key)
{
    cachekit_error failure, *given = c->error;
    cki_error_empty(&failure);
    c->error = &failure;
    c->cancel_state = begin_uncancelled();
    if (!has_key) {
        cki_count(&c->b->unkeyed);
        cki_l2_log(c->b, CACHEKIT_LOG_WARNING, "a call was computed without a key",
                   CACHEKIT_E_VALUE);
    }
    cachekit_status status = has_key ? fly(c) : compute(c, NULL);
    end_uncancelled(c->cancel_state);
    c->error = given;
    if (status != CACHEKIT_OK && given != NULL) {
        *given = failure;
    }
    return status;
}

cachekit_status cki_backed_call(cachekit_function *function, const cachekit_arg *args, size_t count,
                                cachekit_hit *hit, cachekit_error *error)
{
    struct cki_backed_call c;
    begin_call(&c, function, args, count, hit, error);
    cachekit_status status = prepare(&c);
    if (status == CACHEKIT_OK && cki_backed_look(&c) == CACHEKIT_OK) {
        return end_call(&c, status, PAGES_OF_READ);
    }
    // Where there is no memory for a key, the call is computed without one, but for interop.
    if (status >= 0 || (status == CACHEKIT_E_NOMEM && c.b->codec.wire == CACHEKIT_WIRE_AUTO)) {
        status = call_slowly(&c, status == CACHEKIT_OK);
    }
    return end_call(&c, status, CKI_PAGES_OF_SECRETS);
}

cachekit_status cki_backed_peek(cachekit_function *function, const cachekit_arg *args, size_t count,
                                cachekit_hit *hit, cachekit_error *error)
{
    struct cki_backed_call c;
    begin_call(&c, function, args, count, hit, error);
    cachekit_status status = prepare(&c);
    if (status == CACHEKIT_OK && cki_backed_look(&c) != CACHEKIT_OK) {
        int before = begin_uncancelled();
        status = cki_backed_fetch(&c);
        end_uncancelled(before);
    }
    return end_call(&c, status, PAGES_OF_READ);
}

// Remove here, there, and here again: a reader may have asked the backend in between, and whoever
// comes later must not share what it found.
static cachekit_status invalidate_key(struct cki_backed_call *c)
{
    struct cki_backed *b = c->b;
    struct cki_flights *flights = &b->function->flights;
    cki_flights_overtake(flights, &c->key);
    CKI_YIELD();
    uint64_t mark = cki_byte_cache_remove(b->bytes, &c->key);
    CKI_YIELD();
    cachekit_status status = cki_l2_remove(b, c->name);
    if (status < 0) {
        cki_owner_owe(b->bytes, b->owner, &c->key, b->ttl_ms);
    } else {
        cki_owner_untrack(b->bytes, b->owner, &c->key, mark);
    }
    cki_flights_overtake(flights, &c->key); // and who came meanwhile
    (void)cki_byte_cache_remove(b->bytes, &c->key);
    return status;
}

cachekit_status cki_backed_invalidate(cachekit_function *function, const cachekit_arg *args,
                                      size_t count)
{
    struct cki_backed_call c;
    begin_call(&c, function, args, count, NULL, NULL);
    cachekit_status status = prepare(&c);
    if (status == CACHEKIT_OK) {
        int before = begin_uncancelled();
        status = invalidate_key(&c);
        end_uncancelled(before);
    }
    return end_call(&c, status, PAGES_OF_KEY);
}

static cachekit_status invalidate_all(cachekit_function *function)
{
    struct cki_backed *b = function->backed;
    struct cki_tracked *list;
    cachekit_status status = CACHEKIT_OK;
    bool is_away = false;
    cki_flights_overtake(&function->flights, NULL);
    CKI_YIELD();
    uint64_t mark = cki_owner_begin(b->bytes, b->owner);
    while ((list = cki_owner_take(b->bytes, b->owner, mark)) != NULL) {
        cachekit_status answer = cki_l2_remove_list(b, list, &is_away);
        status = answer < 0 ? answer : status;
        cki_owner_give(b->bytes, b->owner, list);
    }
    cki_flights_overtake(&function->flights, NULL);
    uint64_t forgotten = cki_owner_end_owing(b->bytes, b->owner, b->ttl_ms);
    if (forgotten > 0) {
        cki_l2_log(b, CACHEKIT_LOG_ERROR, "keys were forgotten and stay until their end",
                   CACHEKIT_E_NOMEM);
        status = status < 0 ? status : CACHEKIT_E_NOMEM;
    }
    return status;
}

cachekit_status cki_backed_invalidate_all(cachekit_function *function)
{
    int before = begin_uncancelled();
    cachekit_status status = invalidate_all(function);
    end_uncancelled(before);
    return status;
}

void cki_backed_settle(struct cki_backed *b)
{
    int before = begin_uncancelled();
    struct cki_tracked *list = cki_owner_take_owed(b->bytes, b->owner);
    if (list != NULL) {
        bool is_away = false;
        (void)cki_l2_remove_list(b, list, &is_away);
        cki_owner_give(b->bytes, b->owner, list);
    }
    end_uncancelled(before);
}
