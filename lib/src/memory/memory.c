// SPDX-License-Identifier: MIT
// Making, emptying and ending an object cache; what is looked up, held or put off under its lock.
#include "memory/memory.h"

#include <string.h>

#include "base/clock.h"
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
    memory->counter_at_bytes = memory->number * sizeof(uint64_t);
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
    memory->counter_at_bytes = number * sizeof(uint64_t);
    memory->baseline = cki_number_sum(number);
    (void)pthread_mutex_init(&memory->lock, NULL);
    (void)pthread_cond_init(&memory->sifted, NULL);
}

void cki_keep_locked(struct cki_entry *entry, struct cki_grip *grip)
{
    if (grip->cell != NULL && cki_pin_free(grip->cell, &grip->pin)) {
        atomic_store(grip->pin, entry);
    } else {
        grip->pin = NULL;
        entry->holds++;
    }
}

struct cki_entry *cki_memory_find(struct cki_memory *memory, const struct cki_key *key,
                                  struct cki_grip *grip)
{
    struct cki_entry *removed = NULL;
    (void)pthread_mutex_lock(&memory->lock);
    int64_t now = cki_now_locked(memory);
    struct cki_entry *entry = cki_slots_find(cki_slots_locked(memory), key);
    if (entry != NULL && now >= entry->expires_ns) {
        cki_unlink_locked(memory, entry, CKI_EXPIRED, &removed);
        entry = NULL;
    }
    if (entry != NULL) {
        atomic_store_explicit(&entry->stamp_ns, now, memory_order_relaxed);
        cki_keep_locked(entry, grip);
    }
    cki_leave(memory, removed, false);
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
