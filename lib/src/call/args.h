// SPDX-License-Identifier: MIT
// Arguments as keys. Scalars are hashed and compared where they lie; only a miss packs them: one
// alone as its 8 bytes or its text, others as a cell of 16 bytes each (the argument itself, a
// text's pointer blanked), then the texts.
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

// Secrets of a cache. Where an operand of a product is a stranger's, a secret is in it, so that
// nobody can choose a zero that swallows the other one.
struct cki_seed {
    uint64_t a, b, c;
};

#define CKI_INLINE __attribute__((always_inline)) static inline

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

// `start` is the hash of what came before, or the seed's `a`.
CKI_INLINE uint64_t cki_hash_brief(const uint8_t *text, size_t len, uint64_t start,
                                   const struct cki_seed *seed)
{
    if (len >= 16) {
        uint64_t head = cki_mix(cki_load64(text) ^ start, cki_load64(text + 8) ^ seed->b);
        return cki_mix(cki_load64(text + len - 16) ^ head, cki_load64(text + len - 8) ^ seed->c);
    }
    if (len >= 8) {
        return cki_mix(cki_load64(text) ^ start, cki_load64(text + len - 8) ^ seed->b);
    }
    return cki_mix(cki_load_short(text, len) ^ start, seed->b ^ len);
}

static inline uint64_t cki_hash_text(const uint8_t *text, size_t len, uint64_t start,
                                     const struct cki_seed *seed)
{
    return len > CKI_BRIEF_MAX ? cki_xxh3_seeded(text, len, start)
                               : cki_hash_brief(text, len, start, seed);
}

CKI_INLINE bool cki_same_brief(const uint8_t *a, const uint8_t *b, size_t len)
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

static inline bool cki_same_text(const uint8_t *a, const uint8_t *b, size_t len)
{
    return len > CKI_BRIEF_MAX ? memcmp(a, b, len) == 0 : cki_same_brief(a, b, len);
}

// Type and length as one word, as they lie: the shape of a key of this argument alone.
static inline uint64_t cki_arg_kind(const cachekit_arg *arg)
{
    return cki_load64((const uint8_t *)arg);
}

CKI_INLINE uint64_t cki_number_hash(const cachekit_arg *arg, uint64_t start,
                                    const struct cki_seed *seed)
{
    return cki_mix(arg->as.bits ^ start, cki_arg_kind(arg) ^ seed->c);
}

// The same of a text, put together: its length has just been stored by the caller, after its type,
// and a load of both at once would wait for the two stores, which costs as much as half a hit. The
// statement in between keeps the compiler from making one load of it.
CKI_INLINE uint64_t cki_text_kind(const cachekit_arg *arg)
{
    uint64_t kind = (uint64_t)arg->len << 32;
    __asm__("" : "+r"(kind));
    return kind | arg->type;
}

CKI_INLINE uint64_t cki_text_hash(const cachekit_arg *arg, uint64_t start,
                                  const struct cki_seed *seed)
{
    return cki_hash_brief(arg->as.data, arg->len, start, seed) ^ cki_text_kind(arg);
}

// One number against an entry, and one brief text.
CKI_INLINE bool cki_number_matches(const struct cki_entry *entry, const void *key)
{
    const cachekit_arg *arg = key;
    return entry->shape == cki_arg_kind(arg) && cki_load64(entry->key) == arg->as.bits;
}

static inline bool cki_is_brief_text(const cachekit_arg *arg)
{
    return (arg->type == CACHEKIT_ARG_STR || arg->type == CACHEKIT_ARG_BYTES) &&
           arg->len <= CKI_BRIEF_MAX && arg->as.data != NULL;
}

CKI_INLINE bool cki_text_matches(const struct cki_entry *entry, const void *key)
{
    const cachekit_arg *arg = key;
    return entry->shape == cki_text_kind(arg) && cki_same_brief(entry->key, arg->as.data, arg->len);
}

// Several arguments, or none, of which texts are brief: a function that calls none is much shorter.
// False: too many, or one is neither a number nor a brief text.
CKI_INLINE bool cki_briefs_hash(const cachekit_arg *args, size_t count, const struct cki_seed *seed,
                                uint64_t *out)
{
    uint64_t hash = seed->a;
    if (count > CKI_ARGS_MAX) {
        return false;
    }
    for (const cachekit_arg *arg = args, *end = arg + count; arg < end; arg++) {
        if (arg->type < CACHEKIT_ARG_STR) {
            hash = cki_number_hash(arg, hash, seed);
        } else if (cki_is_brief_text(arg)) {
            hash = cki_text_hash(arg, hash, seed);
        } else {
            return false;
        }
    }
    *out = hash;
    return true;
}

// Cells that are the same say that lengths are.
CKI_INLINE bool cki_briefs_match(const struct cki_entry *entry, const cachekit_arg *args,
                                 size_t count)
{
    if ((uint32_t)entry->shape != CKI_KEY_SCALARS + (uint32_t)count) {
        return false;
    }
    const uint8_t *cell = entry->key, *text = entry->key + count * 16;
    for (const cachekit_arg *arg = args, *end = arg + count; arg < end; arg++, cell += 16) {
        bool is_text = arg->type >= CACHEKIT_ARG_STR;
        if (cki_load64(cell) != (is_text ? cki_text_kind(arg) : cki_arg_kind(arg))) {
            return false;
        }
        if (!is_text) {
            if (cki_load64(cell + 8) != arg->as.bits) {
                return false;
            }
        } else if (cki_same_brief(text, arg->as.data, arg->len)) {
            text += arg->len;
        } else {
            return false;
        }
    }
    return true;
}

// The same for any scalars: at most CKI_ARGS_MAX, texts of CKI_ARGS_TEXT_MAX in all. The hash is
// the one that the shorter ways give.
bool cki_args_hash(struct cki_args *args, const struct cki_seed *seed, uint64_t *out);
bool cki_args_match(const struct cki_entry *entry, const struct cki_args *args);

// The key of scalars that cki_args_hash() took, its bytes in `packed`.
void cki_args_pack(const struct cki_args *args, uint8_t packed[CKI_ARGS_PACKED_MAX],
                   struct cki_key *key);
static inline bool cki_key_is_scalars(const struct cki_key *key)
{
    return key->kind < CKI_KEY_ONE_END || key->kind >= CKI_KEY_SCALARS;
}
// The arguments of such a key; texts point into its bytes.
size_t cki_args_unpack(const struct cki_key *key, cachekit_arg out[CKI_ARGS_MAX]);

#endif
