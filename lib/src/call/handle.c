// SPDX-License-Identifier: MIT
// What a handle hands out and how it ends, where it is not a pin's; the cell that a pin comes from.
#include "call/cache.h"
#include "call/fork.h"
#include "call/reply.h"

// A forked child neither destroys nor counts what its parent was handed.
static void release_loose(cachekit_hit *hit, uintptr_t grip)
{
    cachekit_function *f = hit->owner;
    if (grip >> CKI_GRIP_SHIFT != cki_forks()) {
        return;
    }
    if (f->destroy != NULL) {
        f->destroy((void *)(uintptr_t)hit->object, hit->size_bytes, f->destroy_context);
    }
    atomic_fetch_sub(&f->loose, 1);
}

void cki_release_slowly(cachekit_hit *hit)
{
    uintptr_t grip = hit->grip;
    hit->grip = 0;
    cki_fork_check();
    if ((grip & CKI_GRIP_TAGS) == CKI_GRIP_HOLD) {
        cki_memory_unhold(hit->owner, (struct cki_entry *)(grip & ~(uintptr_t)CKI_GRIP_TAGS));
    } else if ((grip & CKI_GRIP_TAGS) == CKI_GRIP_REPLY) {
        cki_reply_drop((struct cki_reply *)(grip & ~(uintptr_t)CKI_GRIP_TAGS));
    } else {
        release_loose(hit, grip);
    }
    hit->object = NULL;
}

void cki_hit_loose(cachekit_hit *hit, cachekit_function *function, const cachekit_result *result)
{
    hit->object = result->object;
    hit->size_bytes = result->size_bytes;
    hit->layer = CACHEKIT_LAYER_MISS;
    hit->grip = (uintptr_t)cki_forks() << CKI_GRIP_SHIFT | CKI_GRIP_LOOSE;
    hit->owner = function;
    atomic_fetch_add(&function->loose, 1);
    atomic_fetch_add_explicit(&function->unkept, 1, memory_order_relaxed);
}

void cki_hit_kept(cachekit_hit *hit, struct cki_memory *memory, struct cki_entry *entry,
                  const struct cki_grip *grip, cachekit_layer layer)
{
    if (grip != NULL && grip->pin != NULL) {
        cki_hit_pinned(hit, entry, grip->pin, layer);
        return;
    }
    hit->object = entry->object;
    hit->size_bytes = entry->object_size;
    hit->layer = layer;
    hit->grip = (uintptr_t)entry | CKI_GRIP_HOLD;
    hit->owner = memory;
}

struct cki_cell *cki_cell_for(const struct cki_memory *memory)
{
    struct cki_cell *cell = cki_cell;
    if (memory->number >= cell->counter_room) {
        cell = cki_cell_ready(memory->number);
    }
    return cell;
}

void cki_tell(void *context, const struct cki_entry *entry)
{
    const struct cki_listener *listener = context;
    listener->removed(listener->context, entry->object, entry->object_size,
                      (cachekit_cause)entry->cause);
}
