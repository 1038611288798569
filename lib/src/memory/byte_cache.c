// SPDX-License-Identifier: MIT
// Finding, storing and removing. A hold of the lock never frees and never copies a value: what it
// takes out lies in a list, and is freed when the lock is free.
#include "memory/byte_cache.h"

#include <sched.h>

#include <cachekit/cache.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/yield.h"
#include "memory/byte_inside.h"

enum { NS_PER_MS = 1000000, EXPIRE_PER_STORE = 8, LOCK_TRIES = 200 };

cachekit_status cki_byte_cache_init(struct cki_byte_cache *cache,
                                    const struct cki_byte_options *options)
{
    *cache = (struct cki_byte_cache){.options = *options, .newest_ns = INT64_MIN};
    cache->ledger.allocator = options->allocator;
    for (int i = 0; i < CKI_ORDERS; i++) {
        cki_order_init(&cache->orders[i], i);
    }
    if (pthread_mutex_init(&cache->lock, NULL) != 0) {
        return CACHEKIT_E_NOMEM;
    }
    if (pthread_cond_init(&cache->emptied, NULL) != 0) {
        (void)pthread_mutex_destroy(&cache->lock);
        return CACHEKIT_E_NOMEM;
    }
    return CACHEKIT_OK;
}

bool cki_byte_cache_release(struct cki_byte_cache *cache)
{
    const cachekit_allocator *allocator = cache->options.allocator;
    (void)cki_byte_cache_clear(cache);
    if (atomic_load_explicit(&cache->ledger.blocks, memory_order_acquire) != 0) {
        return false;
    }
    for (struct cki_owner *o = cache->owners; o != NULL; o = o->next) {
        cki_track_release(cache, o);
    }
    cki_slots_free(allocator, cache->slots);
    cki_slots_free(allocator, cache->older);
    cki_order_release(&cache->orders[CKI_BY_DEADLINE], allocator);
    (void)pthread_cond_destroy(&cache->emptied);
    (void)pthread_mutex_destroy(&cache->lock);
    return true;
}

// A hold is shorter than falling asleep and being woken: whoever finds the lock taken first tries
// for a while.
void cki_byte_lock(struct cki_byte_cache *cache)
{
    int tries = 0;
    while (tries < LOCK_TRIES && pthread_mutex_trylock(&cache->lock) != 0) {
        tries++;
    }
    if (tries == LOCK_TRIES) {
        (void)pthread_mutex_lock(&cache->lock);
    }
    CKI_YIELD();
}

void cki_byte_unlock(struct cki_byte_cache *cache)
{
    CKI_YIELD();
    (void)pthread_mutex_unlock(&cache->lock);
}

void cki_byte_free(struct cki_byte_cache *cache, struct cki_byte_gone *gone)
{
    for (struct cki_entry *e = gone->first, *next; e != NULL; e = next) {
        next = e->link;
        cki_block_release(cki_byte_block(e));
        cki_free(cache->options.allocator, e, cki_entry_bytes(e));
    }
    cki_slots_free(cache->options.allocator, gone->index);
    *gone = (struct cki_byte_gone){NULL, 0, 0, NULL};
}

void cki_byte_end(struct cki_byte_cache *cache, struct cki_byte_gone *gone)
{
    if (gone->count > cache->figures.most_removed) {
        cache->figures.most_removed = gone->count;
    }
    cki_byte_unlock(cache);
    cki_byte_free(cache, gone);
}

struct cki_key cki_byte_key(const struct cki_byte_cache *cache, cachekit_slice key)
{
    return (struct cki_key){cki_xxh3_seeded(key.data, key.len, cache->options.seed), CKI_KEY_BYTES,
                            (uint32_t)key.len, key.data};
}

static size_t stripe_of(uint64_t hash)
{
    return hash % CKI_BYTES_STRIPES;
}

// None of the three ever falls, so their sum is the same only if all of them are.
uint64_t cki_byte_epoch(const struct cki_byte_cache *cache, uint64_t hash,
                        const struct cki_owner *owner)
{
    return atomic_load_explicit(&cache->all_epoch, memory_order_acquire) +
           atomic_load_explicit(&cache->stripes[stripe_of(hash)], memory_order_acquire) +
           atomic_load_explicit(&owner->epoch, memory_order_acquire);
}

