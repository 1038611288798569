// SPDX-License-Identifier: MIT
// Order of every removal: the entry's due time becomes 0, so that no hit can serve it; its word
// leaves the index; its places leave the orders; its bytes move from live to limbo. Listeners and
// destructors run after the lock is given back.
#include "memory/memory.h"

#include <string.h>

#include "base/clock.h"
#include "base/yield.h"
#include "memory/inside.h"

static union {
    struct cki_slots slots;
    _Alignas(64) unsigned char room[sizeof(struct cki_slots) + sizeof(uint64_t)];
} no_slots;

struct cki_slots *cki_no_slots(void)
{
    return &no_slots.slots;
}

static void take_clock(struct cki_memory *memory, const cachekit_clock *clock)
{
    bool is_tick = clock != NULL && clock->now_ns == NULL;
    memory->tick = is_tick ? clock->context : NULL;
    memory->now_ns = clock == NULL || is_tick ? cki_coarse_ns : clock->now_ns;
    memory->now_context = clock != NULL ? clock->context : NULL;
}

// Everything but the lock, the condition and the counters' number.
static void start_empty(struct cki_memory *memory, const struct cki_memory_options *options)
{
    memset(memory, 0, sizeof *memory);
    memory->options = *options;
    if (memory->options.budget_bytes > SIZE_MAX / 4) {
        memory->options.budget_bytes = SIZE_MAX / 4; // sums of sizes must not overflow
    }
    take_clock(memory, options->clock);
    memory->newest_ns = INT64_MIN;
    atomic_init(&memory->slots, &no_slots.slots);
    cki_order_init(&memory->orders[CKI_BY_DEADLINE], CKI_BY_DEADLINE);
    cki_order_init(&memory->orders[CKI_BY_USE], CKI_BY_USE);
    cki_order_init(&memory->s3_fifo.small, CKI_BY_USE);
}

cachekit_status cki_memory_init(struct cki_memory *memory, const struct cki_memory_options *options)
{
    start_empty(memory, options);
    if (pthread_mutex_init(&memory->lock, NULL) != 0) {
        return CACHEKIT_E_NOMEM;
    }
    if (pthread_cond_init(&memory->sifted, NULL) != 0) {
        goto no_condition;
    }
    memory->number = cki_number_take(&memory->baseline);
    if (memory->number == SIZE_MAX) {
        goto no_number;
    }
    return CACHEKIT_OK;
no_number:
    (void)pthread_cond_destroy(&memory->sifted);
no_condition:
    (void)pthread_mutex_destroy(&memory->lock);
    return CACHEKIT_E_NOMEM;
}

void cki_memory_forked(struct cki_memory *memory)
{
    struct cki_memory_options options = memory->options;
    size_t number = memory->number;
    start_empty(memory, &options);
    memory->number = number;
    memory->baseline = cki_number_sum(number);
    (void)pthread_mutex_init(&memory->lock, NULL);
    (void)pthread_cond_init(&memory->sifted, NULL);
}

