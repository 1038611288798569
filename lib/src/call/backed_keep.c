// SPDX-License-Identifier: MIT
// Keeping a computed result. What an invalidation overtook does not stay, wherever it was when that
// came.
#include "base/yield.h"
#include "call/backed_call.h"
#include "call/cache.h"
#include "call/l2.h"

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

// An invalidation overtook what was written: one that came just after, or from within the write.
static void take_back(struct cki_backed_call *c, int64_t ttl_ms)
{
    struct cki_backed *b = c->b;
    if (cki_l2_remove(b, c->name) < 0) {
        cki_owner_owe(b->bytes, b->owner, &c->key, ttl_ms);
    }
    cki_count(&b->unstored);
}

// At the backend and in memory, unless an invalidation came meanwhile; one that comes while the
// backend writes waits, so that it removes what was written.
static void keep(struct cki_backed_call *c, struct cki_reply *reply, struct cki_flight *flight)
{
    struct cki_backed *b = c->b;
    int64_t ttl_ms = life_ms(b);
    struct cki_flights *flights = &b->function->flights;
    if (!cki_flight_begin_write(flights, flight)) {
        cki_count(&b->unstored);
        return;
    }
    CKI_YIELD();
    const cachekit_slice stored = {reply->stored.data, reply->stored.len};
    bool is_written = cki_l2_set(b, c->name, stored, ttl_ms);
    CKI_YIELD();
    // After the write, since an invalidation of all that was under way may have untracked the key,
    // and within it, since the next one must find it.
    (void)cki_owner_track(b->bytes, b->owner, &c->key, ttl_ms);
    cki_flight_end_write(flights, flight);
    CKI_YIELD();
    if (is_written && !cki_owner_written(b->bytes, b->owner, &c->key, c->epoch)) {
        take_back(c, ttl_ms);
        return;
    }
    if (is_written) {
        cki_count(&b->stored);
    }
    struct cki_block *block = cki_backed_block(b, reply);
    if (block != NULL) {
        cki_backed_remember(c, block, ttl_ms);
        cki_block_release(block);
    }
}

// Once for each cache.
static void tell_of_rotation(struct cki_backed *b)
{
    if (!atomic_exchange(&b->function->cache->backing->is_rotation_told, true)) {
        cki_l2_tell(b, CACHEKIT_LOG_WARNING, "the current key has sealed 2^31 results",
                    CACHEKIT_ROTATE, 0);
    }
}

cachekit_status cki_backed_keep(struct cki_backed_call *c, const cachekit_result *result,
                                struct cki_reply *reply, struct cki_flight *flight)
{
    struct cki_backed *b = c->b;
    cachekit_error failure;
    cki_error_empty(&failure);
    cachekit_status status = cki_codec_encode(&b->codec, c->name, result, reply, &failure);
    if (status == CACHEKIT_ROTATE) {
        tell_of_rotation(b);
        status = CACHEKIT_OK;
    }
    if (status == CACHEKIT_OK && reply->stored.len > b->value_max_bytes) {
        cki_count(&b->too_large);
        cki_l2_log(b, CACHEKIT_LOG_WARNING, "a result was not stored", CACHEKIT_E_TOO_LARGE);
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
