// SPDX-License-Identifier: MIT
// Arguments as keys. Scalars are hashed and compared where they lie; only a miss packs them: one
// cell of 16 bytes each (the argument itself, a text's pointer blanked), then the texts.
#ifndef CKI_ARGS_H
#define CKI_ARGS_H

#include <stddef.h>
#include <string.h>

#include <cachekit/arg.h>

#include "base/hash.h"
#include "memory/entry.h"

_Static_assert(sizeof(cachekit_arg) == 16 && offsetof(cachekit_arg, as) == 8, "a packed cell");

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

static inline uint32_t cki_load32(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

// Up to 8 bytes as one word; different texts of one length give different words.
static inline uint64_t cki_load_short(const uint8_t *text, size_t len)
{
    if (len >= 4) {
        return (uint64_t)cki_load32(text) << 32 | cki_load32(text + len - 4);
    }
    return len == 0 ? 0 : (uint64_t)text[0] << 16 | (uint64_t)text[len / 2] << 8 | text[len - 1];
}

enum { CKI_BRIEF_MAX = 32 }; // texts that are hashed and compared inline

__attribute__((always_inline)) static inline uint64_t cki_hash_brief(const uint8_t *text,
                                                                     size_t len, uint64_t seed)
{
    if (len >= 16) {
        uint64_t a = cki_mix(cki_load64(text) ^ seed, cki_load64(text + 8) ^ 0x9e3779b97f4a7c15U);
        return cki_mix(cki_load64(text + len - 16) ^ a,
                       cki_load64(text + len - 8) ^ 0xc2b2ae3d27d4eb4fU);
    }
    if (len >= 8) {
        return cki_mix(cki_load64(text) ^ seed, cki_load64(text + len - 8) ^ 0x9e3779b97f4a7c15U);
    }
    return cki_mix(cki_load_short(text, len) ^ seed, 0x9e3779b97f4a7c15U ^ len);
}

static inline uint64_t cki_hash_text(const uint8_t *text, size_t len, uint64_t seed)
{
    return len > CKI_BRIEF_MAX ? cki_xxh3_seeded(text, len, seed) : cki_hash_brief(text, len, seed);
}

__attribute__((always_inline)) static inline bool cki_same_brief(const uint8_t *a, const uint8_t *b,
                                                                 size_t len)
{
    if (len >= 16) {
        uint64_t head = (cki_load64(a) ^ cki_load64(b)) | (cki_load64(a + 8) ^ cki_load64(b + 8));
        const uint8_t *x = a + len - 16, *y = b + len - 16;
        return (head | (cki_load64(x) ^ cki_load64(y)) | (cki_load64(x + 8) ^ cki_load64(y + 8))) ==
               0;
    }
    if (len >= 8) {
        return cki_load64(a) == cki_load64(b) && cki_load64(a + len - 8) == cki_load64(b + len - 8);
    }
    return cki_load_short(a, len) == cki_load_short(b, len);
}

// Type and length as one word, as they lie.
static inline uint64_t cki_arg_kind(const cachekit_arg *arg)
{
    return cki_load64((const uint8_t *)arg);
}

static inline bool cki_same_text(const uint8_t *a, const uint8_t *b, size_t len)
{
    return len > CKI_BRIEF_MAX ? memcmp(a, b, len) == 0 : cki_same_brief(a, b, len);
}

static inline uint64_t cki_arg_mix(uint64_t hash, uint64_t bits, uint64_t kind)
{
    return cki_mix(hash ^ bits, kind ^ 0x2545f4914f6cdd1dU);
}

// False: not all scalars, more than the short way takes, or a text that is NULL. With `brief` also
// if a text is not: a function that calls none is much shorter.
__attribute__((always_inline)) static inline bool cki_args_hash(struct cki_args *a, uint64_t seed,
                                                                bool brief, uint64_t *out)
{
    uint64_t hash = seed;
    uint32_t text = 0;
    if (a->count > CKI_ARGS_MAX) {
        return false;
    }
    for (const cachekit_arg *arg = a->args, *end = arg + a->count; arg < end; arg++) {
        uint64_t bits = arg->as.bits;
        if (arg->type >= CACHEKIT_ARG_STR) {
            uint32_t len = arg->len, most = brief ? CKI_BRIEF_MAX : CKI_ARGS_TEXT_MAX;
            if (len > most || arg->type > CACHEKIT_ARG_BYTES || (bits == 0 && len != 0)) {
                return false;
            }
            text += len;
            bits = brief ? cki_hash_brief(arg->as.data, len, seed)
                         : cki_hash_text(arg->as.data, len, seed);
        }
        hash = cki_arg_mix(hash, bits, cki_arg_kind(arg));
    }
    a->packed_len = (uint32_t)a->count * 16 + text;
    *out = hash;
    return text <= CKI_ARGS_TEXT_MAX;
}

__attribute__((always_inline)) static inline bool
cki_args_match(const struct cki_entry *entry, const struct cki_args *a, bool brief)
{
    if (entry->shape != cki_shape(CKI_KEY_SCALARS, a->packed_len)) {
        return false;
    }
    const uint8_t *cell = entry->key, *text = entry->key + a->count * 16;
    for (const cachekit_arg *arg = a->args, *end = arg + a->count; arg < end; arg++, cell += 16) {
        if (cki_load64(cell) != cki_arg_kind(arg)) {
            return false;
        }
        if (arg->type < CACHEKIT_ARG_STR) {
            if (cki_load64(cell + 8) != arg->as.bits) {
                return false;
            }
        } else {
            if (brief ? !cki_same_brief(text, arg->as.data, arg->len)
                      : !cki_same_text(text, arg->as.data, arg->len)) {
                return false;
            }
            text += arg->len;
        }
    }
    return true;
}

// The same for one argument that is no text.
static inline uint64_t cki_one_hash(const cachekit_arg *arg, uint64_t seed)
{
    return cki_arg_mix(seed, arg->as.bits, cki_arg_kind(arg));
}

__attribute__((always_inline)) static inline bool cki_one_matches(const struct cki_entry *entry,
                                                                  const void *key)
{
    const cachekit_arg *arg = key;
    return entry->shape == cki_shape(CKI_KEY_SCALARS, 16) &&
           cki_load64(entry->key) == cki_arg_kind(arg) &&
           cki_load64(entry->key + 8) == arg->as.bits;
}

// And for one that is text.
static inline bool cki_is_brief_text(const cachekit_arg *arg)
{
    return (arg->type == CACHEKIT_ARG_STR || arg->type == CACHEKIT_ARG_BYTES) &&
           arg->len <= CKI_BRIEF_MAX && arg->as.data != NULL;
}

static inline uint64_t cki_text_hash(const cachekit_arg *arg, uint64_t seed)
{
    return cki_arg_mix(seed, cki_hash_brief(arg->as.data, arg->len, seed), cki_arg_kind(arg));
}

__attribute__((always_inline)) static inline bool cki_text_matches(const struct cki_entry *entry,
                                                                   const void *key)
{
    const cachekit_arg *arg = key;
    return entry->shape == cki_shape(CKI_KEY_SCALARS, 16) + arg->len &&
           cki_load64(entry->key) == cki_arg_kind(arg) &&
           cki_same_brief(entry->key + 16, arg->as.data, arg->len);
}

// Packs scalars that cki_args_hash() took.
void cki_args_pack(const struct cki_args *args, uint8_t packed[CKI_ARGS_PACKED_MAX]);
// The arguments of a packed key; texts point into it.
size_t cki_args_unpack(const uint8_t *packed, uint32_t len, cachekit_arg out[CKI_ARGS_MAX]);

#endif
