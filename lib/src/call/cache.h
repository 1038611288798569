// SPDX-License-Identifier: MIT
// The inside of a cache and of a function, for the files of this room.
#ifndef CKI_CACHE_H
#define CKI_CACHE_H

#include <pthread.h>
#include <stdatomic.h>

#include <cachekit/cache.h>

#include "call/args.h"
#include "call/backing.h"
#include "call/flight.h"
#include "call/maintain.h"
#include "call/refresh.h"
#include "call/ticker.h"
#include "memory/memory.h"

enum { CKI_NAME_MAX = 200 };

// Somebody else's listener behind a memory's.
struct cki_listener {
    cachekit_removed removed;
    void *context;
};

struct cachekit_function {
    struct cki_memory memory;
    struct cki_seed seed;
    int64_t ttl_ns, due_ns;
    cachekit_loader loader;
    void *context;
    cachekit_destroy destroy;
    void *destroy_context;
    struct cki_listener listener;
    struct cki_flights flights;
    double refresh_ratio;
    int64_t retry_ns;
    atomic_uint refreshing;
    atomic_uint loose; // handles of values that were not stored and have no entry
    _Atomic uint64_t draws, slow_hits, misses, unkept, refreshes, refresh_failures;
    struct cachekit_cache *cache;
    struct cachekit_function *next;
    struct cki_backed *backed; // NULL: objects in this process only
    char name[CKI_NAME_MAX + 1];
};

struct cachekit_cache {
    cachekit_cache_options options;
    struct cki_memory store;
    struct cki_listener listener;
    _Atomic uint64_t slow_hits, misses;
    struct cki_seed seed;
    pthread_mutex_t lock;                          // of those who add a function
    _Atomic(struct cachekit_function *) functions; // grows at its head only
    struct cki_refresh refresh;
    struct cki_maintainer maintainer;
    struct cki_ticker ticker;
    struct cki_backing *backing; // NULL: no backend
    struct cachekit_cache *next; // of all caches, see fork.h
};

enum { CKI_NS_PER_MS = 1000000 };

// Milliseconds as nanoseconds; CKI_FOREVER where they do not fit.
static inline int64_t cki_ms_to_ns(int64_t ms)
{
    return ms >= INT64_MAX / CKI_NS_PER_MS ? CKI_FOREVER : ms * CKI_NS_PER_MS;
}

// What a handle's grip is, by its lower bits; 0: nothing.
enum {
    CKI_GRIP_PIN = 1,  // a pin's address
    CKI_GRIP_HOLD = 2, // an entry's address; the owner is its memory
    // Forks of the process; the value was never stored, the owner is the function.
    CKI_GRIP_LOOSE = 4,
    CKI_GRIP_REPLY = 6, // a reply's address
    CKI_GRIP_TAGS = 7,
    CKI_GRIP_SHIFT = 3
};

static inline void cki_hit_pinned(cachekit_hit *hit, const struct cki_entry *entry, cki_pin *pin,
                                  cachekit_layer layer)
{
    hit->object = entry->object;
    hit->size_bytes = entry->object_size;
    hit->layer = layer;
    hit->grip = (uintptr_t)pin + CKI_GRIP_PIN;
}

static inline void cki_hit_clear(cachekit_hit *hit)
{
    hit->object = NULL;
    hit->size_bytes = 0;
    hit->layer = (cachekit_layer)0;
    hit->grip = 0;
    hit->owner = NULL;
}

// Fills a handle by its grip, without one by a hold.
void cki_hit_kept(cachekit_hit *hit, struct cki_memory *memory, struct cki_entry *entry,
                  const struct cki_grip *grip, cachekit_layer layer);

// Fills a handle with what a loader made and nobody keeps.
void cki_hit_loose(cachekit_hit *hit, cachekit_function *function, const cachekit_result *result);

// This thread's cell with room for the memory's counter; NULL: no memory.
struct cki_cell *cki_cell_for(const struct cki_memory *memory);

static inline bool cki_is_key(cachekit_slice key)
{
    return key.data != NULL && key.len > 0 && key.len <= UINT32_MAX / 2;
}

static inline uint64_t cki_key_hash(cachekit_slice key, const struct cki_seed *seed)
{
    return cki_hash_text(key.data, key.len, seed->a, seed);
}

// Whatever is not a plain hit, or not the release of one.
__attribute__((cold)) cachekit_status cki_call_slowly(cachekit_function *function,
                                                      const cachekit_arg *args, size_t count,
                                                      cachekit_hit *hit, cachekit_error *error);
__attribute__((cold)) cachekit_status cki_get_slowly(cachekit_cache *cache, cachekit_slice slice,
                                                     cachekit_hit *hit);
__attribute__((cold)) void cki_release_slowly(cachekit_hit *hit);

// Calls the listener of an owner, if it has one.
void cki_tell(void *context, const struct cki_entry *entry);

bool cki_function_free(struct cachekit_function *function); // false: handles are out
void cki_function_forked(struct cachekit_function *function);
void cki_cache_forked(struct cachekit_cache *cache);
void cki_info_fill(struct cki_memory *memory, cachekit_info_data *out);

#endif
