// SPDX-License-Identifier: MIT
// Between the files that make up the object cache. `_locked`: the caller holds the memory's lock.
#ifndef CKI_INSIDE_H
#define CKI_INSIDE_H

#include "memory/memory.h"

// The index of every empty memory: one slot, always empty, never written.
struct cki_slots *cki_no_slots(void);

static inline struct cki_slots *cki_slots_locked(const struct cki_memory *memory)
{
    return atomic_load_explicit(&memory->slots, memory_order_relaxed);
}

// The clock's time, or the latest that was ever read if that is later.
static inline int64_t cki_now_locked(struct cki_memory *memory)
{
    int64_t now = cki_memory_now(memory);
    memory->newest_ns = now > memory->newest_ns ? now : memory->newest_ns;
    return memory->newest_ns;
}

// Keeps the entry for the caller by its grip.
void cki_keep_locked(struct cki_entry *entry, struct cki_grip *grip);

// Removal in the one order that is safe, see removal.c; the entry goes to the head of `*removed`.
void cki_unlink_locked(struct cki_memory *memory, struct cki_entry *entry, enum cki_cause cause,
                       struct cki_entry **removed);
// Removes at most `most` expired entries; returns how many.
size_t cki_expire_locked(struct cki_memory *memory, int64_t now_ns, size_t most,
                         struct cki_entry **removed);

// Gives the lock back, tells the listener, files what was removed into limbo, and frees what it
// can: if limbo is due, or if `now`, for removals that somebody asked for, if there is anything
// new.
void cki_leave(struct cki_memory *memory, struct cki_entry *removed, bool now);

// Bytes that live entries may use now, and the largest entry that could ever be stored.
size_t cki_limit_locked(const struct cki_memory *memory);
size_t cki_most_locked(const struct cki_memory *memory);

enum cki_room {
    CKI_ROOM,       // and index and orders are big enough for one more
    CKI_ROOM_LATER, // free limbo, then ask again; CKI_SWEEP_MAX removals are a reason too
    CKI_ROOM_NO_MEMORY
};
// Makes room for an entry of `more` bytes where live entries may use `limit`.
enum cki_room cki_room_locked(struct cki_memory *memory, int64_t now_ns, size_t limit, size_t more,
                              struct cki_entry **removed);

// The policy: entries by use, and who goes first when none is expired.
void cki_use_file_locked(struct cki_memory *memory, struct cki_entry *entry, int64_t now_ns);
void cki_use_remove_locked(struct cki_memory *memory, struct cki_entry *entry);
struct cki_entry *cki_use_victim_locked(struct cki_memory *memory); // to be removed; NULL: empty
bool cki_use_is_valid(const struct cki_memory *memory);
size_t cki_ghosts_growth(const struct cki_memory *memory, size_t room); // in bytes
bool cki_ghosts_grow_locked(struct cki_memory *memory, size_t room);
size_t cki_ghosts_bytes(const struct cki_memory *memory);
void cki_ghosts_release(struct cki_memory *memory);

void cki_limbo_add_locked(struct cki_memory *memory, struct cki_entry *removed); // a list
bool cki_limbo_is_due_locked(const struct cki_memory *memory);
// Frees what nobody keeps. Runs destructors: not under the lock.
void cki_limbo_reclaim(struct cki_memory *memory);
// Waits for the sifts of other threads, which run no caller's code.
void cki_limbo_settle_locked(struct cki_memory *memory);

#endif
