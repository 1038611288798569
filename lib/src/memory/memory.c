// SPDX-License-Identifier: MIT
// Order of every removal: the entry's due time becomes 0, so that no hit can serve it; its word
// leaves the index; its places leave the orders; its bytes move from live to limbo. Listeners and
// destructors run after the lock is given back.
#include "memory/memory.h"

#include <string.h>

#include "base/clock.h"

enum { FIRST_SLOTS = 16, EXPIRED_PER_STORE = 4 };

// The index of every empty memory: one slot, always empty, never written.
static union {
    struct cki_slots slots;
    _Alignas(64) unsigned char room[sizeof(struct cki_slots) + sizeof(uint64_t)];
} nothing;

cachekit_status cki_memory_init(struct cki_memory *memory, const struct cki_memory_options *options)
{
    memset(memory, 0, sizeof *memory);
    memory->options = *options;
    atomic_init(&memory->slots, &nothing.slots);
    cki_order_init(&memory->orders[CKI_BY_DEADLINE], CKI_BY_DEADLINE);
    cki_order_init(&memory->orders[CKI_BY_USE], CKI_BY_USE);
    if (pthread_mutex_init(&memory->lock, NULL) != 0) {
        return CACHEKIT_E_NOMEM;
    }
    memory->number = cki_number_take(&memory->baseline);
    if (memory->number == SIZE_MAX) {
        (void)pthread_mutex_destroy(&memory->lock);
        return CACHEKIT_E_NOMEM;
    }
    return CACHEKIT_OK;
}

int64_t cki_memory_now(const struct cki_memory *memory)
{
    return cki_now_ns(memory->options.clock);
}

static struct cki_slots *slots_of(const struct cki_memory *memory)
{
    return atomic_load_explicit(&memory->slots, memory_order_relaxed);
}

static bool is_nothing(const struct cki_slots *slots)
{
    return slots == &nothing.slots;
}

static size_t slots_bytes(const struct cki_slots *slots)
{
    size_t bytes = 0;
    for (; slots != NULL && !is_nothing(slots); slots = slots->older) {
        bytes += cki_slots_bytes(slots);
    }
    return bytes;
}

