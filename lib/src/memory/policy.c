// SPDX-License-Identifier: MIT
// Who goes first when nothing is expired. A hit knows no policy: it leaves a stamp.
//
// LRU: by last use. An entry that was used since it was filed is filed anew at that use when its
// turn comes; there is room for it, and each entry is filed at most once per use.
//
// S3-FIFO (Yang, Zhang, Qiu, Yue, Vigfusson: FIFO queues are all you need for cache eviction, SOSP
// 2023), with one bit of use where the paper has two: new entries wait in a small queue of a tenth
// of the bytes. At its end, what was used goes on to the main queue; what was not leaves, and its
// hash is kept a while: if it comes again, it goes to the main queue at once. At the main queue's
// end what was used goes round again.
#include <string.h>

#include "base/alloc.h"
#include "memory/inside.h"

enum { SMALL_PART = 10 };

struct cki_ghost {
    uint64_t hash;
    uint64_t turn;
};

static int64_t stamp_of(const struct cki_entry *entry)
{
    return atomic_load_explicit(&entry->stamp_ns, memory_order_relaxed);
}

static struct cki_order *main_of(struct cki_memory *memory)
{
    return &memory->orders[CKI_BY_USE];
}

static struct cki_entry *least_recently_used(struct cki_memory *memory)
{
    struct cki_order *order = main_of(memory);
    for (;;) {
        struct cki_entry *first = cki_order_first(order);
        int64_t used = first == NULL ? 0 : stamp_of(first);
        if (first == NULL || used <= first->places[CKI_BY_USE].rank) {
            return first;
        }
        cki_order_remove(order, first);
        cki_order_file(order, first, used);
    }
}

// A ghost has one place; what else belongs there takes it.
static struct cki_ghost *ghost_place(const struct cki_s3_fifo *s, uint64_t hash)
{
    return &s->ghosts[(hash >> 8) & (s->ghost_room - 1)];
}

static void ghost_add(struct cki_s3_fifo *s, uint64_t hash)
{
    if (s->ghost_room != 0) {
        *ghost_place(s, hash) = (struct cki_ghost){hash, ++s->ghost_turns};
    }
}

// Left by the small queue, no longer ago than as many others as there are entries?
static bool ghost_take(struct cki_s3_fifo *s, uint64_t hash, size_t entries)
{
    struct cki_ghost *ghost = s->ghost_room != 0 ? ghost_place(s, hash) : NULL;
    if (ghost == NULL || ghost->turn == 0 || ghost->hash != hash ||
        s->ghost_turns - ghost->turn > entries) {
        return false;
    }
    ghost->turn = 0;
    return true;
}

static void queue(struct cki_memory *memory, struct cki_entry *entry, bool is_small)
{
    struct cki_s3_fifo *s = &memory->s3_fifo;
    entry->is_small = is_small;
    cki_order_file(is_small ? &s->small : main_of(memory), entry, 0);
    s->small_count += is_small;
    s->small_bytes += is_small ? entry->charge_bytes : 0;
}

static void unqueue(struct cki_memory *memory, struct cki_entry *entry)
{
    struct cki_s3_fifo *s = &memory->s3_fifo;
    cki_order_remove(entry->is_small ? &s->small : main_of(memory), entry);
    s->small_count -= entry->is_small;
    s->small_bytes -= entry->is_small ? entry->charge_bytes : 0;
}

static struct cki_entry *s3_fifo_victim(struct cki_memory *memory)
{
    struct cki_s3_fifo *s = &memory->s3_fifo;
    for (;;) {
        bool is_small = s->small_bytes >= memory->live_bytes / SMALL_PART;
        struct cki_entry *first = cki_order_first(is_small ? &s->small : main_of(memory));
        if (first == NULL) {
            first = cki_order_first(is_small ? main_of(memory) : &s->small);
        }
        if (first == NULL || stamp_of(first) <= first->filed_ns) {
            if (first != NULL && first->is_small) {
                ghost_add(s, first->hash);
            }
            return first;
        }
        first->filed_ns = stamp_of(first);
        unqueue(memory, first);
        queue(memory, first, false);
    }
}

void cki_use_file_locked(struct cki_memory *memory, struct cki_entry *entry, int64_t now_ns)
{
    if (memory->options.policy == CKI_LRU) {
        cki_order_file(main_of(memory), entry, now_ns);
        return;
    }
    // A hit in this very tick must show.
    entry->filed_ns = now_ns > INT64_MIN ? now_ns - 1 : now_ns;
    atomic_store_explicit(&entry->stamp_ns, entry->filed_ns, memory_order_relaxed);
    queue(memory, entry, !ghost_take(&memory->s3_fifo, entry->hash, memory->count));
}

void cki_use_remove_locked(struct cki_memory *memory, struct cki_entry *entry)
{
    if (memory->options.policy == CKI_LRU) {
        cki_order_remove(main_of(memory), entry);
    } else {
        unqueue(memory, entry);
    }
}

struct cki_entry *cki_use_victim_locked(struct cki_memory *memory)
{
    return memory->options.policy == CKI_LRU ? least_recently_used(memory) : s3_fifo_victim(memory);
}

bool cki_use_is_valid(const struct cki_memory *memory)
{
    const struct cki_s3_fifo *s = &memory->s3_fifo;
    size_t bytes = 0;
    for (const struct cki_entry *e = memory->eldest; e != NULL; e = e->younger) {
        bytes += e->is_small ? e->charge_bytes : 0;
    }
    return bytes == s->small_bytes && cki_order_is_valid(&s->small, s->small_count) &&
           cki_order_is_valid(&memory->orders[CKI_BY_USE], memory->count - s->small_count);
}

size_t cki_ghosts_bytes(const struct cki_memory *memory)
{
    return memory->s3_fifo.ghost_room * sizeof(struct cki_ghost);
}

size_t cki_ghosts_growth(const struct cki_memory *memory, size_t room)
{
    size_t have = memory->s3_fifo.ghost_room;
    return memory->options.policy == CKI_LRU || room <= have
               ? 0
               : (room - have) * sizeof(struct cki_ghost);
}

bool cki_ghosts_grow_locked(struct cki_memory *memory, size_t room)
{
    struct cki_s3_fifo *s = &memory->s3_fifo, old = *s;
    size_t growth = cki_ghosts_growth(memory, room);
    if (growth == 0) {
        return true;
    }
    struct cki_ghost *ghosts = cki_alloc(memory->options.allocator, room * sizeof *ghosts);
    if (ghosts == NULL) {
        return false;
    }
    memset(ghosts, 0, room * sizeof *ghosts);
    s->ghosts = ghosts;
    s->ghost_room = room;
    for (size_t i = 0; i < old.ghost_room; i++) {
        if (old.ghosts[i].turn != 0) {
            *ghost_place(s, old.ghosts[i].hash) = old.ghosts[i];
        }
    }
    cki_free(memory->options.allocator, old.ghosts, old.ghost_room * sizeof *ghosts);
    memory->overhead_bytes += growth;
    return true;
}

void cki_ghosts_release(struct cki_memory *memory)
{
    cki_free(memory->options.allocator, memory->s3_fifo.ghosts, cki_ghosts_bytes(memory));
}