void cki_byte_overtake_locked(struct cki_byte_cache *cache, uint64_t hash)
{
    atomic_fetch_add_explicit(&cache->stripes[stripe_of(hash)], 1, memory_order_acq_rel);
}

uint64_t cki_byte_cache_epoch(const struct cki_byte_cache *cache, const struct cki_key *key,
                              const struct cki_owner *owner)
{
    return cki_byte_epoch(cache, key->hash, owner);
}

struct cki_entry *cki_byte_find_locked(const struct cki_byte_cache *cache,
                                       const struct cki_key *key)
{
    struct cki_entry *entry = cache->slots != NULL ? cki_slots_find(cache->slots, key) : NULL;
    return entry == NULL && cache->older != NULL ? cki_slots_find(cache->older, key) : entry;
}

void cki_byte_drop_locked(struct cki_byte_cache *cache, const struct cki_key *key,
                          uint64_t *counter, struct cki_byte_gone *gone)
{
    struct cki_entry *entry = cki_byte_find_locked(cache, key);
    if (entry != NULL) {
        cki_byte_unlink_locked(cache, entry, counter, gone);
    }
}

// The entry of the key if it may be served; one that may not is removed.
static struct cki_entry *find_live_locked(struct cki_byte_cache *cache, const struct cki_key *key,
                                          int64_t now_ns, struct cki_byte_gone *gone)
{
    struct cki_entry *entry = cki_byte_find_locked(cache, key);
    if (entry == NULL) {
        return NULL;
    }
    if (cki_byte_is_dead_locked(cache, entry)) {
        cki_byte_unlink_locked(cache, entry, &cache->figures.removed, gone);
        return NULL;
    }
    if (now_ns >= entry->expires_ns) {
        cki_byte_unlink_locked(cache, entry, &cache->figures.expired, gone);
        return NULL;
    }
    return entry;
}

// Every use gets a turn of its own, so the order is exact and all of it a run.
void cki_byte_use_locked(struct cki_byte_cache *cache, struct cki_entry *entry)
{
    struct cki_order *by_use = &cache->orders[CKI_BY_USE];
    if (by_use->tail != entry) {
        cki_order_remove(by_use, entry);
        cki_order_file(by_use, entry, (int64_t)++cache->turns);
    }
}

bool cki_byte_cache_get(struct cki_byte_cache *cache, const struct cki_key *key,
                        struct cki_byte_hit *hit)
{
    int64_t now_ns = cki_byte_now(cache);
    struct cki_byte_gone gone = {NULL, 0, 0, NULL};
    cki_byte_lock(cache);
    struct cki_entry *entry =
        find_live_locked(cache, key, cki_byte_now_locked(cache, now_ns), &gone);
    if (entry != NULL) {
        cki_byte_use_locked(cache, entry);
        *hit = (struct cki_byte_hit){cki_block_hold(cki_byte_block(entry)), entry->generation};
        cache->figures.hits++;
    } else {
        cache->figures.misses++;
    }
    cki_byte_unlock(cache);
    cki_byte_free(cache, &gone);
    return entry != NULL;
}

// 0: not to be stored.
static int64_t life_ns(int64_t ttl_ms)
{
    int64_t life;
    ttl_ms = ttl_ms == CACHEKIT_FOREVER_MS ? CKI_BYTES_TTL_DEFAULT_MS : ttl_ms;
    if (ttl_ms <= CKI_BYTES_MARGIN_MS) {
        return 0;
    }
    return __builtin_mul_overflow(ttl_ms - CKI_BYTES_MARGIN_MS, NS_PER_MS, &life) ? INT64_MAX
                                                                                  : life;
}

