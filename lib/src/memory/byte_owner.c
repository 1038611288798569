// SPDX-License-Identifier: MIT
// The rules of tracked keys: who is tracked, who is owed, and the invalidation of all that a
// function has.
#include "memory/byte_owner.h"

#include <cachekit/cache.h>

#include "memory/byte_inside.h"

enum { NS_PER_MS = 1000000, EXPIRE_PER_TRACK = 2 };

void cki_owner_add(struct cki_byte_cache *cache, struct cki_owner *owner)
{
    *owner = (struct cki_owner){.lone = NULL};
    cki_byte_lock(cache);
    owner->next = cache->owners;
    cache->owners = owner;
    cki_byte_unlock(cache);
}

static int64_t end_of(int64_t now_ns, int64_t ttl_ms)
{
    int64_t end;
    if (ttl_ms == CACHEKIT_FOREVER_MS || __builtin_mul_overflow(ttl_ms, NS_PER_MS, &end) ||
        __builtin_add_overflow(now_ns, end, &end)) {
        return INT64_MAX;
    }
    return end;
}

// One key on its way into the books.
struct filing {
    int64_t expires_ns;
    bool is_owed;
    struct cki_tracked *spare;   // for a key that is new; NULL afterwards if it was needed
    struct cki_tracked *dropped; // who left for it, by `next`
};

// False: the spare is needed, and there is none, or no room for it.
static bool file_locked(struct cki_byte_cache *cache, struct cki_owner *owner,
                        const struct cki_key *key, struct filing *filing)
{
    const size_t bytes = cki_track_bytes(key->len);
    struct cki_tracked *t = cki_track_find(owner, key);
    if (t != NULL) {
        if (filing->expires_ns > t->expires_ns) {
            t->expires_ns = filing->expires_ns;
        }
        cki_track_move_locked(cache, owner, t, filing->is_owed || t->is_owed);
        return true;
    }
    if (filing->spare == NULL ||
        !cki_track_room_locked(cache, cache->newest_ns, bytes, &filing->dropped)) {
        return false;
    }
    filing->spare->expires_ns = filing->expires_ns;
    filing->spare->is_owed = filing->is_owed;
    cki_track_insert_locked(cache, owner, filing->spare);
    filing->spare = NULL;
    return true;
}

// Keys at the old end that the backend has forgotten by now.
static void expire_locked(struct cki_byte_cache *cache, struct cki_owner *owner, int64_t now_ns,
                          struct cki_tracked **dropped)
{
    struct cki_tracked *t;
    for (int i = 0; i < EXPIRE_PER_TRACK && (t = owner->kept.first) != NULL; i++) {
        if (t->expires_ns > now_ns) {
            return;
        }
        cki_track_remove_locked(cache, owner, t);
        t->next = *dropped;
        *dropped = t;
    }
}

static bool file(struct cki_byte_cache *cache, struct cki_owner *owner, const struct cki_key *key,
                 int64_t ttl_ms, bool is_owed)
{
    struct filing filing = {.is_owed = is_owed};
    struct cki_byte_gone gone = {NULL, 0, 0, NULL};
    int64_t now_ns = cki_byte_now(cache);
    cki_byte_lock(cache);
    now_ns = cki_byte_now_locked(cache, now_ns);
    bool is_filed = cki_track_find(owner, key) != NULL;
    if (!is_filed) {
        cki_byte_unlock(cache);
        filing.spare = cki_track_new(cache, key);
        cki_byte_lock(cache);
        expire_locked(cache, owner, now_ns, &filing.dropped);
    }
    filing.expires_ns = end_of(now_ns, ttl_ms);
    is_filed = file_locked(cache, owner, key, &filing);
    if (!is_filed) {
        owner->forgotten++;
        if (is_owed) {
            cki_track_owe_all_locked(owner, filing.expires_ns);
        }
    }
    (void)cki_byte_room_locked(cache, now_ns, 0, NULL, &gone);
    cki_byte_end(cache, &gone);
    cki_track_free_list(cache, filing.spare);
    cki_track_free_list(cache, filing.dropped);
    return is_filed;
}

bool cki_owner_track(struct cki_byte_cache *cache, struct cki_owner *owner,
                     const struct cki_key *key, int64_t ttl_ms)
{
    return file(cache, owner, key, ttl_ms, false);
}

void cki_owner_owe(struct cki_byte_cache *cache, struct cki_owner *owner, const struct cki_key *key,
                   int64_t ttl_ms)
{
    (void)file(cache, owner, key, ttl_ms, true);
}

bool cki_owner_written(struct cki_byte_cache *cache, struct cki_owner *owner,
                       const struct cki_key *key, uint64_t epoch)
{
    if (atomic_load(&owner->owed_count) == 0) {
        return epoch == cki_byte_cache_epoch(cache, key, owner);
    }
    cki_byte_lock(cache);
    bool is_current = epoch == cki_byte_epoch(cache, key->hash, owner);
    struct cki_tracked *t = cki_track_find(owner, key);
    if (is_current && t != NULL && t->is_owed) {
        cki_track_move_locked(cache, owner, t, false);
    }
    cki_byte_unlock(cache);
    return is_current;
}

void cki_owner_untrack(struct cki_byte_cache *cache, struct cki_owner *owner,
                       const struct cki_key *key, uint64_t mark)
{
    struct cki_tracked *dropped = NULL;
    cki_byte_lock(cache);
    struct cki_tracked *t = cki_track_find(owner, key);
    if (t != NULL && t->turn <= mark) {
        cki_track_remove_locked(cache, owner, t);
        t->next = NULL;
        dropped = t;
    }
    cki_byte_unlock(cache);
    cki_track_free_list(cache, dropped);
}

