// SPDX-License-Identifier: MIT
// The inside of a cache and of a function, for the files of this room.
#ifndef CKI_CACHE_H
#define CKI_CACHE_H

#include <pthread.h>
#include <stdatomic.h>

#include <cachekit/cache.h>

#include "call/flight.h"
#include "call/maintain.h"
#include "call/refresh.h"
#include "memory/memory.h"

enum { CKI_NAME_MAX = 200 };

// Somebody else's listener behind a memory's.
struct cki_listener {
    cachekit_removed removed;
    void *context;
};

struct cachekit_function {
    struct cki_memory memory; // first: a handle that was not stored finds its function by it
    uint64_t seed;
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
    _Atomic uint64_t draws, slow_hits, misses, refreshes, refresh_failures;
    struct cachekit_cache *cache;
    struct cachekit_function *next;
    char name[CKI_NAME_MAX + 1];
};

struct cachekit_cache {
    cachekit_cache_options options;
    struct cki_memory store;
    struct cki_listener listener;
    _Atomic uint64_t slow_hits, misses;
    uint64_t seed;
    pthread_mutex_t lock; // of the list of functions
    struct cachekit_function *functions;
    struct cki_refresh refresh;
    struct cki_maintainer maintainer;
    struct cachekit_cache *next; // of all caches, see fork.h
};

enum { CKI_NS_PER_MS = 1000000 };

// Milliseconds as nanoseconds; CKI_FOREVER where they do not fit.
static inline int64_t cki_ms_to_ns(int64_t ms)
{
    return ms >= INT64_MAX / CKI_NS_PER_MS ? CKI_FOREVER : ms * CKI_NS_PER_MS;
}

// Fills a handle. By pin when there is one, else the hold that the entry has for it.
static inline void cki_hit_fill(cachekit_hit *hit, struct cki_memory *memory,
                                struct cki_entry *entry, cki_pin *pin, cachekit_layer layer)
{
    hit->object = entry->object;
    hit->size_bytes = entry->object_size;
    hit->layer = layer;
    hit->pin = pin;
    hit->entry = entry;
    hit->memory = memory;
}

static inline void cki_hit_clear(cachekit_hit *hit)
{
    hit->object = NULL;
    hit->size_bytes = 0;
    hit->layer = (cachekit_layer)0;
    hit->pin = hit->entry = hit->memory = NULL;
}

// A free pin of this thread; NULL when it has none left, or no memory for a cell.
cki_pin *cki_pin_ready(const struct cki_memory *memory);

// Calls the listener of an owner, if it has one.
void cki_tell(void *listener, const struct cki_entry *entry);

// Runs the loader for a refresh job; see refresh.h.
void cki_function_refresh(struct cachekit_function *function, const struct cki_key *key,
                          uint64_t generation);
bool cki_function_free(struct cachekit_function *function); // false: handles are out
void cki_cache_forked(struct cachekit_cache *cache);
void cki_info_fill(struct cki_memory *memory, cachekit_info_data *out);

#endif
