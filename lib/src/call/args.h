// SPDX-License-Identifier: MIT
// Arguments as keys. Scalars are hashed and compared where they lie; only a miss packs them: one
// cell of 16 bytes each (type and length, bits), the texts one after the other behind the cells.
#ifndef CKI_ARGS_H
#define CKI_ARGS_H

#include <string.h>

#include <cachekit/arg.h>

#include "base/hash.h"
#include "memory/entry.h"

enum { CKI_ARGS_MAX = 8, CKI_ARGS_TEXT_MAX = 256 };
enum { CKI_ARGS_PACKED_MAX = CKI_ARGS_MAX * 16 + CKI_ARGS_TEXT_MAX };

struct cki_args {
    const cachekit_arg *args;
    size_t count;
    uint32_t packed_len;
};

static inline uint64_t cki_mix(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (__extension__(unsigned __int128) a) * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t cki_load64(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline uint64_t cki_hash_text(const uint8_t *text, size_t len, uint64_t seed)
{
    if (len > 32) {
        return cki_xxh3_seeded(text, len, seed);
    }
    if (len >= 16) {
        uint64_t a = cki_mix(cki_load64(text) ^ seed, cki_load64(text + 8) ^ 0x9e3779b97f4a7c15U);
        return cki_mix(cki_load64(text + len - 16) ^ a,
                       cki_load64(text + len - 8) ^ 0xc2b2ae3d27d4eb4fU);
    }
    if (len >= 8) {
        return cki_mix(cki_load64(text) ^ seed, cki_load64(text + len - 8) ^ 0x9e3779b97f4a7c15U);
    }
    uint64_t word = 0;
    for (size_t i = 0; i < len; i++) {
        word = word << 8 | text[i];
    }
    return cki_mix(word ^ seed, 0x9e3779b97f4a7c15U ^ len);
}

// False: not all scalars, or more than the short way takes.
__attribute__((always_inline)) static inline bool cki_args_hash(struct cki_args *a, uint64_t seed,
                                                                uint64_t *out)
{
    uint64_t hash = seed;
    size_t text = 0;
    if (a->count > CKI_ARGS_MAX) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        const cachekit_arg *arg = &a->args[i];
        uint64_t bits = arg->as.bits, kind = (uint64_t)arg->type << 32 | arg->len;
        if (arg->type >= CACHEKIT_ARG_STR) {
            text += arg->len;
            if (arg->type > CACHEKIT_ARG_BYTES || text > CKI_ARGS_TEXT_MAX) {
                return false;
            }
            bits = cki_hash_text(arg->as.data, arg->len, seed);
        }
        hash = cki_mix(hash ^ bits, kind ^ 0x2545f4914f6cdd1dU);
    }
    a->packed_len = (uint32_t)(a->count * 16 + text);
    *out = hash;
    return true;
}

__attribute__((always_inline)) static inline bool cki_args_match(const struct cki_entry *entry,
                                                                 const void *key)
{
    const struct cki_args *a = key;
    if (entry->key_kind != CKI_KEY_SCALARS || entry->key_len != a->packed_len) {
        return false;
    }
    const uint8_t *cell = entry->key, *text = entry->key + a->count * 16;
    for (size_t i = 0; i < a->count; i++, cell += 16) {
        const cachekit_arg *arg = &a->args[i];
        if (cki_load64(cell) != ((uint64_t)arg->type << 32 | arg->len)) {
            return false;
        }
        if (arg->type < CACHEKIT_ARG_STR) {
            if (cki_load64(cell + 8) != arg->as.bits) {
                return false;
            }
        } else {
            if (arg->len != 0 && memcmp(text, arg->as.data, arg->len) != 0) {
                return false;
            }
            text += arg->len;
        }
    }
    return true;
}

// Packs scalars that cki_args_hash() took.
void cki_args_pack(const struct cki_args *args, uint8_t packed[CKI_ARGS_PACKED_MAX]);
// The arguments of a packed key; texts point into it.
size_t cki_args_unpack(const uint8_t *packed, uint32_t len, cachekit_arg out[CKI_ARGS_MAX]);

#endif