static void insert_locked(struct cki_byte_cache *cache, struct cki_entry *entry,
                          const struct cki_byte_store *store, int64_t now_ns)
{
    if (__builtin_add_overflow(now_ns, life_ns(store->ttl_ms), &entry->expires_ns)) {
        entry->expires_ns = INT64_MAX;
    }
    entry->object = cki_block_hold(store->block);
    entry->generation = ++cache->generation;
    cki_byte_set_owner(entry, store->owner);
    cki_slots_insert(cache->slots, entry);
    cki_order_file(&cache->orders[CKI_BY_DEADLINE], entry, entry->expires_ns);
    cki_order_file(&cache->orders[CKI_BY_USE], entry, (int64_t)++cache->turns);
    cache->count++;
    cache->entry_bytes += cki_entry_bytes(entry);
    cache->live_bytes += cki_block_bytes(store->block);
    cache->figures.stored++;
}

// What is wrong with it before anybody looks for room; CKI_BYTES_STORED: nothing.
static enum cki_byte_stored refusal(const struct cki_byte_cache *cache,
                                    const struct cki_byte_store *store,
                                    const struct cki_entry *entry)
{
    const size_t budget = cache->options.budget_bytes;
    if (life_ns(store->ttl_ms) == 0) {
        return CKI_BYTES_SHORT;
    }
    if (store->block->len > budget / CKI_BYTES_VALUE_SHARE) {
        return CKI_BYTES_TOO_LARGE;
    }
    if (entry == NULL) {
        return CKI_BYTES_NO_MEMORY;
    }
    size_t alone = cki_entry_bytes(entry) + cki_block_bytes(store->block);
    if (alone + cki_byte_first_index() > budget) {
        return CKI_BYTES_TOO_LARGE;
    }
    return cki_word_fits(entry) ? CKI_BYTES_STORED : CKI_BYTES_NO_MEMORY;
}

static bool is_unfinished(enum cki_byte_room room)
{
    return room == CKI_BYTE_ROOM_LATER || room == CKI_BYTE_ROOM_GROW;
}

// One hold. CKI_BYTE_ROOM_LATER and CKI_BYTE_ROOM_GROW: once more.
static enum cki_byte_room put_locked(struct cki_byte_cache *cache,
                                     const struct cki_byte_store *store, struct cki_entry *entry,
                                     enum cki_byte_stored *stored, struct cki_byte_spare *spare,
                                     struct cki_byte_gone *gone)
{
    const int64_t now_ns = cache->newest_ns;
    if (store->epoch != CKI_BYTES_ANY_EPOCH &&
        store->epoch != cki_byte_epoch(cache, store->key->hash, store->owner)) {
        *stored = CKI_BYTES_OVERTAKEN;
        return CKI_BYTE_ROOM_NONE;
    }
    cki_byte_drop_locked(cache, store->key, &cache->figures.replaced, gone);
    cki_byte_expire_locked(cache, now_ns, EXPIRE_PER_STORE, gone);
    if (*stored != CKI_BYTES_STORED) {
        return CKI_BYTE_ROOM_NONE;
    }
    enum cki_byte_room room =
        cki_byte_room_locked(cache, now_ns, cki_entry_bytes(entry), spare, gone);
    if (room == CKI_BYTE_ROOM) {
        insert_locked(cache, entry, store, now_ns);
        cki_byte_move_locked(cache, gone);
    } else if (!is_unfinished(room)) {
        *stored = room == CKI_BYTE_ROOM_NONE ? CKI_BYTES_NO_ROOM : CKI_BYTES_NO_MEMORY;
    }
    return room;
}

static void count_put_locked(struct cki_byte_cache *cache, enum cki_byte_stored stored)
{
    struct cki_byte_figures *f = &cache->figures;
    f->refused += stored == CKI_BYTES_SHORT || stored == CKI_BYTES_TOO_LARGE;
    f->unstored += stored == CKI_BYTES_NO_ROOM || stored == CKI_BYTES_NO_MEMORY;
    f->overtaken += stored == CKI_BYTES_OVERTAKEN;
}

// CKI_BYTES_STORED, or that there is no memory.
static enum cki_byte_stored make_spare(const struct cki_byte_cache *cache,
                                       struct cki_byte_spare *spare)
{
    cki_slots_free(cache->options.allocator, spare->slots);
    spare->slots = cki_slots_new(cache->options.allocator, spare->wanted);
    return spare->slots != NULL ? CKI_BYTES_STORED : CKI_BYTES_NO_MEMORY;
}

