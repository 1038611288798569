// SPDX-License-Identifier: MIT
// Entries in order of rank, ties by filing. What arrives in order, which is the common case (equal
// lives, stores as time passes), goes to the end of a run in O(1); what does not goes to a 4-ary
// heap with back-pointers. The first of all is the first of the two. No stale records, so nothing
// is ever compacted; removal never allocates.
#ifndef CKI_ORDER_H
#define CKI_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/entry.h"

#define CKI_IN_RUN  UINT32_MAX
#define CKI_NOWHERE (UINT32_MAX - 1)

struct cki_order_node {
    int64_t rank;
    uint64_t turn;
    struct cki_entry *entry;
};

struct cki_order {
    int which;                     // which of an entry's places
    struct cki_entry *head, *tail; // the run
    struct cki_order_node *nodes;  // the heap
    uint32_t count, room;
    uint64_t turns;
};

void cki_order_init(struct cki_order *order, int which);
void cki_order_release(struct cki_order *order, const cachekit_allocator *allocator);

// Makes the heap big enough for `entries`, so that filing that many never allocates.
bool cki_order_reserve(struct cki_order *order, const cachekit_allocator *allocator,
                       uint32_t entries);
size_t cki_order_bytes(const struct cki_order *order);
// Bytes by which cki_order_reserve() would grow the heap.
size_t cki_order_growth(const struct cki_order *order, uint32_t entries);

// Files an entry that is nowhere.
void cki_order_file(struct cki_order *order, struct cki_entry *entry, int64_t rank);
void cki_order_remove(struct cki_order *order, struct cki_entry *entry);
struct cki_entry *cki_order_first(const struct cki_order *order); // NULL: empty

// Does every invariant hold? Walks everything; for tests.
bool cki_order_is_valid(const struct cki_order *order, size_t entries);

#endif
