// SPDX-License-Identifier: MIT
// Room for one more entry: who must leave, and whether index and orders may grow. A growth that the
// budget cannot pay is not made: then the index is what bounds the number of entries.
#include "base/alloc.h"
#include "memory/inside.h"

enum { FIRST_SLOTS = 16, EXPIRED_PER_STORE = 4, LIMBO_SHARE = 64 };

static size_t slots_wanted(const struct cki_memory *memory)
{
    const struct cki_slots *slots = cki_slots_locked(memory);
    size_t have = slots == cki_no_slots() ? 0 : slots->mask + 1;
    if ((memory->count + 1) * 2 <= have) {
        return 0;
    }
    return have == 0 ? FIRST_SLOTS : have * 2;
}

// What one more entry makes index and orders grow by.
static size_t growth_locked(const struct cki_memory *memory)
{
    if (memory->count < memory->entries_room) {
        return 0;
    }
    size_t slots = slots_wanted(memory), growth = 0;
    if (slots != 0) {
        growth += sizeof(struct cki_slots) + slots * sizeof(uint64_t);
        growth += cki_ghosts_growth(memory, slots / 2);
    }
    for (int i = 0; i < CKI_ORDERS; i++) {
        growth += cki_order_growth(&memory->orders[i], (uint32_t)memory->count + 1);
    }
    return growth;
}

// Limbo has its share whether it uses it or not, and more if what is kept takes more.
size_t cki_limit_locked(const struct cki_memory *memory)
{
    size_t budget = memory->options.budget_bytes, share = budget / LIMBO_SHARE;
    size_t limbo = memory->limbo_bytes > share ? memory->limbo_bytes : share;
    size_t gone = memory->overhead_bytes + limbo;
    return gone < budget ? budget - gone : 0;
}

// An index for the first few entries is the least that an entry needs beside itself.
size_t cki_most_locked(const struct cki_memory *memory)
{
    size_t budget = memory->options.budget_bytes, overhead = memory->overhead_bytes;
    if (memory->entries_room == 0) {
        overhead += growth_locked(memory);
    }
    size_t gone = overhead + budget / LIMBO_SHARE;
    return gone < budget ? budget - gone : 0;
}

static bool drop_one_locked(struct cki_memory *memory, int64_t now, struct cki_entry **removed)
{
    if (cki_expire_locked(memory, now, 1, removed) == 1) {
        return true;
    }
    struct cki_entry *victim = cki_use_victim_locked(memory);
    if (victim != NULL) {
        cki_unlink_locked(memory, victim, CKI_EVICTED, removed);
    }
    return victim != NULL;
}

static bool is_full(const struct cki_memory *memory, size_t limit, size_t more)
{
    uint32_t entries = memory->options.entries_max;
    return memory->live_bytes + more > limit || (entries != 0 && memory->count >= entries);
}

static bool grow_slots_locked(struct cki_memory *memory)
{
    size_t wanted = slots_wanted(memory);
    struct cki_slots *slots = cki_slots_locked(memory);
    if (wanted == 0) {
        return true;
    }
    struct cki_slots *bigger = cki_slots_new(memory->options.allocator, wanted);
    if (bigger == NULL) {
        return false;
    }
    if (slots != cki_no_slots()) {
        for (size_t i = 0; i <= slots->mask; i++) {
            uint64_t word = atomic_load_explicit(&slots->words[i], memory_order_relaxed);
            if (word != 0) {
                cki_slots_insert(bigger, cki_word_entry(word));
            }
        }
        bigger->older = slots;
    }
    atomic_store(&memory->slots, bigger);
    memory->overhead_bytes += cki_slots_bytes(bigger);
    return true;
}

static bool grow_order_locked(struct cki_memory *memory, struct cki_order *order)
{
    uint32_t entries = (uint32_t)memory->count + 1;
    size_t growth = cki_order_growth(order, entries);
    if (!cki_order_reserve(order, memory->options.allocator, entries)) {
        return false;
    }
    memory->overhead_bytes += growth;
    return true;
}

static bool grow_locked(struct cki_memory *memory)
{
    if (!grow_slots_locked(memory)) {
        return false;
    }
    memory->entries_room = (cki_slots_locked(memory)->mask + 1) / 2;
    if (!cki_ghosts_grow_locked(memory, memory->entries_room)) {
        memory->entries_room = memory->count;
        return false;
    }
    for (int i = 0; i < CKI_ORDERS; i++) {
        struct cki_order *order = &memory->orders[i];
        if (!grow_order_locked(memory, order)) {
            memory->entries_room = memory->count;
            return false;
        }
        memory->entries_room =
            order->room < memory->entries_room ? order->room : memory->entries_room;
    }
    return true;
}

enum cki_room cki_room_locked(struct cki_memory *memory, int64_t now, size_t limit, size_t more,
                              struct cki_entry **removed)
{
    // Two are left for an entry that is replaced and for one that gives way to no growth.
    size_t left = CKI_SWEEP_MAX - 2 - cki_expire_locked(memory, now, EXPIRED_PER_STORE, removed);
    while (is_full(memory, limit, more)) {
        if (left-- == 0 || !drop_one_locked(memory, now, removed)) {
            return CKI_ROOM_LATER;
        }
    }
    if (memory->count >= UINT32_MAX / 4) {
        return CKI_ROOM_NO_MEMORY;
    }
    size_t used = memory->live_bytes + memory->limbo_bytes + memory->overhead_bytes;
    size_t growth = growth_locked(memory), budget = memory->options.budget_bytes;
    if (growth > 0 && used + growth + more > budget) {
        if (!drop_one_locked(memory, now, removed)) {
            return CKI_ROOM_LATER;
        }
        growth = 0;
    }
    if (used + growth > budget) {
        return CKI_ROOM_LATER;
    }
    return growth == 0 || grow_locked(memory) ? CKI_ROOM : CKI_ROOM_NO_MEMORY;
}
