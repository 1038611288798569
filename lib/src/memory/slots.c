// SPDX-License-Identifier: MIT
// Every store to a word is sequentially consistent: a reader that published its pin and then still
// sees the word has pinned an entry that no writer had unlinked before.
#include "memory/slots.h"

#include <string.h>

#include "base/alloc.h"
#include "base/yield.h"

struct cki_slots *cki_slots_new(const cachekit_allocator *allocator, size_t slots)
{
    size_t bytes = sizeof(struct cki_slots) + slots * sizeof(uint64_t);
    struct cki_slots *made = cki_alloc(allocator, bytes);
    if (made != NULL) {
        memset(made, 0, bytes);
        made->mask = slots - 1;
    }
    return made;
}

size_t cki_slots_bytes(const struct cki_slots *slots)
{
    return sizeof *slots + (slots->mask + 1) * sizeof slots->words[0];
}

void cki_slots_free(const cachekit_allocator *allocator, struct cki_slots *slots)
{
    while (slots != NULL) {
        struct cki_slots *older = slots->older;
        cki_free(allocator, slots, cki_slots_bytes(slots));
        slots = older;
    }
}

bool cki_key_equals(const struct cki_entry *entry, const struct cki_key *key)
{
    return entry->hash == key->hash && entry->shape == cki_shape(key->kind, key->len) &&
           (key->len == 0 || memcmp(entry->key, key->bytes, key->len) == 0);
}

static uint64_t word_at(const struct cki_slots *slots, size_t index)
{
    return atomic_load_explicit(&slots->words[index], memory_order_relaxed);
}

struct cki_entry *cki_slots_find(const struct cki_slots *slots, const struct cki_key *key)
{
    for (size_t i = key->hash & slots->mask;; i = (i + 1) & slots->mask) {
        uint64_t word = word_at(slots, i);
        if (word == 0) {
            return NULL;
        }
        if (cki_word_matches(word, key->hash) && cki_key_equals(cki_word_entry(word), key)) {
            return cki_word_entry(word);
        }
    }
}

void cki_slots_insert(struct cki_slots *slots, struct cki_entry *entry)
{
    size_t i = entry->hash & slots->mask;
    while (word_at(slots, i) != 0) {
        i = (i + 1) & slots->mask;
    }
    slots->used++;
    atomic_store(&slots->words[i], cki_word(entry->hash, entry));
}

// May the entry of slot `from` move to `to`, which lies before it? Only if its home does not lie
// between them.
static bool may_move(const struct cki_slots *slots, size_t from, size_t to)
{
    size_t home = cki_word_entry(word_at(slots, from))->hash & slots->mask;
    return ((from - home) & slots->mask) >= ((from - to) & slots->mask);
}

void cki_slots_remove(struct cki_slots *slots, const struct cki_entry *entry)
{
    size_t hole = entry->hash & slots->mask;
    while (cki_word_entry(word_at(slots, hole)) != entry) {
        hole = (hole + 1) & slots->mask;
    }
    for (size_t i = (hole + 1) & slots->mask; word_at(slots, i) != 0; i = (i + 1) & slots->mask) {
        if (may_move(slots, i, hole)) {
            atomic_store(&slots->words[hole], word_at(slots, i));
            CKI_YIELD();
            hole = i;
        }
    }
    atomic_store(&slots->words[hole], 0);
    slots->used--;
}
