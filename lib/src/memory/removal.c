// SPDX-License-Identifier: MIT
// Order of every removal: the entry's due time becomes 0, so that no hit can serve it; its word
// leaves the index; its places leave the orders; its bytes move from live to limbo. Listeners and
// destructors run after the lock is given back.
#include "base/yield.h"
#include "memory/inside.h"

static void age_remove(struct cki_memory *memory, struct cki_entry *entry)
{
    if (entry->elder != NULL) {
        entry->elder->younger = entry->younger;
    } else {
        memory->eldest = entry->younger;
    }
    if (entry->younger != NULL) {
        entry->younger->elder = entry->elder;
    } else {
        memory->youngest = entry->elder;
    }
}

void cki_unlink_locked(struct cki_memory *memory, struct cki_entry *entry, enum cki_cause cause,
                       struct cki_entry **removed)
{
    atomic_store(&entry->due_ns, CKI_DEAD);
    CKI_YIELD();
    cki_slots_remove(cki_slots_locked(memory), entry);
    CKI_YIELD();
    cki_order_remove(&memory->orders[CKI_BY_DEADLINE], entry);
    cki_use_remove_locked(memory, entry);
    age_remove(memory, entry);
    memory->count--;
    memory->live_bytes -= entry->charge_bytes;
    memory->limbo_bytes += entry->charge_bytes;
    memory->removals[cause]++;
    entry->cause = (uint8_t)cause;
    entry->link = *removed;
    *removed = entry;
}

static struct cki_entry *reversed(struct cki_entry *list)
{
    struct cki_entry *out = NULL;
    while (list != NULL) {
        struct cki_entry *next = list->link;
        list->link = out;
        out = list;
        list = next;
    }
    return out;
}

void cki_leave(struct cki_memory *memory, struct cki_entry *removed, bool now)
{
    if (memory->options.removed != NULL && removed != NULL) {
        (void)pthread_mutex_unlock(&memory->lock);
        removed = reversed(removed); // as they were removed
        for (const struct cki_entry *e = removed; e != NULL; e = e->link) {
            memory->options.removed(memory->options.context, e);
        }
        (void)pthread_mutex_lock(&memory->lock);
    }
    cki_limbo_add_locked(memory, removed);
    bool due = cki_limbo_is_due_locked(memory) || (now && memory->limbo != NULL);
    (void)pthread_mutex_unlock(&memory->lock);
    if (due) {
        cki_limbo_reclaim(memory);
    }
}

size_t cki_expire_locked(struct cki_memory *memory, int64_t now, size_t most,
                         struct cki_entry **removed)
{
    size_t count = 0;
    while (count < most) {
        struct cki_entry *first = cki_order_first(&memory->orders[CKI_BY_DEADLINE]);
        if (first == NULL || first->expires_ns > now) {
            break;
        }
        cki_unlink_locked(memory, first, CKI_EXPIRED, removed);
        count++;
    }
    return count;
}

bool cki_memory_remove(struct cki_memory *memory, const struct cki_key *key)
{
    struct cki_entry *removed = NULL;
    (void)pthread_mutex_lock(&memory->lock);
    int64_t now = cki_now_locked(memory);
    struct cki_entry *entry = cki_slots_find(cki_slots_locked(memory), key);
    bool was_live = entry != NULL && now < entry->expires_ns;
    if (entry != NULL) {
        cki_unlink_locked(memory, entry, was_live ? CKI_INVALIDATED : CKI_EXPIRED, &removed);
    }
    cki_leave(memory, removed, true);
    return was_live;
}

size_t cki_memory_sweep(struct cki_memory *memory)
{
    struct cki_entry *removed = NULL;
    (void)pthread_mutex_lock(&memory->lock);
    size_t count = cki_expire_locked(memory, cki_now_locked(memory), CKI_SWEEP_MAX, &removed);
    cki_leave(memory, removed, true);
    return count;
}

static size_t clear_some(struct cki_memory *memory, enum cki_cause cause, uint64_t newest)
{
    struct cki_entry *removed = NULL;
    size_t count = 0;
    (void)pthread_mutex_lock(&memory->lock);
    while (count < CKI_SWEEP_MAX && memory->eldest != NULL &&
           memory->eldest->generation <= newest) {
        cki_unlink_locked(memory, memory->eldest, cause, &removed);
        count++;
    }
    cki_leave(memory, removed, true);
    return count;
}

size_t cki_memory_clear(struct cki_memory *memory, enum cki_cause cause)
{
    (void)pthread_mutex_lock(&memory->lock);
    uint64_t newest = memory->generation;
    (void)pthread_mutex_unlock(&memory->lock);
    size_t all = 0, some;
    do {
        some = clear_some(memory, cause, newest);
        all += some;
    } while (some == CKI_SWEEP_MAX);
    return all;
}
