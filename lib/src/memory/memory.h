// SPDX-License-Identifier: MIT
// The object cache: entries by key, a byte budget and an optional bound of entries, expiry exact at
// every read, expired entries leaving first and then the least recently used. Hits take no lock
// (hit.h); everything here takes the memory's own, and never runs a caller's code while it holds
// it, allocator hooks aside.
//
// A removed entry is unlinked at once and freed when nobody holds it: between the two it lies in
// limbo, and its bytes still count.
#ifndef CKI_MEMORY_H
#define CKI_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <cachekit/clock.h>
#include <cachekit/status.h>

#include "base/clock.h"
#include "memory/entry.h"
#include "memory/order.h"
#include "memory/pins.h"
#include "memory/slots.h"

#define CKI_FOREVER INT64_MAX
enum { CKI_SWEEP_MAX = 128 }; // entries removed per hold of the lock

enum cki_cause { CKI_REPLACED, CKI_EXPIRED, CKI_EVICTED, CKI_INVALIDATED, CKI_CLOSED, CKI_CAUSES };

typedef void cki_removed(void *context, const struct cki_entry *entry);

enum cki_policy { CKI_LRU, CKI_S3_FIFO };

struct cki_memory_options {
    const cachekit_allocator *allocator;
    const cachekit_clock *clock;
    size_t budget_bytes;  // at least 1
    uint32_t entries_max; // 0: no bound
    cki_removed *removed; // NULL: nobody wants to hear
    void *context;
    enum cki_policy policy;
};

// The small queue of S3-FIFO, and the hashes of what left by it.
struct cki_s3_fifo {
    struct cki_order small;
    size_t small_count, small_bytes;
    struct cki_ghost *ghosts;
    size_t ghost_room; // a power of two, or 0
    uint64_t ghost_turns;
};

struct cki_memory {
    // Read by hits.
    _Atomic(struct cki_slots *) slots;
    size_t number;
    size_t counter_at_bytes;          // of that number, in every cell
    const void *tick;                 // of the clock; NULL: it is a function
    int64_t (*now_ns)(void *context); // of the clock, if it has no tick
    void *now_context;
    // Set once.
    struct cki_memory_options options;
    uint64_t baseline;
    atomic_uint releasing; // cki_memory_unhold() calls under way
    // Under the lock.
    pthread_mutex_t lock;
    pthread_cond_t sifted; // nobody is sifting any more
    struct cki_order orders[CKI_ORDERS];
    struct cki_s3_fifo s3_fifo; // of that policy
    struct cki_entry *eldest, *youngest;
    size_t count, live_bytes;
    size_t entries_room, overhead_bytes; // of index and orders, kept by room.c
    struct cki_entry *limbo;
    size_t limbo_count, limbo_bytes; // the bytes include what is being sifted
    size_t kept_count, kept_bytes;   // what the last sift had to leave
    uint64_t freed_bytes;            // that limbo ever gave back
    unsigned sifting;
    uint64_t generation;
    int64_t newest_ns; // time never runs back
    uint64_t stored, refused, unstored, removals[CKI_CAUSES];
};

CACHEKIT_MUST_CHECK cachekit_status cki_memory_init(struct cki_memory *memory,
                                                    const struct cki_memory_options *options);
// Empties the memory and gives everything back. Nobody may be using it but through handles. False:
// handles are out; it is empty and usable, and may be released once they are back.
bool cki_memory_release(struct cki_memory *memory);

static inline int64_t cki_memory_now(const struct cki_memory *memory)
{
    return memory->tick != NULL ? cki_tick(memory->tick) : memory->now_ns(memory->now_context);
}

// What to store: an entry with key, object and destructor, not yet anywhere.
struct cki_store {
    struct cki_entry *entry;
    int64_t ttl_ns;               // CKI_FOREVER: no end
    int64_t due_ns;               // after which a hit is not plain; CKI_FOREVER: its end
    uint64_t replaces;            // generation that must still be live; 0: whatever is there
    const atomic_bool *overtaken; // set: an invalidation came first; NULL: cannot be
};

enum cki_stored {
    CKI_STORED,  // the memory owns the entry
    CKI_REFUSED, // larger than the budget less the index; an older entry of the key is gone
    CKI_NO_ROOM, // held entries leave none
    CKI_NO_MEMORY,
    CKI_OVERTAKEN // `replaces` is no longer live, or `overtaken` is set
};

// How a caller keeps an entry: by a free pin of its thread's cell, chosen under the lock since
// callers' code may take pins until then; without one by a hold for cki_memory_unhold().
struct cki_grip {
    struct cki_cell *cell; // the calling thread's; NULL: always hold
    cki_pin *pin;          // the answer; NULL: held
};

// Stores. Unless CKI_STORED the entry stays the caller's. With a grip (NULL: none) the entry is
// kept for the caller before anybody else can see it.
enum cki_stored cki_memory_put(struct cki_memory *memory, const struct cki_store *store,
                               struct cki_grip *grip);

// The live entry of `key`, kept for the caller. NULL: none. Counts no hit.
struct cki_entry *cki_memory_find(struct cki_memory *memory, const struct cki_key *key,
                                  struct cki_grip *grip);
void cki_memory_unhold(struct cki_memory *memory, struct cki_entry *entry);

// Lets the memory keep, outside its budget and out of reach, an entry that was not stored, for
// `holds` more cki_memory_unhold() calls.
void cki_memory_adopt(struct cki_memory *memory, struct cki_entry *entry, uint32_t holds);
// Adds holds to an entry that the caller holds or pins.
void cki_memory_hold(struct cki_memory *memory, struct cki_entry *entry, uint32_t holds);
// If `generation` is still live: from when on a hit is not plain.
void cki_memory_set_due(struct cki_memory *memory, const struct cki_key *key, uint64_t generation,
                        int64_t due_ns);
// The same for the one caller that finds it due at `now_ns`: its end becomes its due time.
bool cki_memory_claim_due(struct cki_memory *memory, const struct cki_key *key, uint64_t generation,
                          int64_t now_ns);

// True: there was a live entry. After the return no hit serves it.
bool cki_memory_remove(struct cki_memory *memory, const struct cki_key *key);
// Removes everything that was there when it was called, CKI_SWEEP_MAX entries per hold; returns how
// many those were. After the return no hit serves any of them.
size_t cki_memory_clear(struct cki_memory *memory, enum cki_cause cause);
// Removes at most CKI_SWEEP_MAX expired entries in one hold; returns how many.
size_t cki_memory_sweep(struct cki_memory *memory);

struct cki_memory_usage {
    size_t entries, used_bytes, overhead_bytes, limbo_bytes;
    uint64_t hits, stored, refused, unstored, removals[CKI_CAUSES];
};
void cki_memory_usage(struct cki_memory *memory, struct cki_memory_usage *usage);

// In a forked child: empty, with fresh locks; what the parent held is neither used nor destroyed.
void cki_memory_forked(struct cki_memory *memory);

bool cki_memory_is_valid(struct cki_memory *memory); // walks everything; for tests

#endif
