// SPDX-License-Identifier: MIT
// Where a call finds its result: in memory, then at the backend. Bytes that are no value are
// counted by cause, removed, and looked past.
#include <cachekit/seal.h>

#include "base/status.h"
#include "base/yield.h"
#include "call/backed_call.h"
#include "call/l2.h"

void cki_backed_hit(const struct cki_backed_call *c, struct cki_reply *reply, cachekit_layer layer)
{
    c->hit->object = reply->object;
    c->hit->size_bytes = reply->size_bytes;
    c->hit->layer = layer;
    c->hit->grip = (uintptr_t)reply | CKI_GRIP_REPLY;
    c->hit->owner = c->b->function;
}

// Bytes that are no value: counted by cause.
static void count_poison(struct cki_backed_call *c, cachekit_status status, enum cki_tier tier)
{
    struct cki_backed *b = c->b;
    bool is_unauthentic = status == CACHEKIT_E_AUTH;
    cki_count(is_unauthentic ? &b->unauthentic : &b->corrupt);
    if (b->codec.keyring != NULL) {
        cki_metrics_decrypt_failure(b->alarms, is_unauthentic ? CKI_AUTH_TAMPER : CKI_CORRUPTION,
                                    tier);
    }
    cki_l2_log(b, is_unauthentic ? CACHEKIT_LOG_ERROR : CACHEKIT_LOG_WARNING,
               tier == CKI_TIER_L1 ? "bytes in memory are no value" : "stored bytes are no value",
               status);
}

// A failure of ours, not of the bytes: no memory, or a keyring that cannot be used in this child.
static bool is_ours(cachekit_status status)
{
    return status == CACHEKIT_E_NOMEM || status == CACHEKIT_E_CONFIG;
}

static void upgrade(struct cki_backed_call *c, const struct cki_byte_hit *found,
                    const struct cki_held *held)
{
    struct cki_block *block = cki_block_copy(&c->b->bytes->ledger, held->bytes, held->kind);
    if (block != NULL) {
        (void)cki_byte_cache_upgrade(c->b->bytes, &c->key, found->generation, block);
        cki_block_release(block);
    }
}

cachekit_status cki_backed_look(struct cki_backed_call *c)
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
    cachekit_status status = cki_codec_decode(&b->codec, c->name, cki_block_slice(found.block),
                                              found.block->kind, reply, &held, NULL);
    if (status != CACHEKIT_OK) {
        if (!is_ours(status)) {
            (void)cki_byte_cache_evict(b->bytes, &c->key, found.generation);
            count_poison(c, status, CKI_TIER_L1);
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
    cki_backed_hit(c, reply, CACHEKIT_LAYER_L1);
    return CACHEKIT_OK;
}

struct cki_block *cki_backed_block(struct cki_backed *b, struct cki_reply *reply)
{
    return b->uses_memory ? cki_block_take(&b->bytes->ledger, &reply->stored, CKI_BLOCK_STORED)
                          : NULL;
}

void cki_backed_remember(struct cki_backed_call *c, struct cki_block *block, int64_t ttl_ms)
{
    const struct cki_byte_store store = {&c->key, block, c->b->owner, ttl_ms, c->epoch};
    switch (cki_byte_cache_put(c->b->bytes, &store)) {
    case CKI_BYTES_STORED:
    case CKI_BYTES_SHORT:
        break;
    case CKI_BYTES_TOO_LARGE:
        cki_count(&c->b->refused);
        break;
    default:
        cki_count(&c->b->unstored);
    }
}

// Whoever invalidates all from here on knows of the key; whoever began to since the backend was
// asked may not have, and the bytes are taken from it here.
static void track(struct cki_backed_call *c)
{
    struct cki_backed *b = c->b;
    (void)cki_owner_track(b->bytes, b->owner, &c->key, b->ttl_ms);
    if (cki_byte_cache_epoch(b->bytes, &c->key, b->owner) != c->epoch &&
        cki_l2_remove(b, c->name) < 0) {
        cki_owner_owe(b->bytes, b->owner, &c->key, b->ttl_ms);
    }
}

// What the backend had, decoded into `reply`.
static cachekit_status take_in(struct cki_backed_call *c, struct cki_reply *reply)
{
    struct cki_backed *b = c->b;
    struct cki_held held;
    reply->block = cki_backed_block(b, reply);
    cachekit_slice stored = reply->block != NULL
                                ? cki_block_slice(reply->block)
                                : (cachekit_slice){reply->stored.data, reply->stored.len};
    c->is_cut = b->codec.keyring != NULL && stored.len < CACHEKIT_SEAL_OVERHEAD_BYTES;
    cachekit_status status =
        cki_codec_decode(&b->codec, c->name, stored, CKI_BLOCK_STORED, reply, &held, NULL);
    if (status != CACHEKIT_OK) {
        return status;
    }
    CKI_YIELD();
    track(c);
    if (reply->block != NULL) {
        cki_backed_remember(c, reply->block, b->ttl_ms);
    }
    cki_count(&b->l2_hits);
    cki_backed_hit(c, reply, CACHEKIT_LAYER_L2);
    return CACHEKIT_OK;
}

// Bytes of the backend that could not be decoded. CACHEKIT_MISS, or what the caller is to be told:
// then they stay.
static cachekit_status judge(struct cki_backed_call *c, cachekit_status status)
{
    struct cki_backed *b = c->b;
    if (!is_ours(status)) {
        count_poison(c, status, CKI_TIER_L2);
    }
    bool is_unopened = status == CACHEKIT_E_AUTH || c->is_cut;
    if (status == CACHEKIT_E_CONFIG || (is_unopened && b->is_fail_closed)) {
        return cki_fail(c->error, status, 0, "stored bytes: %s", cachekit_status_text(status));
    }
    if (!is_ours(status)) {
        (void)cki_l2_remove(b, c->name);
    }
    return CACHEKIT_MISS;
}

cachekit_status cki_backed_fetch(struct cki_backed_call *c)
{
    struct cki_backed *b = c->b;
    c->epoch = cki_byte_cache_epoch(b->bytes, &c->key, b->owner);
    c->is_cut = false;
    cachekit_status status = CACHEKIT_MISS;
    struct cki_reply *reply = cki_reply_take(&b->replies);
    if (reply == NULL) {
        return status;
    }
    if (!cki_owner_owes(b->bytes, b->owner, &c->key)) {
        CKI_YIELD();
        status = cki_l2_get(b, c->name, &reply->stored);
    }
    if (status == CACHEKIT_OK) {
        status = take_in(c, reply);
    }
    if (status < 0) {
        status = judge(c, status);
    }
    if (status != CACHEKIT_OK) {
        cki_reply_drop(reply);
    }
    return status;
}
