// SPDX-License-Identifier: MIT
// Who must leave the byte cache for what comes: expired entries first, then the least recently
// used. Index and order grow only if the budget pays for it; an entry that finds the index full
// takes somebody's place.
#include "base/alloc.h"
#include "memory/byte_inside.h"

enum { FIRST_SLOTS = 16 };

size_t cki_byte_used_locked(const struct cki_byte_cache *cache)
{
    return cache->entry_bytes + cache->index_bytes + cache->tracked_bytes +
           atomic_load_explicit(&cache->ledger.bytes, memory_order_relaxed);
}

void cki_byte_unlink_locked(struct cki_byte_cache *cache, struct cki_entry *entry,
                            uint64_t *counter, struct cki_byte_gone *gone)
{
    cki_slots_remove(cache->slots, entry);
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

static size_t index_growth(const struct cki_byte_cache *cache)
{
    size_t bytes = cki_order_growth(&cache->orders[CKI_BY_DEADLINE], (uint32_t)cache->count + 1);
    if (is_index_full(cache)) {
        bytes += sizeof(struct cki_slots) + slots_for(cache) * sizeof(uint64_t);
        bytes -= cache->slots != NULL ? cki_slots_bytes(cache->slots) : 0;
    }
    return bytes;
}

size_t cki_byte_first_index(const struct cki_byte_cache *cache)
{
    struct cki_order none = {0};
    (void)cache;
    return cki_order_growth(&none, 1) + sizeof(struct cki_slots) + FIRST_SLOTS * sizeof(uint64_t);
}

static bool grow_index_locked(struct cki_byte_cache *cache)
{
    const cachekit_allocator *allocator = cache->options.allocator;
    struct cki_order *by_deadline = &cache->orders[CKI_BY_DEADLINE];
    if (!cki_order_reserve(by_deadline, allocator, (uint32_t)cache->count + 1)) {
        return false;
    }
    if (is_index_full(cache)) {
        struct cki_slots *slots = cki_slots_new(allocator, slots_for(cache));
        if (slots == NULL) {
            cache->index_bytes = cki_order_bytes(by_deadline) +
                                 (cache->slots != NULL ? cki_slots_bytes(cache->slots) : 0);
            return false;
        }
        const struct cki_order *by_use = &cache->orders[CKI_BY_USE];
        for (struct cki_entry *e = by_use->head; e != NULL; e = e->places[CKI_BY_USE].next) {
            cki_slots_insert(slots, e);
        }
        cki_slots_free(allocator, cache->slots);
        cache->slots = slots;
    }
    cache->index_bytes = cki_order_bytes(by_deadline) + cki_slots_bytes(cache->slots);
    return true;
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
                                        bool is_entry, struct cki_byte_gone *gone)
{
    const struct cki_byte_options *o = &cache->options;
    const size_t count_max = o->entries_max != 0 ? o->entries_max : CKI_NOWHERE / 2;
    for (;;) {
        size_t growth = is_entry ? index_growth(cache) : 0;
        bool fits = cki_byte_used_locked(cache) - gone->bytes + growth + more <= o->budget_bytes &&
                    (!is_entry || cache->count < count_max);
        if (fits) {
            return growth == 0 || grow_index_locked(cache) ? CKI_BYTE_ROOM
                                                           : CKI_BYTE_ROOM_NO_MEMORY;
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
