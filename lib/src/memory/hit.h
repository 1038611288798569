// SPDX-License-Identifier: MIT
// The hit without a lock, inlined into its callers so that the comparison of keys is too.
//
// NULL means doubt, not absence: ask under the lock. Order matters: the entry is pinned, then its
// slot and the table are looked at again, and only then is the entry read; its due time, which
// removal makes CKI_DEAD, is read last.
#ifndef CKI_HIT_H
#define CKI_HIT_H

#include "base/yield.h"
#include "memory/memory.h"

typedef bool cki_key_test(const struct cki_entry *entry, const void *key);

#define CKI_ALWAYS_INLINE __attribute__((always_inline)) static inline

// Where a hit stands.
struct cki_probe {
    struct cki_memory *memory;
    struct cki_slots *slots;
    struct cki_cell *cell;
    cki_pin *pin; // free
    uint64_t hash;
    int64_t now_ns;
};

// The entry of a word whose tag matches, if `test` accepts it: pinned, counted and used. When that
// is not so the pin is free again, and `*go_on` says whether to look at the next slot.
CKI_ALWAYS_INLINE struct cki_entry *cki_probe_take(const struct cki_probe *p, size_t slot,
                                                   uint64_t word, cki_key_test *test,
                                                   const void *key, bool *go_on)
{
    struct cki_entry *entry = cki_word_entry(word);
    *go_on = false;
    if (entry == NULL) {
        return NULL;
    }
    CKI_YIELD();
    atomic_store(p->pin, entry);
    CKI_YIELD();
    if (atomic_load(&p->slots->words[slot]) != word || atomic_load(&p->memory->slots) != p->slots) {
        goto doubt;
    }
    if (!test(entry, key)) {
        cki_pin_release(p->pin);
        *go_on = true;
        return NULL;
    }
    CKI_YIELD();
    if (p->now_ns >= atomic_load_explicit(&entry->due_ns, memory_order_acquire)) {
        goto doubt;
    }
    if (atomic_load_explicit(&entry->stamp_ns, memory_order_relaxed) < p->now_ns) {
        atomic_store_explicit(&entry->stamp_ns, p->now_ns, memory_order_relaxed);
    }
    CKI_YIELD();
    cki_count_hit(p->cell, p->memory->counter_at_bytes);
    return entry;
doubt:
    cki_pin_release(p->pin);
    return NULL;
}

CKI_ALWAYS_INLINE struct cki_entry *cki_probe_all(const struct cki_probe *p, cki_key_test *test,
                                                  const void *key)
{
    size_t i = p->hash & p->slots->mask;
    for (int probes = 0; probes < CKI_PROBES_MAX; probes++, i = (i + 1) & p->slots->mask) {
        uint64_t word = atomic_load_explicit(&p->slots->words[i], memory_order_acquire);
        if (word == 0) {
            return NULL;
        }
        if (cki_word_matches(word, p->hash)) {
            bool go_on;
            struct cki_entry *entry = cki_probe_take(p, i, word, test, key, &go_on);
            if (entry != NULL || !go_on) {
                return entry;
            }
        }
    }
    return NULL;
}

#endif
