// SPDX-License-Identifier: MIT
// The index: one power-of-two array of 8-byte words, 16 bits of hash and 48 of pointer, at most
// half full, linear probing, deletion by shifting back. Writers hold the memory's lock; readers
// hold nothing and may miss an entry that is being shifted, never see one that is not there.
#ifndef CKI_SLOTS_H
#define CKI_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/entry.h"

enum { CKI_PROBES_MAX = 32 }; // of a reader; beyond that it asks under the lock

struct cki_slots {
    size_t mask; // slots less one
    size_t used;
    struct cki_slots *older; // outgrown, kept for readers until the memory ends
    _Atomic uint64_t words[];
};

static inline uint64_t cki_word(uint64_t hash, const struct cki_entry *entry)
{
    return (hash & 0xffff000000000000U) | (uint64_t)(uintptr_t)entry;
}

static inline struct cki_entry *cki_word_entry(uint64_t word)
{
    return (struct cki_entry *)(uintptr_t)(word << 16 >> 16);
}

static inline bool cki_word_matches(uint64_t word, uint64_t hash)
{
    return (word ^ hash) >> 48 == 0;
}

// Can the pointer be kept in a word? Not where the upper bits carry tags.
static inline bool cki_word_fits(const struct cki_entry *entry)
{
    return ((uint64_t)(uintptr_t)entry & 0xffff000000000000U) == 0;
}

// `slots` is a power of two, at least 2. NULL: out of memory.
struct cki_slots *cki_slots_new(const cachekit_allocator *allocator, size_t slots);
size_t cki_slots_bytes(const struct cki_slots *slots);
void cki_slots_free(const cachekit_allocator *allocator, struct cki_slots *slots); // and older ones

bool cki_key_equals(const struct cki_entry *entry, const struct cki_key *key);
struct cki_entry *cki_slots_find(const struct cki_slots *slots, const struct cki_key *key);
void cki_slots_insert(struct cki_slots *slots, struct cki_entry *entry); // there is room; no equal
void cki_slots_remove(struct cki_slots *slots, const struct cki_entry *entry);

#endif
