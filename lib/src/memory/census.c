// SPDX-License-Identifier: MIT
// What a memory holds: its figures, and for tests whether they and the structures agree.
#include <string.h>

#include "memory/inside.h"

void cki_memory_usage(struct cki_memory *memory, struct cki_memory_usage *usage)
{
    uint64_t hits = cki_number_sum(memory->number);
    (void)pthread_mutex_lock(&memory->lock);
    size_t overhead = memory->overhead_bytes;
    *usage = (struct cki_memory_usage){
        .entries = memory->count,
        .used_bytes = memory->live_bytes + memory->limbo_bytes + overhead,
        .overhead_bytes = overhead,
        .limbo_bytes = memory->limbo_bytes,
        .hits = hits - memory->baseline,
        .stored = memory->stored,
        .refused = memory->refused,
        .unstored = memory->unstored,
    };
    memcpy(usage->removals, memory->removals, sizeof usage->removals);
    (void)pthread_mutex_unlock(&memory->lock);
}

static bool entries_are_valid(const struct cki_memory *memory)
{
    const struct cki_slots *slots = cki_slots_locked(memory);
    size_t count = 0, bytes = 0;
    for (const struct cki_entry *e = memory->eldest; e != NULL; e = e->younger) {
        const struct cki_key key = cki_entry_key(e);
        if (cki_slots_find(slots, &key) != e || atomic_load(&e->due_ns) == CKI_DEAD ||
            (e->younger != NULL && e->younger->generation <= e->generation)) {
            return false;
        }
        count++;
        bytes += e->charge_bytes;
    }
    return count == memory->count && bytes == memory->live_bytes &&
           (slots == cki_no_slots() || slots->used == count);
}

static bool overhead_is_valid(const struct cki_memory *memory)
{
    const struct cki_slots *slots = cki_slots_locked(memory);
    size_t bytes = 0;
    for (; slots != NULL && slots != cki_no_slots(); slots = slots->older) {
        bytes += cki_slots_bytes(slots);
    }
    for (int i = 0; i < CKI_ORDERS; i++) {
        bytes += cki_order_bytes(&memory->orders[i]);
    }
    bytes += cki_ghosts_bytes(memory);
    return bytes == memory->overhead_bytes && memory->count <= memory->entries_room;
}

// Only while nobody sifts or listens: what these have in hand is counted and not filed.
static bool limbo_is_valid(const struct cki_memory *memory)
{
    size_t count = 0, bytes = 0;
    for (const struct cki_entry *e = memory->limbo; e != NULL; e = e->link) {
        if (atomic_load(&e->due_ns) != CKI_DEAD) {
            return false;
        }
        count++;
        bytes += e->charge_bytes;
    }
    return count == memory->limbo_count && bytes <= memory->limbo_bytes;
}

bool cki_memory_is_valid(struct cki_memory *memory)
{
    (void)pthread_mutex_lock(&memory->lock);
    bool ok = entries_are_valid(memory) && limbo_is_valid(memory) && overhead_is_valid(memory);
    ok = ok && cki_order_is_valid(&memory->orders[CKI_BY_DEADLINE], memory->count) &&
         cki_use_is_valid(memory);
    (void)pthread_mutex_unlock(&memory->lock);
    return ok;
}
