// SPDX-License-Identifier: MIT
// One cached result. What a hit reads lies together in front of the key, so that a hit touches two
// or three cache lines; everything that only writers use comes first, out of the way.
#ifndef CKI_ENTRY_H
#define CKI_ENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/allocator.h>

struct cki_entry;

// What a key is made of; keys of different kinds never match. Below CKI_KEY_ONE_END the kind is the
// type of the only argument, whose 8 bytes, or whose text, are the key.
enum cki_key_kind {
    CKI_KEY_TEXT = 5, // from here on keys differ in length
    CKI_KEY_ONE_END = 7,
    CKI_KEY_BYTES = 16,   // bytes of the caller
    CKI_KEY_MSGPACK = 32, // canonical MessagePack of arguments
    CKI_KEY_SCALARS = 64  // plus their number: packed arguments, see call/args.h
};

struct cki_key {
    uint64_t hash; // seeded; never identity
    uint32_t kind;
    uint32_t len;
    const uint8_t *bytes;
};

// Place of an entry in one of the two orders; see order.h.
struct cki_place {
    struct cki_entry *prev, *next;
    int64_t rank;
    uint64_t turn;  // ties of rank go by turn
    uint32_t index; // in the heap; CKI_IN_RUN or CKI_NOWHERE otherwise
};
enum { CKI_BY_DEADLINE, CKI_BY_USE, CKI_ORDERS };

typedef void cki_destroy(void *object, size_t size, void *context);

// The due time of an entry that was removed: no clock shows less.
#define CKI_DEAD INT64_MIN

struct cki_entry {
    // Under the lock of the memory that holds it.
    struct cki_place places[CKI_ORDERS];
    struct cki_entry *elder, *younger; // by generation
    struct cki_entry *link;            // of removed entries and of limbo
    int64_t expires_ns;                // hard end of life
    int64_t stored_ns;
    uint64_t generation;  // never used twice by a memory
    size_t charge_bytes;  // what it counts against the budget
    cki_destroy *destroy; // NULL: nothing to do
    void *destroy_context;
    uint32_t holds;   // handles beyond the pins of their threads
    uint8_t cause;    // of its removal
    bool is_small;    // in which queue, see policy.c
    int64_t filed_ns; // the stamp that was no use since
    // Read by hits without a lock; only the first two change once the entry is published.
    _Atomic int64_t due_ns;   // from here on a hit is not plain: refresh point, end, CKI_DEAD
    _Atomic int64_t stamp_ns; // last use, to the tick
    uint64_t hash;
    void *object;
    size_t object_size;
    uint64_t shape; // of the key, see cki_shape()
    uint8_t key[];
};

// Kind and length of a key, compared as one. That of one argument is the first half of a
// cachekit_arg as it lies, where a number has no length.
static inline uint64_t cki_shape(uint32_t kind, uint32_t len)
{
    return kind < CKI_KEY_TEXT ? kind : kind | (uint64_t)len << 32;
}

static inline uint32_t cki_shape_len(uint64_t shape)
{
    return (uint32_t)shape < CKI_KEY_TEXT ? 8 : (uint32_t)(shape >> 32);
}

static inline struct cki_key cki_entry_key(const struct cki_entry *entry)
{
    struct cki_key key = {entry->hash, (uint32_t)entry->shape, cki_shape_len(entry->shape),
                          entry->key};
    return key;
}

// An entry with a copy of the key and no object yet; NULL: out of memory.
struct cki_entry *cki_entry_new(const cachekit_allocator *allocator, const struct cki_key *key);
// Runs the destructor, if there is an object, and gives the memory back.
void cki_entry_free(const cachekit_allocator *allocator, struct cki_entry *entry);
size_t cki_entry_bytes(const struct cki_entry *entry);

#endif
