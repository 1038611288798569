// SPDX-License-Identifier: MIT
// The byte cache: what the backend stores, kept in this process too. One for all functions of a
// cache with a backend. Everything takes the cache's one lock, for as long as it takes to find an
// entry, move it to the young end and count one holder more: decoding happens outside, on a block
// that stays whatever becomes of its entry. No caller's code runs under the lock, allocator hooks
// aside.
//
// Time is that of the system's clock that counts suspension (CLOCK_BOOTTIME), or an injected one.
// An entry ends CKI_BYTES_MARGIN_MS before its life does, since the backend's clock is another.
//
// The budget counts blocks, those that only readers hold included, entries with their keys, the
// index and the order of deadlines, and tracked keys with their tables. The struct itself (16 KiB)
// is not in it. A block that readers hold is not made free by evicting its entry: when they leave
// no room, nothing is stored. A store never leaves the cache over its budget; an upgrade may, by
// the old bytes, until their readers let go.
//
// Expired entries leave first, wherever they sit; then the least recently used, exactly.
//
// **What an invalidation overtook does not land.** Who computes or reads from the backend takes an
// epoch before it begins; a store with an older epoch than the last invalidation of its key, of its
// owner or of everything is refused. Epochs of keys are counted in CKI_BYTES_STRIPES stripes: a
// refusal may be for a neighbour's sake, a stale store never happens. With a backend, an
// invalidation is: remove here, remove there, remove here once more (a reader may have taken its
// epoch in between, and the old bytes from the backend).
#ifndef CKI_BYTE_CACHE_H
#define CKI_BYTE_CACHE_H

#include <pthread.h>
#include <stdbool.h>

#include <cachekit/bytes.h>
#include <cachekit/clock.h>

#include "memory/byte_block.h"
#include "memory/order.h"
#include "memory/slots.h"

enum {
    CKI_BYTES_MARGIN_MS = 1000,
    CKI_BYTES_TTL_DEFAULT_MS = 300000, // of a life without an end
    CKI_BYTES_VALUE_SHARE = 8,         // a value is at most this part of the budget
    CKI_BYTES_TRACK_SHARE = 4,         // tracked keys are at most this part of it
    CKI_BYTES_STRIPES = 1024,
    CKI_BYTES_SWEEP = 128, // entries removed per hold of the lock
    CKI_BYTES_BATCH = 1000 // keys per hold, where the caller names keys
};
#define CKI_BYTES_ANY_EPOCH UINT64_MAX

struct cki_byte_options {
    const cachekit_allocator *allocator;
    const cachekit_clock *clock; // NULL: CLOCK_BOOTTIME
    size_t budget_bytes;         // at least 1
    uint32_t entries_max;        // 0: no bound
    uint64_t seed;               // of hashes; random
};

// By the time they were last tracked, the oldest first; see byte_owner.h.
struct cki_tracked_list {
    struct cki_tracked *first, *last;
};

// One function's share in the cache: the keys that it wrote to the backend or read there, and how
// often all of it was invalidated. Functions of one name share one owner.
struct cki_owner {
    _Atomic uint64_t epoch;
    atomic_size_t owed_count; // 0: nothing is owed
    // Under the cache's lock.
    struct cki_tracked_list kept, owed;
    struct cki_tracked **buckets; // NULL: all are in the one below
    struct cki_tracked *lone;
    size_t bucket_count, count;
    size_t owed_taken;   // owed keys that are on their way to the backend
    int64_t owed_all_ns; // until then every key counts as owed
    uint64_t forgotten;  // keys that the bound pushed out, or that had no memory
    bool is_emptied;     // an invalidation of all is under way
    struct cki_owner *next;
};

struct cki_byte_figures {
    uint64_t hits, misses, stored, refused, unstored, overtaken, upgraded;
    uint64_t evicted, expired, replaced, removed; // entries that left
    uint64_t sweeps;                              // holds that removed expired entries
    size_t most_removed;                          // entries in one hold, named keys aside
};

struct cki_byte_cache {
    struct cki_byte_options options;
    struct cki_ledger ledger;
    char gap[64]; // what is read without the lock is not where all write
    pthread_mutex_t lock;
    int64_t newest_ns; // time never runs back
    struct cki_byte_figures figures;
    pthread_cond_t emptied; // an owner's invalidation has ended
    // Under the lock.
    struct cki_slots *slots;
    struct cki_slots *older; // outgrown, not yet empty; NULL mostly
    size_t moved;            // its slots that are
    struct cki_order orders[CKI_ORDERS];
    size_t count, entry_bytes, index_bytes, tracked_bytes, tracked_count;
    size_t live_bytes;            // of blocks that entries hold
    uint64_t generation, cleared; // entries up to that generation are gone for readers
    uint64_t turns;               // of uses, and of tracking
    struct cki_owner *owners;
    char gap2[64];
    // Changed under the lock, read without.
    _Atomic uint64_t all_epoch;
    _Atomic uint64_t stripes[CKI_BYTES_STRIPES];
};