static enum cki_byte_stored put_entry(struct cki_byte_cache *cache,
                                      const struct cki_byte_store *store, struct cki_entry *entry)
{
    struct cki_byte_gone gone = {NULL, 0, 0, NULL};
    struct cki_byte_spare spare = {NULL, 0};
    enum cki_byte_stored stored = refusal(cache, store, entry);
    enum cki_byte_room room;
    do {
        int64_t now_ns = cki_byte_now(cache);
        cki_byte_lock(cache);
        (void)cki_byte_now_locked(cache, now_ns);
        room = put_locked(cache, store, entry, &stored, &spare, &gone);
        if (!is_unfinished(room)) {
            count_put_locked(cache, stored);
        }
        cki_byte_end(cache, &gone);
        if (room == CKI_BYTE_ROOM_GROW) {
            stored = make_spare(cache, &spare);
        }
    } while (is_unfinished(room));
    cki_slots_free(cache->options.allocator, spare.slots);
    return stored;
}

enum cki_byte_stored cki_byte_cache_put(struct cki_byte_cache *cache,
                                        const struct cki_byte_store *store)
{
    const cachekit_allocator *allocator = cache->options.allocator;
    struct cki_entry *entry =
        life_ns(store->ttl_ms) != 0 ? cki_entry_new(allocator, store->key) : NULL;
    enum cki_byte_stored stored = put_entry(cache, store, entry);
    if (stored != CKI_BYTES_STORED && entry != NULL) {
        cki_free(allocator, entry, cki_entry_bytes(entry));
    }
    return stored;
}

bool cki_byte_cache_upgrade(struct cki_byte_cache *cache, const struct cki_key *key,
                            uint64_t generation, struct cki_block *block)
{
    struct cki_block *old = NULL;
    cki_byte_lock(cache);
    struct cki_entry *entry = cki_byte_find_locked(cache, key);
    if (entry != NULL && entry->generation == generation &&
        !cki_byte_is_dead_locked(cache, entry) &&
        cki_block_bytes(block) <= cki_block_bytes(cki_byte_block(entry))) {
        old = cki_byte_block(entry);
        entry->object = cki_block_hold(block);
        cache->live_bytes += cki_block_bytes(block);
        cache->live_bytes -= cki_block_bytes(old);
        cache->figures.upgraded++;
    }
    cki_byte_unlock(cache);
    cki_block_release(old);
    return old != NULL;
}

bool cki_byte_cache_evict(struct cki_byte_cache *cache, const struct cki_key *key,
                          uint64_t generation)
{
    struct cki_byte_gone gone = {NULL, 0, 0, NULL};
    cki_byte_lock(cache);
    struct cki_entry *entry = cki_byte_find_locked(cache, key);
    if (entry != NULL && entry->generation == generation) {
        cki_byte_unlink_locked(cache, entry, &cache->figures.removed, &gone);
    }
    bool is_gone = gone.count != 0;
    cki_byte_unlock(cache);
    cki_byte_free(cache, &gone);
    return is_gone;
}

uint64_t cki_byte_cache_remove(struct cki_byte_cache *cache, const struct cki_key *key)
{
    struct cki_byte_gone gone = {NULL, 0, 0, NULL};
    cki_byte_lock(cache);
    cki_byte_overtake_locked(cache, key->hash);
    cki_byte_drop_locked(cache, key, &cache->figures.removed, &gone);
    uint64_t mark = cache->turns;
    cki_byte_unlock(cache);
    cki_byte_free(cache, &gone);
    return mark;
}

void cki_byte_cache_remove_many(struct cki_byte_cache *cache, const struct cki_key *keys,
                                size_t count)
{
    for (size_t i = 0; i < count;) {
        struct cki_byte_gone gone = {NULL, 0, 0, NULL};
        size_t end = count - i > CKI_BYTES_BATCH ? i + CKI_BYTES_BATCH : count;
        cki_byte_lock(cache);
        for (; i < end; i++) {
            cki_byte_overtake_locked(cache, keys[i].hash);
            cki_byte_drop_locked(cache, &keys[i], &cache->figures.removed, &gone);
        }
        cki_byte_unlock(cache);
        cki_byte_free(cache, &gone);
        (void)sched_yield();
    }
}
