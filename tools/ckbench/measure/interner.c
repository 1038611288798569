// SPDX-License-Identifier: MIT
// A dump names the same few files and functions over and over. An open hash table finds the copy;
// the copies lie in chunks that never move.
#include "measure/interner.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 16384, FIRST_SLOTS = 256 };

struct chunk {
    struct chunk *next;
    char bytes[];
};

struct slot {
    const char *text;
    size_t len;
    uint64_t hash;
};

struct interner {
    struct chunk *chunks;
    char *free_bytes; // within the newest common chunk
    size_t free_count;
    struct slot *slots;
    size_t slot_count; // a power of two
    size_t used;
};

static uint64_t hash_of(const char *bytes, size_t len)
{
    uint64_t hash = UINT64_C(14695981039346656037); // FNV-1a
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(1099511628211);
    }
    return hash ^ (hash >> 29);
}

static struct slot *find(struct slot *slots, size_t count, const char *bytes, size_t len,
                         uint64_t hash)
{
    size_t at = (size_t)hash & (count - 1);
    while (slots[at].text != NULL && (slots[at].hash != hash || slots[at].len != len ||
                                      memcmp(slots[at].text, bytes, len) != 0)) {
        at = (at + 1) & (count - 1);
    }
    return &slots[at];
}

static bool grow(struct interner *interner)
{
    size_t count = interner->slot_count * 2;
    struct slot *slots = calloc(count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < interner->slot_count; i++) {
        const struct slot *old = &interner->slots[i];
        if (old->text != NULL) {
            *find(slots, count, old->text, old->len, old->hash) = *old;
        }
    }
    free(interner->slots);
    interner->slots = slots;
    interner->slot_count = count;
    return true;
}

static char *chunk_add(struct interner *interner, size_t size)
{
    struct chunk *chunk = malloc(sizeof *chunk + size);
    if (chunk == NULL) {
        return NULL;
    }
    chunk->next = interner->chunks;
    interner->chunks = chunk;
    return chunk->bytes;
}

static char *reserve(struct interner *interner, size_t size)
{
    if (size > CHUNK_BYTES / 4) {
        return chunk_add(interner, size);
    }
    if (size > interner->free_count) {
        char *fresh = chunk_add(interner, CHUNK_BYTES);
        if (fresh == NULL) {
            return NULL;
        }
        interner->free_bytes = fresh;
        interner->free_count = CHUNK_BYTES;
    }
    char *place = interner->free_bytes;
    interner->free_bytes += size;
    interner->free_count -= size;
    return place;
}

struct interner *interner_new(void)
{
    struct interner *interner = calloc(1, sizeof *interner);
    if (interner != NULL) {
        interner->slot_count = FIRST_SLOTS;
        interner->slots = calloc(FIRST_SLOTS, sizeof *interner->slots);
        if (interner->slots == NULL) {
            free(interner);
            interner = NULL;
        }
    }
    return interner;
}

void interner_free(struct interner *interner)
{
    if (interner == NULL) {
        return;
    }
    for (struct chunk *chunk = interner->chunks; chunk != NULL;) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    free(interner->slots);
    free(interner);
}

const char *interner_add(struct interner *interner, const char *bytes, size_t len)
{
    uint64_t hash = hash_of(bytes, len);
    struct slot *slot = find(interner->slots, interner->slot_count, bytes, len, hash);
    if (slot->text != NULL) {
        return slot->text;
    }
    if (interner->used >= interner->slot_count / 2) {
        if (!grow(interner)) {
            return NULL;
        }
        slot = find(interner->slots, interner->slot_count, bytes, len, hash);
    }
    char *copy = reserve(interner, len + 1);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, bytes, len);
    copy[len] = '\0';
    *slot = (struct slot){copy, len, hash};
    interner->used++;
    return copy;
}
