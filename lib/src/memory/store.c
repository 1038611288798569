// SPDX-License-Identifier: MIT
// A put makes room, then files the entry everywhere before its word makes it visible. When nothing
// but limbo stands in the way, it gives the lock back, lets limbo be looked through and tries
// again.
#include "base/yield.h"
#include "memory/inside.h"

static int64_t add_ns(int64_t now, int64_t span)
{
    int64_t sum;
    return __builtin_add_overflow(now, span, &sum) || span == CKI_FOREVER ? CKI_FOREVER : sum;
}

static void age_append(struct cki_memory *memory, struct cki_entry *entry)
{
    entry->elder = memory->youngest;
    entry->younger = NULL;
    if (memory->youngest != NULL) {
        memory->youngest->younger = entry;
    } else {
        memory->eldest = entry;
    }
    memory->youngest = entry;
}

static void link_locked(struct cki_memory *memory, const struct cki_store *store, int64_t now,
                        struct cki_grip *grip)
{
    struct cki_entry *entry = store->entry;
    entry->stored_ns = now;
    entry->expires_ns = add_ns(now, store->ttl_ns);
    entry->generation = ++memory->generation;
    int64_t due = add_ns(now, store->due_ns);
    atomic_store_explicit(&entry->due_ns, due < entry->expires_ns ? due : entry->expires_ns,
                          memory_order_relaxed);
    atomic_store_explicit(&entry->stamp_ns, now, memory_order_relaxed);
    cki_order_file(&memory->orders[CKI_BY_DEADLINE], entry, entry->expires_ns);
    cki_use_file_locked(memory, entry, now);
    age_append(memory, entry);
    memory->count++;
    memory->live_bytes += entry->charge_bytes;
    memory->stored++;
    if (grip != NULL) {
        cki_keep_locked(entry, grip);
    }
    CKI_YIELD();
    cki_slots_insert(cki_slots_locked(memory), entry);
}

// One attempt of a put. Those after the first come after a hold in which `store->replaces` was
// found and removed: whatever has taken its place is newer.
struct attempt {
    const struct cki_store *store;
    struct cki_grip *grip;
    struct cki_entry *removed;
    bool is_first;
    uint64_t freed_bytes; // of the memory, at the attempt before
};

static bool is_overtaken(const struct attempt *a, const struct cki_entry *old)
{
    const struct cki_store *store = a->store;
    if (store->overtaken != NULL && atomic_load(store->overtaken)) {
        return true;
    }
    if (store->replaces == 0) {
        return false;
    }
    return a->is_first ? old == NULL || old->generation != store->replaces : old != NULL;
}

// CKI_NO_ROOM: there may be some once limbo was looked through.
static enum cki_stored try_locked(struct cki_memory *memory, struct attempt *a)
{
    const struct cki_entry *entry = a->store->entry;
    const struct cki_key key = cki_entry_key(entry);
    struct cki_entry *old = cki_slots_find(cki_slots_locked(memory), &key);
    int64_t now = cki_now_locked(memory);
    size_t limit = cki_limit_locked(memory);
    if (is_overtaken(a, old)) {
        return CKI_OVERTAKEN;
    }
    if (old != NULL) {
        cki_unlink_locked(memory, old, now < old->expires_ns ? CKI_REPLACED : CKI_EXPIRED,
                          &a->removed);
    }
    // What fits now fits at all, once there is an index.
    if ((entry->charge_bytes > limit || memory->entries_room == 0) &&
        entry->charge_bytes > cki_most_locked(memory)) {
        return CKI_REFUSED;
    }
    if (!cki_word_fits(entry)) {
        return CKI_NO_MEMORY;
    }
    switch (cki_room_locked(memory, now, limit, entry->charge_bytes, &a->removed)) {
    case CKI_ROOM_LATER:
        return CKI_NO_ROOM;
    case CKI_ROOM_NO_MEMORY:
        return CKI_NO_MEMORY;
    default:
        link_locked(memory, a->store, now, a->grip);
        return CKI_STORED;
    }
}

// Between two attempts: gives the lock back, frees what it can. False: in vain, nothing has become
// free since the attempt before.
static bool may_try_again(struct cki_memory *memory, struct attempt *a)
{
    cki_leave(memory, a->removed, true);
    (void)pthread_mutex_lock(&memory->lock);
    cki_limbo_settle_locked(memory);
    bool again = a->is_first || memory->freed_bytes != a->freed_bytes;
    a->removed = NULL;
    a->is_first = false;
    a->freed_bytes = memory->freed_bytes;
    return again;
}

static size_t charge_of(const struct cki_entry *entry)
{
    size_t bytes = cki_entry_bytes(entry);
    return entry->object_size > SIZE_MAX - bytes ? SIZE_MAX : bytes + entry->object_size;
}

enum cki_stored cki_memory_put(struct cki_memory *memory, const struct cki_store *store,
                               struct cki_grip *grip)
{
    struct attempt a = {store, grip, NULL, true, 0};
    store->entry->charge_bytes = charge_of(store->entry);
    (void)pthread_mutex_lock(&memory->lock);
    enum cki_stored stored = try_locked(memory, &a);
    while (stored == CKI_NO_ROOM && may_try_again(memory, &a)) {
        stored = try_locked(memory, &a);
    }
    memory->refused += stored == CKI_REFUSED;
    memory->unstored += stored == CKI_NO_ROOM || stored == CKI_NO_MEMORY;
    cki_leave(memory, a.removed, false);
    return stored;
}