static int64_t now_locked(struct cki_memory *memory)
{
    int64_t now = cki_memory_now(memory);
    memory->newest_ns = now > memory->newest_ns ? now : memory->newest_ns;
    return memory->newest_ns;
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

// Gives the lock back, tells the listener, files what was removed into limbo, and frees what it
// can: if limbo is due, or if `now`, for removals that somebody asked for, if there is anything
// new.
static void leave(struct cki_memory *memory, struct cki_entry *removed, bool now)
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

static int64_t add_ns(int64_t now, int64_t span)
{
    int64_t sum;
    return __builtin_add_overflow(now, span, &sum) || span == CKI_FOREVER ? CKI_FOREVER : sum;
}

static void keep_locked(struct cki_entry *entry, struct cki_grip *grip)
{
    if (grip->cell != NULL && cki_pin_free(grip->cell, &grip->pin)) {
        atomic_store(grip->pin, entry);
    } else {
        grip->pin = NULL;
        entry->holds++;
    }
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
        keep_locked(entry, grip);
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
    int64_t now = now_locked(memory);
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
    leave(memory, a->removed, true);
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
    leave(memory, a.removed, false);
    return stored;
}

struct cki_entry *cki_memory_find(struct cki_memory *memory, const struct cki_key *key,
                                  struct cki_grip *grip)
{
    struct cki_entry *removed = NULL;
    (void)pthread_mutex_lock(&memory->lock);
    int64_t now = now_locked(memory);
    struct cki_entry *entry = cki_slots_find(cki_slots_locked(memory), key);
    if (entry != NULL && now >= entry->expires_ns) {
        cki_unlink_locked(memory, entry, CKI_EXPIRED, &removed);
        entry = NULL;
    }
    if (entry != NULL) {
        atomic_store_explicit(&entry->stamp_ns, now, memory_order_relaxed);
        keep_locked(entry, grip);
    }
    leave(memory, removed, false);
    return entry;
}

void cki_memory_hold(struct cki_memory *memory, struct cki_entry *entry, uint32_t holds)
{
    (void)pthread_mutex_lock(&memory->lock);
    entry->holds += holds;
    (void)pthread_mutex_unlock(&memory->lock);
}

// `releasing` falls last: whoever frees the memory waits for that.
void cki_memory_unhold(struct cki_memory *memory, struct cki_entry *entry)
{
    atomic_fetch_add(&memory->releasing, 1);
    (void)pthread_mutex_lock(&memory->lock);
    bool last = --entry->holds == 0 && atomic_load(&entry->due_ns) == CKI_DEAD;
    (void)pthread_mutex_unlock(&memory->lock);
    if (last) {
        cki_limbo_reclaim(memory);
    }
    atomic_fetch_sub(&memory->releasing, 1);
}

void cki_memory_adopt(struct cki_memory *memory, struct cki_entry *entry, uint32_t holds)
{
    (void)pthread_mutex_lock(&memory->lock);
    entry->charge_bytes = 0;
    entry->holds = holds;
    entry->link = NULL;
    atomic_store(&entry->due_ns, CKI_DEAD);
    cki_limbo_add_locked(memory, entry);
    (void)pthread_mutex_unlock(&memory->lock);
}

static void set_due_locked(struct cki_entry *entry, int64_t due_ns)
{
    atomic_store(&entry->due_ns, due_ns < entry->expires_ns ? due_ns : entry->expires_ns);
}

void cki_memory_set_due(struct cki_memory *memory, const struct cki_key *key, uint64_t generation,
                        int64_t due_ns)
{
    (void)pthread_mutex_lock(&memory->lock);
    struct cki_entry *entry = cki_slots_find(cki_slots_locked(memory), key);
    if (entry != NULL && entry->generation == generation) {
        set_due_locked(entry, due_ns);
    }
    (void)pthread_mutex_unlock(&memory->lock);
}

bool cki_memory_claim_due(struct cki_memory *memory, const struct cki_key *key, uint64_t generation,
                          int64_t now_ns)
{
    (void)pthread_mutex_lock(&memory->lock);
    struct cki_entry *entry = cki_slots_find(cki_slots_locked(memory), key);
    bool mine =
        entry != NULL && entry->generation == generation && atomic_load(&entry->due_ns) <= now_ns;
    if (mine) {
        set_due_locked(entry, CKI_FOREVER);
    }
    (void)pthread_mutex_unlock(&memory->lock);
    return mine;
}

bool cki_memory_remove(struct cki_memory *memory, const struct cki_key *key)
{
    struct cki_entry *removed = NULL;
    (void)pthread_mutex_lock(&memory->lock);
    int64_t now = now_locked(memory);
    struct cki_entry *entry = cki_slots_find(cki_slots_locked(memory), key);
    bool was_live = entry != NULL && now < entry->expires_ns;
    if (entry != NULL) {
        cki_unlink_locked(memory, entry, was_live ? CKI_INVALIDATED : CKI_EXPIRED, &removed);
    }
    leave(memory, removed, true);
    return was_live;
}

size_t cki_memory_sweep(struct cki_memory *memory)
{
    struct cki_entry *removed = NULL;
    (void)pthread_mutex_lock(&memory->lock);
    size_t count = cki_expire_locked(memory, now_locked(memory), CKI_SWEEP_MAX, &removed);
    leave(memory, removed, true);
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
    leave(memory, removed, true);
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

static bool is_in_use(struct cki_memory *memory)
{
    (void)pthread_mutex_lock(&memory->lock);
    bool in_use = memory->limbo != NULL || memory->sifting > 0;
    (void)pthread_mutex_unlock(&memory->lock);
    return in_use || atomic_load(&memory->releasing) != 0;
}

bool cki_memory_release(struct cki_memory *memory)
{
    (void)cki_memory_clear(memory, CKI_CLOSED);
    cki_limbo_reclaim(memory);
    if (is_in_use(memory)) {
        return false;
    }
    struct cki_slots *slots = cki_slots_locked(memory);
    cki_slots_free(memory->options.allocator, slots == cki_no_slots() ? NULL : slots);
    for (int i = 0; i < CKI_ORDERS; i++) {
        cki_order_release(&memory->orders[i], memory->options.allocator);
    }
    cki_ghosts_release(memory);
    cki_number_give(memory->number);
    (void)pthread_cond_destroy(&memory->sifted);
    (void)pthread_mutex_destroy(&memory->lock);
    return true;
}
