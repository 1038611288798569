// SPDX-License-Identifier: MIT
// A chained hash table of fixed size and one list through all entries, the newest use first.
#include "backend/memory_lru.h"

#include <string.h>

size_t cki_lru_entry_bytes(const struct cki_lru_entry *entry)
{
    return sizeof *entry + entry->key_len + entry->value_len;
}

static struct cki_lru_entry **bucket_of(const struct cki_lru *lru, uint64_t hash)
{
    return &lru->buckets[hash & (lru->bucket_count - 1)];
}

struct cki_lru_entry *cki_lru_find(const struct cki_lru *lru, uint64_t hash, cachekit_slice key)
{
    struct cki_lru_entry *entry = *bucket_of(lru, hash);
    while (entry != NULL && (entry->hash != hash || entry->key_len != key.len ||
                             memcmp(entry->bytes, key.data, key.len) != 0)) {
        entry = entry->chain;
    }
    return entry;
}

static void unlist(struct cki_lru *lru, struct cki_lru_entry *entry)
{
    *(entry->newer != NULL ? &entry->newer->older : &lru->newest) = entry->older;
    *(entry->older != NULL ? &entry->older->newer : &lru->oldest) = entry->newer;
}

static void list_first(struct cki_lru *lru, struct cki_lru_entry *entry)
{
    entry->newer = NULL;
    entry->older = lru->newest;
    *(entry->older != NULL ? &entry->older->newer : &lru->oldest) = entry;
    lru->newest = entry;
}

void cki_lru_touch(struct cki_lru *lru, struct cki_lru_entry *entry)
{
    if (lru->newest != entry) {
        unlist(lru, entry);
        list_first(lru, entry);
    }
}

void cki_lru_remove(struct cki_lru *lru, struct cki_lru_entry *entry)
{
    struct cki_lru_entry **at = bucket_of(lru, entry->hash);
    while (*at != entry) {
        at = &(*at)->chain;
    }
    *at = entry->chain;
    unlist(lru, entry);
    lru->used_bytes -= cki_lru_entry_bytes(entry);
    lru->count--;
}

static void bury(struct cki_lru *lru, struct cki_lru_entry *entry, struct cki_lru_entry **dead)
{
    cki_lru_remove(lru, entry);
    entry->chain = *dead;
    *dead = entry;
}

struct cki_lru_entry *cki_lru_put(struct cki_lru *lru, struct cki_lru_entry *entry)
{
    struct cki_lru_entry *dead = NULL;
    struct cki_lru_entry *old =
        cki_lru_find(lru, entry->hash, (cachekit_slice){entry->bytes, entry->key_len});
    if (old != NULL) {
        bury(lru, old, &dead);
    }
    size_t bytes = cki_lru_entry_bytes(entry);
    while (lru->oldest != NULL && lru->used_bytes > lru->budget_bytes - bytes) {
        bury(lru, lru->oldest, &dead);
    }
    struct cki_lru_entry **bucket = bucket_of(lru, entry->hash);
    entry->chain = *bucket;
    *bucket = entry;
    list_first(lru, entry);
    lru->used_bytes += bytes;
    lru->count++;
    return dead;
}
