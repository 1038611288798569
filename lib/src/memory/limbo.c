// SPDX-License-Identifier: MIT
// Freeing what was unlinked: in batches, outside the lock, after a look at everybody's pins. What
// is still kept then comes back, and is not looked at again before as much has come on top.
#include "base/yield.h"
#include "memory/inside.h"

enum { BATCH = 50, SHARE = 64 }; // entries; part of the budget

bool cki_limbo_is_due_locked(const struct cki_memory *memory)
{
    size_t share = memory->options.budget_bytes / SHARE;
    return memory->limbo_count >= memory->kept_count + BATCH ||
           memory->limbo_bytes > memory->kept_bytes + share;
}

void cki_limbo_add_locked(struct cki_memory *memory, struct cki_entry *removed)
{
    while (removed != NULL) {
        struct cki_entry *next = removed->link;
        removed->link = memory->limbo;
        memory->limbo = removed;
        memory->limbo_count++;
        removed = next;
    }
}

void cki_limbo_settle_locked(struct cki_memory *memory)
{
    while (memory->sifting > 0) {
        (void)pthread_cond_wait(&memory->sifted, &memory->lock);
    }
}

// Takes what nobody holds from the list. Holds of an unlinked entry may still grow while its pin is
// there, which is why they are looked at again after the pins.
static struct cki_entry *take_unheld(struct cki_entry **list)
{
    struct cki_entry *taken = NULL, *kept = NULL;
    for (struct cki_entry *e = *list, *next; e != NULL; e = next) {
        next = e->link;
        struct cki_entry **to = e->holds == 0 ? &taken : &kept;
        e->link = *to;
        *to = e;
    }
    *list = kept;
    return taken;
}

static struct cki_entry *begin_sift(struct cki_memory *memory)
{
    (void)pthread_mutex_lock(&memory->lock);
    struct cki_entry *kept = memory->limbo, *taken = take_unheld(&kept);
    memory->limbo = NULL;
    memory->limbo_count = 0;
    cki_limbo_add_locked(memory, kept);
    memory->sifting++;
    (void)pthread_mutex_unlock(&memory->lock);
    return taken;
}

static struct cki_entry *end_sift(struct cki_memory *memory, struct cki_entry *unpinned,
                                  struct cki_entry *pinned)
{
    (void)pthread_mutex_lock(&memory->lock);
    struct cki_entry *gone = take_unheld(&unpinned);
    cki_limbo_add_locked(memory, unpinned);
    cki_limbo_add_locked(memory, pinned);
    for (const struct cki_entry *e = gone; e != NULL; e = e->link) {
        memory->limbo_bytes -= e->charge_bytes;
        memory->freed_bytes += e->charge_bytes;
    }
    memory->kept_count = memory->limbo_count;
    memory->kept_bytes = memory->limbo_bytes;
    if (--memory->sifting == 0) {
        (void)pthread_cond_broadcast(&memory->sifted);
    }
    (void)pthread_mutex_unlock(&memory->lock);
    return gone;
}

void cki_limbo_reclaim(struct cki_memory *memory)
{
    const cachekit_allocator *allocator = memory->options.allocator;
    struct cki_entry *pinned = begin_sift(memory);
    CKI_YIELD();
    struct cki_entry *unpinned = cki_pins_sift(&pinned);
    CKI_YIELD();
    struct cki_entry *gone = end_sift(memory, unpinned, pinned);
    while (gone != NULL) {
        struct cki_entry *next = gone->link;
        CKI_YIELD();
        cki_entry_free(allocator, gone);
        gone = next;
    }
}
