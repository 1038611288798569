// SPDX-License-Identifier: MIT
// The lists and tables of tracked keys. Filing a key that has memory never fails: a table that
// cannot grow has longer chains, and one that cannot even begin is a single chain.
#include <string.h>

#include "base/alloc.h"
#include "memory/byte_inside.h"

enum { FIRST_BUCKETS = 16, FORGET_MAX = 128 };

size_t cki_track_bytes(uint32_t len)
{
    return sizeof(struct cki_tracked) + len;
}

struct cki_tracked *cki_track_new(const struct cki_byte_cache *cache, const struct cki_key *key)
{
    struct cki_tracked *tracked = cki_alloc(cache->options.allocator, cki_track_bytes(key->len));
    if (tracked != NULL) {
        *tracked = (struct cki_tracked){.hash = key->hash, .len = key->len};
        memcpy(tracked->key, key->bytes, key->len);
    }
    return tracked;
}

void cki_track_free_list(const struct cki_byte_cache *cache, struct cki_tracked *list)
{
    while (list != NULL) {
        struct cki_tracked *next = list->next;
        cki_free(cache->options.allocator, list, cki_track_bytes(list->len));
        list = next;
    }
}

static struct cki_tracked **bucket_of(struct cki_owner *owner, uint64_t hash)
{
    return owner->buckets != NULL ? &owner->buckets[hash & (owner->bucket_count - 1)]
                                  : &owner->lone;
}

struct cki_tracked *cki_track_find(const struct cki_owner *owner, const struct cki_key *key)
{
    struct cki_tracked *t = *bucket_of((struct cki_owner *)(uintptr_t)owner, key->hash);
    while (t != NULL && !(t->hash == key->hash && t->len == key->len &&
                          memcmp(t->key, key->bytes, key->len) == 0)) {
        t = t->chain;
    }
    return t;
}

static void chain_add(struct cki_owner *owner, struct cki_tracked *tracked)
{
    struct cki_tracked **bucket = bucket_of(owner, tracked->hash);
    tracked->chain = *bucket;
    *bucket = tracked;
}

static void chain_remove(struct cki_owner *owner, const struct cki_tracked *tracked)
{
    struct cki_tracked **at = bucket_of(owner, tracked->hash);
    while (*at != tracked) {
        at = &(*at)->chain;
    }
    *at = tracked->chain;
}

static struct cki_tracked_list *list_of(struct cki_owner *owner, const struct cki_tracked *tracked)
{
    return tracked->is_owed ? &owner->owed : &owner->kept;
}

static void list_add(struct cki_owner *owner, struct cki_tracked *tracked)
{
    struct cki_tracked_list *list = list_of(owner, tracked);
    tracked->next = NULL;
    tracked->prev = list->last;
    *(list->last != NULL ? &list->last->next : &list->first) = tracked;
    list->last = tracked;
    if (tracked->is_owed) {
        atomic_fetch_add(&owner->owed_count, 1);
    }
}

static void list_remove(struct cki_owner *owner, struct cki_tracked *tracked)
{
    struct cki_tracked_list *list = list_of(owner, tracked);
    *(tracked->prev != NULL ? &tracked->prev->next : &list->first) = tracked->next;
    *(tracked->next != NULL ? &tracked->next->prev : &list->last) = tracked->prev;
    if (tracked->is_owed) {
        atomic_fetch_sub(&owner->owed_count, 1);
    }
}

static size_t bucket_bytes(const struct cki_owner *owner)
{
    return owner->bucket_count * sizeof(struct cki_tracked *);
}

static size_t bound(const struct cki_byte_cache *cache)
{
    return cache->options.budget_bytes / CKI_BYTES_TRACK_SHARE;
}

static void grow_locked(struct cki_byte_cache *cache, struct cki_owner *owner)
{
    const cachekit_allocator *allocator = cache->options.allocator;
    size_t count = owner->bucket_count != 0 ? owner->bucket_count * 2 : FIRST_BUCKETS;
    size_t bytes = count * sizeof(struct cki_tracked *);
    if (cache->tracked_bytes + bytes - bucket_bytes(owner) > bound(cache)) {
        return;
    }
    struct cki_tracked **buckets = cki_alloc(allocator, bytes);
    if (buckets == NULL) {
        return;
    }
    memset(buckets, 0, bytes);
    cache->tracked_bytes += bytes - bucket_bytes(owner);
    cki_free(allocator, owner->buckets, bucket_bytes(owner));
    owner->buckets = buckets;
    owner->bucket_count = count;
    owner->lone = NULL;
    for (int i = 0; i < 2; i++) {
        struct cki_tracked *t = i == 0 ? owner->kept.first : owner->owed.first;
        for (; t != NULL; t = t->next) {
            chain_add(owner, t);
        }
    }
}