static bool owes_all_locked(struct cki_owner *owner, int64_t now_ns)
{
    if (owner->owed_all_ns != 0 && owner->owed_all_ns <= now_ns) {
        owner->owed_all_ns = 0;
        atomic_fetch_sub(&owner->owed_count, 1);
    }
    return owner->owed_all_ns != 0 || owner->owed_taken != 0;
}

bool cki_owner_owes(struct cki_byte_cache *cache, struct cki_owner *owner,
                    const struct cki_key *key)
{
    if (atomic_load(&owner->owed_count) == 0) {
        return false;
    }
    int64_t now_ns = cki_byte_now(cache);
    cki_byte_lock(cache);
    now_ns = cki_byte_now_locked(cache, now_ns);
    bool owes = owes_all_locked(owner, now_ns);
    if (!owes) {
        const struct cki_tracked *t = cki_track_find(owner, key);
        owes = t != NULL && t->is_owed;
    }
    cki_byte_unlock(cache);
    return owes;
}

uint64_t cki_owner_begin(struct cki_byte_cache *cache, struct cki_owner *owner)
{
    cki_byte_lock(cache);
    while (owner->is_emptied) {
        (void)pthread_cond_wait(&cache->emptied, &cache->lock);
    }
    owner->is_emptied = true;
    atomic_fetch_add_explicit(&owner->epoch, 1, memory_order_acq_rel);
    uint64_t mark = cache->turns;
    cki_byte_unlock(cache);
    return mark;
}

static uint64_t end_locked(struct cki_byte_cache *cache, struct cki_owner *owner)
{
    atomic_fetch_add_explicit(&owner->epoch, 1, memory_order_acq_rel);
    owner->is_emptied = false;
    uint64_t forgotten = owner->forgotten;
    owner->forgotten = 0;
    (void)pthread_cond_broadcast(&cache->emptied);
    return forgotten;
}

uint64_t cki_owner_end(struct cki_byte_cache *cache, struct cki_owner *owner)
{
    cki_byte_lock(cache);
    uint64_t forgotten = end_locked(cache, owner);
    cki_byte_unlock(cache);
    return forgotten;
}

uint64_t cki_owner_end_owing(struct cki_byte_cache *cache, struct cki_owner *owner, int64_t ttl_ms)
{
    int64_t now_ns = cki_byte_now(cache);
    cki_byte_lock(cache);
    now_ns = cki_byte_now_locked(cache, now_ns);
    uint64_t forgotten = end_locked(cache, owner);
    if (forgotten > 0) {
        cki_track_owe_all_locked(owner, end_of(now_ns, ttl_ms));
    }
    cki_byte_unlock(cache);
    return forgotten;
}

// Moves keys that were there at the mark to another list, also those that were tracked again since:
// what that reads may be from before. Those that are owed still are.
static size_t take_from(struct cki_byte_cache *cache, struct cki_owner *owner,
                        const struct cki_tracked_list *from, uint64_t mark, size_t most,
                        struct cki_tracked **list)
{
    size_t count = 0;
    struct cki_tracked *t, *next;
    for (t = from->first; count < most && t != NULL; t = next) {
        next = t->next;
        if (t->since > mark) {
            continue;
        }
        cki_track_remove_locked(cache, owner, t);
        t->was_owed = t->is_owed;
        if (t->was_owed) {
            owner->owed_taken++;
            atomic_fetch_add(&owner->owed_count, 1);
        }
        t->next = *list;
        *list = t;
        count++;
    }
    return count;
}

struct cki_tracked *cki_owner_take(struct cki_byte_cache *cache, struct cki_owner *owner,
                                   uint64_t mark)
{
    struct cki_tracked *list = NULL;
    struct cki_byte_gone gone = {NULL, 0, 0, NULL};
    cki_byte_lock(cache);
    size_t count = take_from(cache, owner, &owner->owed, mark, CKI_BYTES_BATCH, &list);
    (void)take_from(cache, owner, &owner->kept, mark, CKI_BYTES_BATCH - count, &list);
    for (const struct cki_tracked *t = list; t != NULL; t = t->next) {
        struct cki_key key = cki_tracked_key(t);
        cki_byte_drop_locked(cache, &key, &cache->figures.removed, &gone);
    }
    cki_byte_unlock(cache);
    cki_byte_free(cache, &gone);
    return list;
}

struct cki_tracked *cki_owner_take_owed(struct cki_byte_cache *cache, struct cki_owner *owner)
{
    struct cki_tracked *list = NULL;
    if (atomic_load(&owner->owed_count) == 0) {
        return NULL;
    }
    cki_byte_lock(cache);
    (void)take_from(cache, owner, &owner->owed, UINT64_MAX, CKI_BYTES_BATCH, &list);
    cki_byte_unlock(cache);
    return list;
}

void cki_owner_give(struct cki_byte_cache *cache, struct cki_owner *owner, struct cki_tracked *list)
{
    struct cki_tracked *dropped = NULL;
    cki_byte_lock(cache);
    while (list != NULL) {
        struct cki_tracked *t = list;
        const struct cki_key key = cki_tracked_key(t);
        struct filing filing = {t->expires_ns, t->is_owed, t, dropped};
        list = t->next;
        if (t->was_owed) {
            owner->owed_taken--;
            atomic_fetch_sub(&owner->owed_count, 1);
        }
        if (t->is_owed && !file_locked(cache, owner, &key, &filing)) {
            owner->forgotten++;
            cki_track_owe_all_locked(owner, t->expires_ns);
        }
        dropped = filing.dropped;
        if (filing.spare != NULL) {
            t->next = dropped;
            dropped = t;
        }
    }
    cki_byte_unlock(cache);
    cki_track_free_list(cache, dropped);
}
