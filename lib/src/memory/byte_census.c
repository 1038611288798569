// SPDX-License-Identifier: MIT
// Figures of the byte cache, and the validator for tests.
#include "memory/byte_inside.h"

void cki_byte_cache_usage(struct cki_byte_cache *cache, struct cki_byte_usage *usage)
{
    cki_byte_lock(cache);
    size_t blocks = atomic_load_explicit(&cache->ledger.bytes, memory_order_relaxed);
    *usage = (struct cki_byte_usage){
        .figures = cache->figures,
        .entries = cache->count,
        .tracked_keys = cache->tracked_count,
        .used_bytes = cki_byte_used_locked(cache),
        .overhead_bytes = cache->index_bytes,
        .tracked_bytes = cache->tracked_bytes,
        .adrift_bytes = blocks > cache->live_bytes ? blocks - cache->live_bytes : 0,
        .budget_bytes = cache->options.budget_bytes,
    };
    cki_byte_unlock(cache);
}

static bool entries_are_valid(const struct cki_byte_cache *cache)
{
    size_t entries = 0, blocks = 0, count = 0;
    const struct cki_entry *e = cache->orders[CKI_BY_USE].head;
    for (; e != NULL; e = e->places[CKI_BY_USE].next) {
        struct cki_key key = cki_entry_key(e);
        if (cki_byte_find_locked(cache, &key) != e ||
            e->places[CKI_BY_DEADLINE].rank != e->expires_ns) {
            return false;
        }
        entries += cki_entry_bytes(e);
        blocks += cki_block_bytes(cki_byte_block(e));
        count++;
    }
    return count == cache->count && entries == cache->entry_bytes && blocks == cache->live_bytes;
}

static bool owners_are_valid(const struct cki_byte_cache *cache)
{
    size_t bytes = 0, count = 0;
    for (const struct cki_owner *o = cache->owners; o != NULL; o = o->next) {
        if (!cki_track_is_valid(o, &bytes)) {
            return false;
        }
        count += o->count;
    }
    return bytes == cache->tracked_bytes && count == cache->tracked_count;
}

bool cki_byte_cache_is_valid(struct cki_byte_cache *cache)
{
    cki_byte_lock(cache);
    const struct cki_slots *tables[] = {cache->slots, cache->older};
    size_t bytes = cki_order_bytes(&cache->orders[CKI_BY_DEADLINE]), used = 0;
    for (int i = 0; i < 2; i++) {
        bytes += tables[i] != NULL ? cki_slots_bytes(tables[i]) : 0;
        used += tables[i] != NULL ? tables[i]->used : 0;
    }
    bool valid = entries_are_valid(cache) && owners_are_valid(cache) && used == cache->count &&
                 cache->index_bytes == bytes &&
                 atomic_load(&cache->ledger.bytes) >= cache->live_bytes;
    for (int i = 0; i < CKI_ORDERS; i++) {
        valid = valid && cki_order_is_valid(&cache->orders[i], cache->count);
    }
    cki_byte_unlock(cache);
    return valid;
}
