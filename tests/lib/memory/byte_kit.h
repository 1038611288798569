// SPDX-License-Identifier: MIT
// A byte cache with a clock that stands still until told, and one owner.
#ifndef TESTS_BYTE_KIT_H
#define TESTS_BYTE_KIT_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <cachekit/cache.h>

#include "memory/byte_inside.h"

#define KIT_MS INT64_C(1000000)

struct byte_kit {
    struct cki_byte_cache cache;
    struct cki_owner owner;
    cachekit_clock clock;
    int64_t now_ns;
};

static inline int64_t byte_kit_now(void *context)
{
    return *(int64_t *)context;
}

static inline void byte_kit_init(struct byte_kit *kit, size_t budget_bytes,
                                 const cachekit_allocator *allocator)
{
    kit->now_ns = 5000 * KIT_MS;
    kit->clock = (cachekit_clock){byte_kit_now, &kit->now_ns};
    const struct cki_byte_options options = {
        .allocator = allocator, .clock = &kit->clock, .budget_bytes = budget_bytes, .seed = 99};
    cr_assert(cki_byte_cache_init(&kit->cache, &options) == CACHEKIT_OK);
    cki_owner_add(&kit->cache, &kit->owner);
}

static inline void byte_kit_release(struct byte_kit *kit)
{
    cr_assert(cki_byte_cache_is_valid(&kit->cache));
    cr_assert(cki_byte_cache_release(&kit->cache));
}

static inline struct cki_key byte_kit_key(struct byte_kit *kit, const char *text)
{
    return cki_byte_key(&kit->cache, (cachekit_slice){(const uint8_t *)text, strlen(text)});
}

// One of many keys; `text` keeps its bytes.
static inline struct cki_key byte_kit_number(struct byte_kit *kit, unsigned number, char text[16])
{
    (void)snprintf(text, 16, "key %u", number);
    return byte_kit_key(kit, text);
}

// Stores `len` times the letter; `epoch` CKI_BYTES_ANY_EPOCH: unconditionally.
static inline enum cki_byte_stored byte_kit_put_at(struct byte_kit *kit, const struct cki_key *key,
                                                   char letter, size_t len, int64_t ttl_ms,
                                                   uint64_t epoch)
{
    uint8_t bytes[4096];
    cr_assert(len <= sizeof bytes);
    memset(bytes, letter, sizeof bytes);
    struct cki_block *block =
        cki_block_copy(&kit->cache.ledger, (cachekit_slice){bytes, len}, CKI_BLOCK_STORED);
    if (block == NULL) {
        return CKI_BYTES_NO_MEMORY;
    }
    const struct cki_byte_store store = {key, block, &kit->owner, ttl_ms, epoch};
    enum cki_byte_stored stored = cki_byte_cache_put(&kit->cache, &store);
    cki_block_release(block);
    return stored;
}

static inline enum cki_byte_stored byte_kit_put(struct byte_kit *kit, const char *text, char letter,
                                                size_t len, int64_t ttl_ms)
{
    struct cki_key key = byte_kit_key(kit, text);
    return byte_kit_put_at(kit, &key, letter, len, ttl_ms, CKI_BYTES_ANY_EPOCH);
}

// The letter of what is stored; 0: nothing is, '-': an empty value.
static inline char byte_kit_get_at(struct byte_kit *kit, const struct cki_key *key)
{
    struct cki_byte_hit hit;
    if (!cki_byte_cache_get(&kit->cache, key, &hit)) {
        return 0;
    }
    char letter = hit.block->len > 0 ? (char)hit.block->data[0] : '-';
    cki_block_release(hit.block);
    return letter;
}

static inline char byte_kit_get(struct byte_kit *kit, const char *text)
{
    struct cki_key key = byte_kit_key(kit, text);
    return byte_kit_get_at(kit, &key);
}

#endif
