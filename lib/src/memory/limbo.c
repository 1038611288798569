// SPDX-License-Identifier: MIT
// Freeing what was unlinked: in batches, outside the lock, after a look at everybody's pins.
#include "base/alloc.h"
#include "memory/memory.h"

enum { BATCH = 64, SHARE = 64 }; // entries; part of the budget

bool cki_limbo_is_due(const struct cki_memory *memory)
{
    return memory->limbo_count >= BATCH ||
           atomic_load(&memory->limbo_bytes) > memory->options.budget_bytes / SHARE;
}

void cki_limbo_add(struct cki_memory *memory, struct cki_entry *removed)
{
    while (removed != NULL) {
        struct cki_entry *next = removed->link;
        removed->link = memory->limbo;
        memory->limbo = removed;
        memory->limbo_count++;
        removed = next;
    }
}

// Takes what has no hold; holds never grow once an entry is unlinked.
static struct cki_entry *take_locked(struct cki_memory *memory)
{
    struct cki_entry *taken = NULL, *kept = NULL;
    memory->limbo_count = 0;
    for (struct cki_entry *e = memory->limbo, *next; e != NULL; e = next) {
        next = e->link;
        struct cki_entry **to = e->holds == 0 ? &taken : &kept;
        memory->limbo_count += e->holds != 0;
        e->link = *to;
        *to = e;
    }
    memory->limbo = kept;
    return taken;
}

void cki_limbo_reclaim(struct cki_memory *memory)
{
    (void)pthread_mutex_lock(&memory->lock);
    struct cki_entry *taken = take_locked(memory);
    (void)pthread_mutex_unlock(&memory->lock);

    size_t freed_bytes = 0;
    struct cki_entry *gone = cki_pins_sift(&taken);
    for (struct cki_entry *e = gone, *next; e != NULL; e = next) {
        next = e->link;
        freed_bytes += e->charge_bytes;
        cki_entry_free(memory->options.allocator, e);
    }
    atomic_fetch_sub(&memory->limbo_bytes, freed_bytes);
    if (taken != NULL) {
        (void)pthread_mutex_lock(&memory->lock);
        cki_limbo_add(memory, taken);
        (void)pthread_mutex_unlock(&memory->lock);
    }
}
