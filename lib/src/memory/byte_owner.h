// SPDX-License-Identifier: MIT
// Tracked keys: what a function has written to the backend or read there, so that all of it can be
// invalidated, and what the backend failed to remove, so that it is tried again.
//
// A key stays tracked as long as the backend may hold it: for the life it was tracked with, from
// the last time it was. At the bound (CKI_BYTES_TRACK_SHARE of the budget) expired ones go, then
// those tracked longest ago, of whichever owner, owed ones last. A key that was pushed out so is
// **forgotten**: an invalidation of all still ends its entry in memory (by the owner's epoch), but
// not at the backend, where it lives until its own end; `forgotten` counts them.
//
// An **owed** key is one that the backend was asked to remove and did not. Until it has been
// removed or written anew, its bytes at the backend are those from before the invalidation: ask
// cki_owner_owes() before reading there, and treat the key as a miss. Where there is no memory to
// remember an owed key, or the bound pushes it out, all keys of its owner count as owed for as long
// as that one might live.
#ifndef CKI_BYTE_OWNER_H
#define CKI_BYTE_OWNER_H

#include "memory/byte_cache.h"

struct cki_tracked {
    struct cki_tracked *prev, *next; // of the owner, by turn; of a list that was taken, next only
    struct cki_tracked *chain;       // of the bucket
    uint64_t hash;
    uint64_t since, turn; // when it was first and last tracked
    int64_t expires_ns;   // the backend has forgotten it by then
    uint32_t len;
    bool is_owed;
    bool was_owed; // when it was taken
    uint8_t key[];
};

static inline struct cki_key cki_tracked_key(const struct cki_tracked *tracked)
{
    return (struct cki_key){tracked->hash, CKI_KEY_BYTES, tracked->len, tracked->key};
}

// After a write to the backend, before anybody can invalidate it, and after a hit there. What is
// owed stays owed. False: no memory, or a key over the bound; it counts as forgotten.
bool cki_owner_track(struct cki_byte_cache *cache, struct cki_owner *owner,
                     const struct cki_key *key, int64_t ttl_ms);

// The backend holds what was written, whose computation began with `epoch`: the key is owed no
// longer. False: an invalidation came in between, and the backend may now hold what it overtook:
// ask for its removal again, or owe it. No lock where nothing is owed.
bool cki_owner_written(struct cki_byte_cache *cache, struct cki_owner *owner,
                       const struct cki_key *key, uint64_t epoch);

// The backend has removed the key: it is tracked no longer, unless it was tracked again after the
// mark, which cki_byte_cache_remove() gave.
void cki_owner_untrack(struct cki_byte_cache *cache, struct cki_owner *owner,
                       const struct cki_key *key, uint64_t mark);

// The backend did not remove the key: it is owed from now on, tracked if it was not.
void cki_owner_owe(struct cki_byte_cache *cache, struct cki_owner *owner, const struct cki_key *key,
                   int64_t ttl_ms);

// Is the key owed? One load where nothing is.
bool cki_owner_owes(struct cki_byte_cache *cache, struct cki_owner *owner,
                    const struct cki_key *key);

// Invalidation of all that an owner has:
//
//     uint64_t mark = cki_owner_begin(cache, owner);
//     while ((list = cki_owner_take(cache, owner, mark)) != NULL)
//         ... ask the backend to remove them; is_owed = it did not ...
//         cki_owner_give(cache, owner, list);
//     uint64_t forgotten = cki_owner_end(cache, owner);
//
// begin: from its return on no get serves what was there before, and nothing lands that began
// before. Waits for another invalidation of all of this owner, so a backend must not start one.
// take: at most CKI_BYTES_BATCH keys that were tracked up to the mark, owed ones first, as a list
// by `next`; their entries leave memory. NULL: no more. The list is the caller's until given. give:
// frees the keys, those with is_owed excepted: these are tracked again, and owed. end: overtakes
// once more what was begun meanwhile; returns how many keys had been forgotten since the last time.
uint64_t cki_owner_begin(struct cki_byte_cache *cache, struct cki_owner *owner);
struct cki_tracked *cki_owner_take(struct cki_byte_cache *cache, struct cki_owner *owner,
                                   uint64_t mark);
void cki_owner_give(struct cki_byte_cache *cache, struct cki_owner *owner,
                    struct cki_tracked *list);
uint64_t cki_owner_end(struct cki_byte_cache *cache, struct cki_owner *owner);
// The same, and where keys had been forgotten, all count as owed from now on, for as long as those
// may live at the backend: `ttl_ms`.
uint64_t cki_owner_end_owing(struct cki_byte_cache *cache, struct cki_owner *owner, int64_t ttl_ms);

// At most CKI_BYTES_BATCH owed keys, for another try, to be given back in the same way. Between
// taking and giving cki_owner_owes() says yes to every key of this owner.
struct cki_tracked *cki_owner_take_owed(struct cki_byte_cache *cache, struct cki_owner *owner);

#endif
