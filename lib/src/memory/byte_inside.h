// SPDX-License-Identifier: MIT
// Between the files that make up the byte cache. `_locked`: the caller holds the cache's lock.
//
// Entries are those of entry.h: the object is a block, and some of the fields that only the object
// cache uses say whose the entry is.
#ifndef CKI_BYTE_INSIDE_H
#define CKI_BYTE_INSIDE_H

#include "memory/byte_cache.h"
#include "memory/byte_owner.h"

static inline struct cki_block *cki_byte_block(const struct cki_entry *entry)
{
    return entry->object;
}

static inline void cki_byte_set_owner(struct cki_entry *entry, struct cki_owner *owner)
{
    entry->destroy_context = owner;
    entry->stored_ns = (int64_t)atomic_load_explicit(&owner->epoch, memory_order_relaxed);
}

// Has everything been invalidated since it was stored, or all of its owner's?
static inline bool cki_byte_is_dead_locked(const struct cki_byte_cache *cache,
                                           const struct cki_entry *entry)
{
    const struct cki_owner *owner = entry->destroy_context;
    uint64_t epoch = atomic_load_explicit(&owner->epoch, memory_order_relaxed);
    return entry->generation <= cache->cleared || (uint64_t)entry->stored_ns != epoch;
}

// What one hold of the lock took out, to be freed after it.
struct cki_byte_gone {
    struct cki_entry *first; // by `link`
    size_t count;
    size_t bytes; // of blocks that nobody else holds: still in the ledger, but as good as free
    struct cki_slots *index; // outgrown and empty
};

// An index that was made outside the lock, where it is cleared and paged in.
struct cki_byte_spare {
    struct cki_slots *slots;
    size_t wanted; // how many slots are needed
};

int64_t cki_boot_ns(void);
int64_t cki_byte_now(const struct cki_byte_cache *cache);
// A reading that was taken before the lock, made not to run back.
int64_t cki_byte_now_locked(struct cki_byte_cache *cache, int64_t now_ns);

void cki_byte_lock(struct cki_byte_cache *cache);
void cki_byte_unlock(struct cki_byte_cache *cache);
// Ends a hold that chose its victims itself: it is counted; then frees them.
void cki_byte_end(struct cki_byte_cache *cache, struct cki_byte_gone *gone);
void cki_byte_free(struct cki_byte_cache *cache, struct cki_byte_gone *gone); // not under the lock

// `*counter` is the figure of why it leaves.
void cki_byte_unlink_locked(struct cki_byte_cache *cache, struct cki_entry *entry,
                            uint64_t *counter, struct cki_byte_gone *gone);
void cki_byte_use_locked(struct cki_byte_cache *cache, struct cki_entry *entry);
// The entry of the key, whatever its state; NULL: none.
struct cki_entry *cki_byte_find_locked(const struct cki_byte_cache *cache,
                                       const struct cki_key *key);
void cki_byte_drop_locked(struct cki_byte_cache *cache, const struct cki_key *key,
                          uint64_t *counter, struct cki_byte_gone *gone);

// Removes expired entries until `gone` has `most`.
void cki_byte_expire_locked(struct cki_byte_cache *cache, int64_t now_ns, size_t most,
                            struct cki_byte_gone *gone);
size_t cki_byte_used_locked(const struct cki_byte_cache *cache);
// Bytes of index and order of a cache with its first entry.
size_t cki_byte_first_index(void);

enum cki_byte_room {
    CKI_BYTE_ROOM,
    CKI_BYTE_ROOM_LATER, // CKI_BYTES_SWEEP have gone: free them, then ask again
    CKI_BYTE_ROOM_GROW,  // make the spare, then ask again
    CKI_BYTE_ROOM_NONE,  // nobody is left to go
    CKI_BYTE_ROOM_NO_MEMORY
};
// Makes room for `more` bytes; with a spare (NULL: none) for one more entry in index and order too.
enum cki_byte_room cki_byte_room_locked(struct cki_byte_cache *cache, int64_t now_ns, size_t more,
                                        struct cki_byte_spare *spare, struct cki_byte_gone *gone);
// Moves some of an outgrown index to the one that took its place.
void cki_byte_move_locked(struct cki_byte_cache *cache, struct cki_byte_gone *gone);

uint64_t cki_byte_epoch(const struct cki_byte_cache *cache, uint64_t hash,
                        const struct cki_owner *owner);
void cki_byte_overtake_locked(struct cki_byte_cache *cache, uint64_t hash);

// Tracked keys, byte_track.c: lists and tables, no rules.
struct cki_tracked *cki_track_find(const struct cki_owner *owner, const struct cki_key *key);
size_t cki_track_bytes(uint32_t len);
struct cki_tracked *cki_track_new(const struct cki_byte_cache *cache, const struct cki_key *key);
// In the owner's table and at the young end of one of its lists, by `is_owed`.
void cki_track_insert_locked(struct cki_byte_cache *cache, struct cki_owner *owner,
                             struct cki_tracked *tracked);
void cki_track_remove_locked(struct cki_byte_cache *cache, struct cki_owner *owner,
                             struct cki_tracked *tracked);
// To the young end of the list that it belongs to now.
void cki_track_move_locked(struct cki_byte_cache *cache, struct cki_owner *owner,
                           struct cki_tracked *tracked, bool is_owed);
// Room for `more` bytes of tracked keys under their bound; who leaves for it goes to `*dropped`, by
// `next`. False: there is none.
bool cki_track_room_locked(struct cki_byte_cache *cache, int64_t now_ns, size_t more,
                           struct cki_tracked **dropped);
// From now on every key of the owner counts as owed, up to that time.
void cki_track_owe_all_locked(struct cki_owner *owner, int64_t until_ns);
void cki_track_free_list(const struct cki_byte_cache *cache, struct cki_tracked *list);
void cki_track_release(struct cki_byte_cache *cache, struct cki_owner *owner);
bool cki_track_is_valid(const struct cki_owner *owner, size_t *bytes);

#endif
