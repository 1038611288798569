// SPDX-License-Identifier: MIT
// Entries by key and by last use, within a byte budget. No lock, no clock, no allocation: callers
// bring entries and take dead ones away, so that no hook of a user's runs under the backend's lock.
#ifndef CKI_MEMORY_LRU_H
#define CKI_MEMORY_LRU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/bytes.h>

struct cki_lru_entry {
    struct cki_lru_entry *chain; // in its bucket, or among the dead
    struct cki_lru_entry *newer;
    struct cki_lru_entry *older;
    uint64_t hash;
    int64_t due_ns; // INT64_MAX: never
    size_t key_len;
    size_t value_len;
    uint8_t bytes[]; // key, value
};

struct cki_lru {
    struct cki_lru_entry **buckets;
    size_t bucket_count; // a power of two
    struct cki_lru_entry *newest;
    struct cki_lru_entry *oldest;
    size_t budget_bytes;
    size_t used_bytes;
    size_t count;
};

size_t cki_lru_entry_bytes(const struct cki_lru_entry *entry);

// NULL: there is none.
struct cki_lru_entry *cki_lru_find(const struct cki_lru *lru, uint64_t hash, cachekit_slice key);
void cki_lru_touch(struct cki_lru *lru, struct cki_lru_entry *entry);
void cki_lru_remove(struct cki_lru *lru, struct cki_lru_entry *entry);

// Puts a new entry in, in the place of one with its key, and takes out those used longest ago until
// all are within the budget. `entry` itself is. Returns the dead, chained.
struct cki_lru_entry *cki_lru_put(struct cki_lru *lru, struct cki_lru_entry *entry);

#endif