size_t cki_memory_overhead(const struct cki_memory *memory)
{
    return slots_bytes(slots_of(memory)) + cki_order_bytes(&memory->orders[CKI_BY_DEADLINE]) +
           cki_order_bytes(&memory->orders[CKI_BY_USE]);
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

// Unlinks and puts the entry at the head of `*removed`.
static void unlink_locked(struct cki_memory *memory, struct cki_entry *entry, enum cki_cause cause,
                          struct cki_entry **removed)
{
    atomic_store(&entry->due_ns, 0);
    cki_slots_remove(slots_of(memory), entry);
    cki_order_remove(&memory->orders[CKI_BY_DEADLINE], entry);
    cki_order_remove(&memory->orders[CKI_BY_USE], entry);
    age_remove(memory, entry);
    memory->count--;
    memory->live_bytes -= entry->charge_bytes;
    atomic_fetch_add(&memory->limbo_bytes, entry->charge_bytes);
    memory->removals[cause]++;
    entry->cause = (uint8_t)cause;
    entry->link = *removed;
    *removed = entry;
}

// Gives the lock back, tells the listener, files what was removed into limbo, frees what it can.
static void leave(struct cki_memory *memory, struct cki_entry *removed)
{
    if (memory->options.removed != NULL && removed != NULL) {
        (void)pthread_mutex_unlock(&memory->lock);
        for (const struct cki_entry *e = removed; e != NULL; e = e->link) {
            memory->options.removed(memory->options.context, e);
        }
        (void)pthread_mutex_lock(&memory->lock);
    }
    cki_limbo_add(memory, removed);
    bool due = cki_limbo_is_due(memory);
    (void)pthread_mutex_unlock(&memory->lock);
    if (due) {
        cki_limbo_reclaim(memory);
    }
}

static size_t expire_locked(struct cki_memory *memory, int64_t now, size_t most,
                            struct cki_entry **removed)
{
    size_t count = 0;
    while (count < most) {
        struct cki_entry *first = cki_order_first(&memory->orders[CKI_BY_DEADLINE]);
        if (first == NULL || first->expires_ns > now) {
            break;
        }
        unlink_locked(memory, first, CKI_EXPIRED, removed);
        count++;
    }
    return count;
}

// The least recently used entry. One that was used since it was filed is filed anew at that use;
// there is room for it, and each entry is filed at most once per use.
static struct cki_entry *oldest_locked(struct cki_memory *memory)
{
    struct cki_order *order = &memory->orders[CKI_BY_USE];
    for (;;) {
        struct cki_entry *first = cki_order_first(order);
        int64_t used =
            first == NULL ? 0 : atomic_load_explicit(&first->stamp_ns, memory_order_relaxed);
        if (first == NULL || used <= first->places[CKI_BY_USE].rank) {
            return first;
        }
        cki_order_remove(order, first);
        cki_order_file(order, first, used);
    }
}

static bool is_full(const struct cki_memory *memory, size_t limit, size_t more)
{
    uint32_t entries = memory->options.entries_max;
    return memory->live_bytes + more > limit || (entries != 0 && memory->count >= entries);
}

static void make_room_locked(struct cki_memory *memory, int64_t now, size_t limit, size_t more,
                             struct cki_entry **removed)
{
    (void)expire_locked(memory, now, EXPIRED_PER_STORE, removed);
    while (is_full(memory, limit, more) && expire_locked(memory, now, 1, removed) == 1) {
    }
    while (is_full(memory, limit, more) && memory->count > 0) {
        unlink_locked(memory, oldest_locked(memory), CKI_EVICTED, removed);
    }
}

// Bytes that live entries may use: limbo has its share whether it uses it or not, and more if held
// entries take more.
static size_t limit_locked(const struct cki_memory *memory)
{
    size_t budget = memory->options.budget_bytes, share = budget / 64;
    size_t limbo = atomic_load(&memory->limbo_bytes), overhead = cki_memory_overhead(memory);
    size_t gone = overhead + (limbo > share ? limbo : share);
    return gone < budget ? budget - gone : 0;
}

static bool grow_slots_locked(struct cki_memory *memory)
{
    struct cki_slots *slots = slots_of(memory);
    size_t have = is_nothing(slots) ? 0 : slots->mask + 1;
    if ((memory->count + 1) * 2 <= have) {
        return true;
    }
    struct cki_slots *bigger =
        cki_slots_new(memory->options.allocator, have == 0 ? FIRST_SLOTS : have * 2);
    if (bigger == NULL) {
        return false;
    }
    for (size_t i = 0; i < have; i++) {
        uint64_t word = atomic_load_explicit(&slots->words[i], memory_order_relaxed);
        if (word != 0) {
            cki_slots_insert(bigger, cki_word_entry(word));
        }
    }
    bigger->older = is_nothing(slots) ? NULL : slots;
    atomic_store(&memory->slots, bigger);
    return true;
}

static bool reserve_locked(struct cki_memory *memory)
{
    const cachekit_allocator *allocator = memory->options.allocator;
    uint32_t entries = (uint32_t)memory->count + 1;
    return memory->count < UINT32_MAX / 4 && grow_slots_locked(memory) &&
           cki_order_reserve(&memory->orders[CKI_BY_DEADLINE], allocator, entries) &&
           cki_order_reserve(&memory->orders[CKI_BY_USE], allocator, entries);
}

static int64_t add_ns(int64_t now, int64_t span)
{
    return span >= CKI_FOREVER - now ? CKI_FOREVER : now + span;
}

static void link_locked(struct cki_memory *memory, const struct cki_store *store, int64_t now,
                        cki_pin *pin)
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
    cki_order_file(&memory->orders[CKI_BY_USE], entry, now);
    age_append(memory, entry);
    memory->count++;
    memory->live_bytes += entry->charge_bytes;
    memory->stored++;
    if (pin != NULL) {
        atomic_store(pin, entry);
    }
    cki_slots_insert(slots_of(memory), entry);
}