void cki_track_insert_locked(struct cki_byte_cache *cache, struct cki_owner *owner,
                             struct cki_tracked *tracked)
{
    if (owner->count >= owner->bucket_count) {
        grow_locked(cache, owner);
    }
    tracked->since = tracked->turn = ++cache->turns;
    chain_add(owner, tracked);
    list_add(owner, tracked);
    owner->count++;
    cache->tracked_count++;
    cache->tracked_bytes += cki_track_bytes(tracked->len);
}

void cki_track_remove_locked(struct cki_byte_cache *cache, struct cki_owner *owner,
                             struct cki_tracked *tracked)
{
    chain_remove(owner, tracked);
    list_remove(owner, tracked);
    owner->count--;
    cache->tracked_count--;
    cache->tracked_bytes -= cki_track_bytes(tracked->len);
}

void cki_track_move_locked(struct cki_byte_cache *cache, struct cki_owner *owner,
                           struct cki_tracked *tracked, bool is_owed)
{
    list_remove(owner, tracked);
    tracked->is_owed = is_owed;
    tracked->turn = ++cache->turns;
    list_add(owner, tracked);
}

void cki_track_owe_all_locked(struct cki_owner *owner, int64_t until_ns)
{
    if (owner->owed_all_ns == 0) {
        atomic_fetch_add(&owner->owed_count, 1);
    }
    if (until_ns > owner->owed_all_ns) {
        owner->owed_all_ns = until_ns;
    }
}

// The key that is forgotten next, and whose it is: an expired one, else the one tracked longest
// ago; owed ones only where nothing else is.
static struct cki_tracked *next_out(const struct cki_byte_cache *cache, int64_t now_ns, bool owed,
                                    struct cki_owner **whose)
{
    struct cki_tracked *oldest = NULL;
    for (struct cki_owner *o = cache->owners; o != NULL; o = o->next) {
        struct cki_tracked *t = owed ? o->owed.first : o->kept.first;
        if (t != NULL && (oldest == NULL || t->turn < oldest->turn || t->expires_ns <= now_ns)) {
            oldest = t;
            *whose = o;
            if (t->expires_ns <= now_ns) {
                break;
            }
        }
    }
    return oldest;
}

bool cki_track_room_locked(struct cki_byte_cache *cache, int64_t now_ns, size_t more,
                           struct cki_tracked **dropped)
{
    if (more > bound(cache)) {
        return false;
    }
    for (int i = 0; cache->tracked_bytes + more > bound(cache); i++) {
        struct cki_owner *owner = NULL;
        struct cki_tracked *out = next_out(cache, now_ns, false, &owner);
        out = out != NULL ? out : next_out(cache, now_ns, true, &owner);
        if (out == NULL || i == FORGET_MAX) {
            return false;
        }
        cki_track_remove_locked(cache, owner, out);
        if (out->expires_ns > now_ns) {
            owner->forgotten++;
            if (out->is_owed) {
                cki_track_owe_all_locked(owner, out->expires_ns);
            }
        }
        out->next = *dropped;
        *dropped = out;
    }
    return true;
}

void cki_track_release(struct cki_byte_cache *cache, struct cki_owner *owner)
{
    cki_track_free_list(cache, owner->kept.first);
    cki_track_free_list(cache, owner->owed.first);
    cki_free(cache->options.allocator, owner->buckets, bucket_bytes(owner));
}

bool cki_track_is_valid(const struct cki_owner *owner, size_t *bytes)
{
    size_t count = 0, owed = 0;
    for (int i = 0; i < 2; i++) {
        uint64_t turn = 0;
        const struct cki_tracked *t = i == 0 ? owner->kept.first : owner->owed.first;
        for (; t != NULL; t = t->next) {
            struct cki_key key = cki_tracked_key(t);
            if (cki_track_find(owner, &key) != t || t->is_owed != (i == 1) || t->turn <= turn) {
                return false;
            }
            turn = t->turn;
            *bytes += cki_track_bytes(t->len);
            count++;
            owed += t->is_owed;
        }
    }
    *bytes += bucket_bytes(owner);
    return count == owner->count &&
           atomic_load(&owner->owed_count) ==
               owed + owner->owed_taken + (owner->owed_all_ns != 0 ? 1U : 0U);
}