CACHEKIT_MUST_CHECK cachekit_status cki_byte_cache_init(struct cki_byte_cache *cache,
                                                        const struct cki_byte_options *options);
// Empties the cache and gives everything back; nobody may be using it but through blocks. False:
// blocks are out; it is empty and usable, and may be released once they are back.
bool cki_byte_cache_release(struct cki_byte_cache *cache);

// In a forked child: empty, owners too, with fresh locks. What the parent held is neither freed nor
// served; blocks that were out stay readable and may be released. Figures begin anew. Neither locks
// nor allocates.
void cki_byte_cache_forked(struct cki_byte_cache *cache);

// A key with its hash, for the functions below; the bytes are borrowed. 1 to 2^31 - 1 bytes.
struct cki_key cki_byte_key(const struct cki_byte_cache *cache, cachekit_slice key);

// `owner` is the caller's memory, not yet initialised, and must stay until
// cki_byte_cache_release() has returned true; there is nothing else to release.
void cki_owner_add(struct cki_byte_cache *cache, struct cki_owner *owner);

// Before a computation, and before a read from the backend. Takes no lock.
uint64_t cki_byte_cache_epoch(const struct cki_byte_cache *cache, const struct cki_key *key,
                              const struct cki_owner *owner);

// What a hit found. `block` is held and must be released; `generation` is the entry's identity.
struct cki_byte_hit {
    struct cki_block *block;
    uint64_t generation;
};

// The live bytes of a key. False: none; counted as a miss. An expired entry is removed.
bool cki_byte_cache_get(struct cki_byte_cache *cache, const struct cki_key *key,
                        struct cki_byte_hit *hit);

struct cki_byte_store {
    const struct cki_key *key;
    struct cki_block *block; // the cache takes a hold of its own if it stores it
    struct cki_owner *owner;
    int64_t ttl_ms; // CACHEKIT_FOREVER_MS: CKI_BYTES_TTL_DEFAULT_MS
    uint64_t epoch; // CKI_BYTES_ANY_EPOCH: whatever happened meanwhile
};

enum cki_byte_stored {
    CKI_BYTES_STORED,
    CKI_BYTES_SHORT,     // its life is CKI_BYTES_MARGIN_MS or less
    CKI_BYTES_TOO_LARGE, // over its share of the budget, or it would not fit an empty cache
    CKI_BYTES_NO_ROOM,   // what readers hold leaves none
    CKI_BYTES_NO_MEMORY,
    CKI_BYTES_OVERTAKEN // an invalidation came first
};

// Stores, with a fresh life. Whatever it answers, except OVERTAKEN, an older entry of the key is
// gone. The caller's hold on the block stays the caller's.
enum cki_byte_stored cki_byte_cache_put(struct cki_byte_cache *cache,
                                        const struct cki_byte_store *store);

// Replaces the bytes of the entry that a hit found, if it is still that entry (its generation is
// live) and the new block is charged no more than the old; its deadline, place and generation stay.
// The cache takes a hold of its own. False: nothing changed. Not a use, not a store.
bool cki_byte_cache_upgrade(struct cki_byte_cache *cache, const struct cki_key *key,
                            uint64_t generation, struct cki_block *block);

// Removes the entry that a hit found, if it is still that one: for bytes that turned out to be bad.
// Overtakes nothing.
bool cki_byte_cache_evict(struct cki_byte_cache *cache, const struct cki_key *key,
                          uint64_t generation);

// Invalidates a key, in memory: after the return no get serves what was there before, nor lands
// what was begun before. Returns a mark for cki_owner_untrack(). `count` keys: one hold of the lock
// per CKI_BYTES_BATCH.
uint64_t cki_byte_cache_remove(struct cki_byte_cache *cache, const struct cki_key *key);
void cki_byte_cache_remove_many(struct cki_byte_cache *cache, const struct cki_key *keys,
                                size_t count);
// The same for everything at once; the memory is given back CKI_BYTES_SWEEP entries per hold.
// Returns how many entries those were. Tracked keys stay.
size_t cki_byte_cache_clear(struct cki_byte_cache *cache);

// Gives expired entries' memory back: one hold; returns how many, CKI_BYTES_SWEEP at most.
size_t cki_byte_cache_sweep(struct cki_byte_cache *cache);
// Many of them, for about `max_us` microseconds of CLOCK_MONOTONIC, with a yield in between; 0:
// one.
size_t cki_byte_cache_maintain(struct cki_byte_cache *cache, int64_t max_us);

struct cki_byte_usage {
    struct cki_byte_figures figures;
    size_t entries, tracked_keys;
    size_t used_bytes;     // all that the budget counts
    size_t overhead_bytes; // in it: index, order of deadlines
    size_t tracked_bytes;  // in it
    size_t adrift_bytes;   // in it: blocks that only readers hold
    size_t budget_bytes;
};
void cki_byte_cache_usage(struct cki_byte_cache *cache, struct cki_byte_usage *usage);

bool cki_byte_cache_is_valid(struct cki_byte_cache *cache); // walks everything; for tests

#endif