static enum cki_stored put_locked(struct cki_memory *memory, const struct cki_store *store,
                                  cki_pin *pin, struct cki_entry **removed)
{
    struct cki_entry *entry = store->entry;
    const struct cki_key key = {entry->hash, entry->key_kind, entry->key_len, entry->key};
    struct cki_entry *old = cki_slots_find(slots_of(memory), &key);
    int64_t now = now_locked(memory);
    if ((store->replaces != 0 && (old == NULL || old->generation != store->replaces)) ||
        (store->overtaken != NULL && atomic_load(store->overtaken))) {
        return CKI_OVERTAKEN;
    }
    if (old != NULL) {
        unlink_locked(memory, old, CKI_REPLACED, removed);
    }
    if (entry->charge_bytes > memory->options.budget_bytes) {
        memory->refused++;
        return CKI_REFUSED;
    }
    if (!cki_word_fits(entry) || !reserve_locked(memory)) {
        memory->unstored++;
        return CKI_NO_MEMORY;
    }
    size_t limit = limit_locked(memory);
    if (entry->charge_bytes > limit) {
        memory->unstored++;
        return CKI_NO_ROOM;
    }
    make_room_locked(memory, now, limit, entry->charge_bytes, removed);
    link_locked(memory, store, now, pin);
    return CKI_STORED;
}

enum cki_stored cki_memory_put(struct cki_memory *memory, const struct cki_store *store,
                               cki_pin *pin)
{
    struct cki_entry *removed = NULL, *entry = store->entry;
    entry->charge_bytes = cki_entry_bytes(entry) + entry->object_size;
    (void)pthread_mutex_lock(&memory->lock);
    if (cki_limbo_is_due(memory)) {
        (void)pthread_mutex_unlock(&memory->lock);
        cki_limbo_reclaim(memory);
        (void)pthread_mutex_lock(&memory->lock);
    }
    enum cki_stored stored = put_locked(memory, store, pin, &removed);
    leave(memory, removed);
    return stored;
}

static void use_locked(struct cki_entry *entry, int64_t now, cki_pin *pin)
{
    atomic_store_explicit(&entry->stamp_ns, now, memory_order_relaxed);
    if (pin != NULL) {
        atomic_store(pin, entry);
    } else {
        entry->holds++;
    }
}

struct cki_entry *cki_memory_find(struct cki_memory *memory, const struct cki_key *key,
                                  cki_pin *pin)
{
    struct cki_entry *removed = NULL;
    (void)pthread_mutex_lock(&memory->lock);
    int64_t now = now_locked(memory);
    struct cki_entry *entry = cki_slots_find(slots_of(memory), key);
    if (entry != NULL && now >= entry->expires_ns) {
        unlink_locked(memory, entry, CKI_EXPIRED, &removed);
        entry = NULL;
    }
    if (entry != NULL) {
        use_locked(entry, now, pin);
    }
    leave(memory, removed);
    return entry;
}

void cki_memory_hold(struct cki_memory *memory, struct cki_entry *entry, uint32_t holds)
{
    (void)pthread_mutex_lock(&memory->lock);
    entry->holds += holds;
    (void)pthread_mutex_unlock(&memory->lock);
}

void cki_memory_unhold(struct cki_memory *memory, struct cki_entry *entry)
{
    (void)pthread_mutex_lock(&memory->lock);
    bool last = --entry->holds == 0 && atomic_load(&entry->due_ns) == 0;
    (void)pthread_mutex_unlock(&memory->lock);
    if (last) {
        cki_limbo_reclaim(memory);
    }
}

void cki_memory_adopt(struct cki_memory *memory, struct cki_entry *entry, uint32_t holds)
{
    (void)pthread_mutex_lock(&memory->lock);
    entry->charge_bytes = 0;
    entry->holds = holds;
    entry->link = NULL;
    atomic_store(&entry->due_ns, 0);
    cki_limbo_add(memory, entry);
    (void)pthread_mutex_unlock(&memory->lock);
}

void cki_memory_set_due(struct cki_memory *memory, const struct cki_key *key, uint64_t generation,
                        int64_t due_ns)
{
    (void)pthread_mutex_lock(&memory->lock);
    struct cki_entry *entry = cki_slots_find(slots_of(memory), key);
    if (entry != NULL && entry->generation == generation) {
        atomic_store(&entry->due_ns, due_ns < entry->expires_ns ? due_ns : entry->expires_ns);
    }
    (void)pthread_mutex_unlock(&memory->lock);
}

