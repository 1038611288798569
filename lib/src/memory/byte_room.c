// SPDX-License-Identifier: MIT
// Who must leave the byte cache for what comes: expired entries first, then the least recently
// used. Index and order grow only if the budget pays for it; an entry that finds the index full
// takes somebody's place. An index grows a little with every store: the outgrown one stays beside
// the new one until it is empty, so no hold of the lock rebuilds anything.
#include "base/alloc.h"
#include "memory/byte_inside.h"

enum { FIRST_SLOTS = 16, MOVES_PER_STORE = 128 };

size_t cki_byte_used_locked(const struct cki_byte_cache *cache)
{
    return cache->entry_bytes + cache->index_bytes + cache->tracked_bytes +
           atomic_load_explicit(&cache->ledger.bytes, memory_order_relaxed);
}

void cki_byte_unlink_locked(struct cki_byte_cache *cache, struct cki_entry *entry,
                            uint64_t *counter, struct cki_byte_gone *gone)
{
    const struct cki_key key = cki_entry_key(entry);
    bool is_older = cache->older != NULL && cki_slots_find(cache->slots, &key) != entry;
    cki_slots_remove(is_older ? cache->older : cache->slots, entry);
    for (int i = 0; i < CKI_ORDERS; i++) {
        cki_order_remove(&cache->orders[i], entry);
    }
    cache->count--;
    cache->entry_bytes -= cki_entry_bytes(entry);
    const struct cki_block *block = cki_byte_block(entry);
    cache->live_bytes -= cki_block_bytes(block);
    if (atomic_load_explicit(&block->holders, memory_order_relaxed) == 1) {
        gone->bytes += cki_block_bytes(block);
    }
    ++*counter;
    entry->link = gone->first;
    gone->first = entry;
    gone->count++;
}

void cki_byte_expire_locked(struct cki_byte_cache *cache, int64_t now_ns, size_t most,
                            struct cki_byte_gone *gone)
{
    struct cki_entry *first;
    while (gone->count < most &&
           (first = cki_order_first(&cache->orders[CKI_BY_DEADLINE])) != NULL &&
           first->expires_ns <= now_ns) {
        cki_byte_unlink_locked(cache, first, &cache->figures.expired, gone);
    }
}

static size_t slots_for(const struct cki_byte_cache *cache)
{
    return cache->slots == NULL ? FIRST_SLOTS : (cache->slots->mask + 1) * 2;
}

static bool is_index_full(const struct cki_byte_cache *cache)
{
    return cache->slots == NULL || cache->count + 1 > (cache->slots->mask + 1) / 2;
}

static size_t index_bytes(const struct cki_byte_cache *cache)
{
    return cki_order_bytes(&cache->orders[CKI_BY_DEADLINE]) +
           (cache->slots != NULL ? cki_slots_bytes(cache->slots) : 0) +
           (cache->older != NULL ? cki_slots_bytes(cache->older) : 0);
}

static size_t index_growth(const struct cki_byte_cache *cache)
{
    size_t bytes = cki_order_growth(&cache->orders[CKI_BY_DEADLINE], (uint32_t)cache->count + 1);
    if (is_index_full(cache)) {
        bytes += sizeof(struct cki_slots) + slots_for(cache) * sizeof(uint64_t);
    }
    return bytes;
}

size_t cki_byte_first_index(void)
{
    const struct cki_order none = {0};
    return cki_order_growth(&none, 1) + sizeof(struct cki_slots) + FIRST_SLOTS * sizeof(uint64_t);
}

void cki_byte_move_locked(struct cki_byte_cache *cache, struct cki_byte_gone *gone)
{
    struct cki_slots *older = cache->older;
    for (int i = 0; older != NULL && i < MOVES_PER_STORE; i++) {
        if (cache->moved > older->mask) {
            gone->index = older;
            cache->older = NULL;
            cache->index_bytes = index_bytes(cache);
            return;
        }
        uint64_t word = atomic_load_explicit(&older->words[cache->moved], memory_order_relaxed);
        if (word == 0) {
            cache->moved++;
        } else {
            // Its successors close up, so the same slot is looked at again.
            cki_slots_remove(older, cki_word_entry(word));
            cki_slots_insert(cache->slots, cki_word_entry(word));
        }
    }
}

static enum cki_byte_room grow_index_locked(struct cki_byte_cache *cache,
                                            struct cki_byte_spare *spare)
{
    struct cki_order *by_deadline = &cache->orders[CKI_BY_DEADLINE];
    if (is_index_full(cache)) {
        spare->wanted = slots_for(cache);
        if (spare->slots == NULL || spare->slots->mask + 1 != spare->wanted) {
            return CKI_BYTE_ROOM_GROW;
        }
    }
    if (!cki_order_reserve(by_deadline, cache->options.allocator, (uint32_t)cache->count + 1)) {
        return CKI_BYTE_ROOM_NO_MEMORY;
    }
    if (is_index_full(cache)) {
        cache->older = cache->slots;
        cache->moved = 0;
        cache->slots = spare->slots;
        spare->slots = NULL;
    }
    cache->index_bytes = index_bytes(cache);
    return CKI_BYTE_ROOM;
}

// NULL: the cache is empty.
static struct cki_entry *victim_locked(struct cki_byte_cache *cache, int64_t now_ns,
                                       uint64_t **counter)
{
    struct cki_entry *first = cki_order_first(&cache->orders[CKI_BY_DEADLINE]);
    if (first != NULL && first->expires_ns <= now_ns) {
        *counter = &cache->figures.expired;
        return first;
    }
    *counter = &cache->figures.evicted;
    return cki_order_first(&cache->orders[CKI_BY_USE]);
}

enum cki_byte_room cki_byte_room_locked(struct cki_byte_cache *cache, int64_t now_ns, size_t more,
                                        struct cki_byte_spare *spare, struct cki_byte_gone *gone)
{
    const struct cki_byte_options *o = &cache->options;
    const size_t count_max = o->entries_max != 0 ? o->entries_max : CKI_NOWHERE / 2;
    for (;;) {
        size_t growth = spare != NULL ? index_growth(cache) : 0;
        // While one index is moving no other can begin; there is no need, it is so short a while.
        bool has_place = spare == NULL || (cache->count < count_max &&
                                           (cache->older == NULL || !is_index_full(cache)));
        size_t used = cki_byte_used_locked(cache) - gone->bytes;
        if (has_place && used + growth + more <= o->budget_bytes) {
            return growth == 0 ? CKI_BYTE_ROOM : grow_index_locked(cache, spare);
        }
        if (gone->count >= CKI_BYTES_SWEEP) {
            return CKI_BYTE_ROOM_LATER;
        }
        uint64_t *counter;
        struct cki_entry *victim = victim_locked(cache, now_ns, &counter);
        if (victim == NULL) {
            return CKI_BYTE_ROOM_NONE;
        }
        cki_byte_unlink_locked(cache, victim, counter, gone);
    }
}
