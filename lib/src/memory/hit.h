// SPDX-License-Identifier: MIT
// The hit without a lock, inlined into its callers so that the comparison of keys is too.
//
// NULL means doubt, not absence: ask under the lock. Order matters: the entry is pinned, then its
// slot and the table are looked at again, and only then is the entry read; its due time, which
// removal sets to 0, is read last.
#ifndef CKI_HIT_H
#define CKI_HIT_H

#include "memory/memory.h"

typedef bool cki_key_test(const struct cki_entry *entry, const void *key);

// The entry that `test` accepts, still linked and not yet due, pinned by `*pin`; or NULL.
__attribute__((always_inline)) static inline struct cki_entry *
cki_memory_hit(struct cki_memory *memory, uint64_t hash, int64_t now_ns, cki_key_test *test,
               const void *key, struct cki_cell *cell, cki_pin *pin)
{
    struct cki_slots *slots = atomic_load_explicit(&memory->slots, memory_order_acquire);
    size_t i = hash & slots->mask;
    for (int probes = 0; probes < CKI_PROBES_MAX; probes++, i = (i + 1) & slots->mask) {
        uint64_t word = atomic_load_explicit(&slots->words[i], memory_order_acquire);
        if (word == 0) {
            return NULL;
        }
        if (!cki_word_matches(word, hash)) {
            continue;
        }
        struct cki_entry *entry = cki_word_entry(word);
        atomic_store(pin, entry);
        bool same = atomic_load(&slots->words[i]) == word && atomic_load(&memory->slots) == slots;
        if (same && entry->hash == hash && test(entry, key)) {
            if (now_ns < atomic_load_explicit(&entry->due_ns, memory_order_acquire)) {
                if (atomic_load_explicit(&entry->stamp_ns, memory_order_relaxed) != now_ns) {
                    atomic_store_explicit(&entry->stamp_ns, now_ns, memory_order_relaxed);
                }
                cki_count_hit(cell, memory->number);
                return entry;
            }
            same = false;
        }
        cki_pin_release(pin);
        if (!same) {
            return NULL;
        }
    }
    return NULL;
}

#endif