bool cki_memory_remove(struct cki_memory *memory, const struct cki_key *key)
{
    struct cki_entry *removed = NULL;
    (void)pthread_mutex_lock(&memory->lock);
    int64_t now = now_locked(memory);
    struct cki_entry *entry = cki_slots_find(slots_of(memory), key);
    bool was_live = entry != NULL && now < entry->expires_ns;
    if (entry != NULL) {
        unlink_locked(memory, entry, was_live ? CKI_INVALIDATED : CKI_EXPIRED, &removed);
    }
    leave(memory, removed);
    return was_live;
}

size_t cki_memory_sweep(struct cki_memory *memory)
{
    struct cki_entry *removed = NULL;
    (void)pthread_mutex_lock(&memory->lock);
    size_t count = expire_locked(memory, now_locked(memory), CKI_SWEEP_MAX, &removed);
    leave(memory, removed);
    return count;
}

static size_t clear_some(struct cki_memory *memory, enum cki_cause cause, uint64_t newest)
{
    struct cki_entry *removed = NULL;
    size_t count = 0;
    (void)pthread_mutex_lock(&memory->lock);
    while (count < CKI_SWEEP_MAX && memory->eldest != NULL &&
           memory->eldest->generation <= newest) {
        unlink_locked(memory, memory->eldest, cause, &removed);
        count++;
    }
    leave(memory, removed);
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

bool cki_memory_release(struct cki_memory *memory)
{
    (void)cki_memory_clear(memory, CKI_CLOSED);
    cki_limbo_reclaim(memory);
    if (memory->limbo != NULL) {
        return false;
    }
    struct cki_slots *slots = slots_of(memory);
    cki_slots_free(memory->options.allocator, is_nothing(slots) ? NULL : slots);
    for (int i = 0; i < CKI_ORDERS; i++) {
        cki_order_release(&memory->orders[i], memory->options.allocator);
    }
    cki_number_give(memory->number);
    (void)pthread_mutex_destroy(&memory->lock);
    return true;
}

void cki_memory_usage(struct cki_memory *memory, struct cki_memory_usage *usage)
{
    uint64_t hits = cki_number_sum(memory->number);
    (void)pthread_mutex_lock(&memory->lock);
    size_t limbo = atomic_load(&memory->limbo_bytes), overhead = cki_memory_overhead(memory);
    *usage = (struct cki_memory_usage){
        .entries = memory->count,
        .used_bytes = memory->live_bytes + limbo + overhead,
        .overhead_bytes = overhead,
        .limbo_bytes = limbo,
        .hits = hits - memory->baseline,
        .stored = memory->stored,
        .refused = memory->refused,
        .unstored = memory->unstored,
    };
    memcpy(usage->removals, memory->removals, sizeof usage->removals);
    (void)pthread_mutex_unlock(&memory->lock);
}

void cki_memory_forked(struct cki_memory *memory)
{
    struct cki_memory_options options = memory->options;
    size_t number = memory->number;
    memset(memory, 0, sizeof *memory);
    memory->options = options;
    memory->number = number;
    atomic_init(&memory->slots, &nothing.slots);
    cki_order_init(&memory->orders[CKI_BY_DEADLINE], CKI_BY_DEADLINE);
    cki_order_init(&memory->orders[CKI_BY_USE], CKI_BY_USE);
    (void)pthread_mutex_init(&memory->lock, NULL);
    memory->baseline = cki_number_sum(number);
}

static bool entries_are_valid(const struct cki_memory *memory)
{
    size_t count = 0, bytes = 0;
    for (const struct cki_entry *e = memory->eldest; e != NULL; e = e->younger) {
        const struct cki_key key = {e->hash, e->key_kind, e->key_len, e->key};
        if (cki_slots_find(slots_of(memory), &key) != e ||
            (e->younger != NULL && e->younger->generation <= e->generation)) {
            return false;
        }
        count++;
        bytes += e->charge_bytes;
    }
    return count == memory->count && bytes == memory->live_bytes &&
           (is_nothing(slots_of(memory)) || slots_of(memory)->used == count);
}

bool cki_memory_is_valid(struct cki_memory *memory)
{
    (void)pthread_mutex_lock(&memory->lock);
    bool ok = entries_are_valid(memory);
    for (int i = 0; i < CKI_ORDERS; i++) {
        ok = ok && cki_order_is_valid(&memory->orders[i], memory->count);
    }
    (void)pthread_mutex_unlock(&memory->lock);
    return ok;
}
