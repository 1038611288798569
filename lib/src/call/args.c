// SPDX-License-Identifier: MIT
#include "call/args.h"

bool cki_args_hash(struct cki_args *a, const struct cki_seed *seed, uint64_t *out)
{
    uint64_t hash = seed->a;
    size_t text = 0;
    if (a->count > CKI_ARGS_MAX) {
        return false;
    }
    for (const cachekit_arg *arg = a->args, *end = arg + a->count; arg < end; arg++) {
        if (arg->type < CACHEKIT_ARG_STR) {
            hash = cki_number_hash(arg, hash, seed);
            continue;
        }
        if (arg->type > CACHEKIT_ARG_BYTES || arg->len > CKI_ARGS_TEXT_MAX ||
            (arg->as.data == NULL && arg->len != 0)) {
            return false;
        }
        text += arg->len;
        hash = cki_hash_text(arg->as.data, arg->len, hash, seed) ^ cki_arg_kind(arg);
    }
    a->packed_len = (uint32_t)(a->count * sizeof(cachekit_arg) + text);
    *out = hash;
    return text <= CKI_ARGS_TEXT_MAX;
}

static bool texts_match(const struct cki_entry *entry, const struct cki_args *a)
{
    const uint8_t *cell = entry->key, *text = entry->key + a->count * sizeof(cachekit_arg);
    for (size_t i = 0; i < a->count; i++, cell += sizeof(cachekit_arg)) {
        const cachekit_arg *arg = &a->args[i];
        if (cki_load64(cell) != cki_arg_kind(arg)) {
            return false;
        }
        if (arg->type < CACHEKIT_ARG_STR) {
            if (cki_load64(cell + 8) != arg->as.bits) {
                return false;
            }
        } else if (cki_same_text(text, arg->as.data, arg->len)) {
            text += arg->len;
        } else {
            return false;
        }
    }
    return true;
}

bool cki_args_match(const struct cki_entry *entry, const struct cki_args *a)
{
    const cachekit_arg *one = a->args;
    if (a->count != 1) {
        return (uint32_t)entry->shape == CKI_KEY_SCALARS + (uint32_t)a->count &&
               texts_match(entry, a);
    }
    if (one->type < CACHEKIT_ARG_STR) {
        return cki_number_matches(entry, one);
    }
    return entry->shape == cki_arg_kind(one) && cki_same_text(entry->key, one->as.data, one->len);
}

static void pack_several(const struct cki_args *args, uint8_t *packed)
{
    uint8_t *cell = packed, *text = packed + args->count * sizeof(cachekit_arg);
    for (size_t i = 0; i < args->count; i++, cell += sizeof(cachekit_arg)) {
        cachekit_arg arg = args->args[i];
        if (arg.type >= CACHEKIT_ARG_STR) {
            if (arg.len != 0) {
                memcpy(text, arg.as.data, arg.len);
            }
            text += arg.len;
            arg.as.bits = 0;
        }
        memcpy(cell, &arg, sizeof arg);
    }
}

void cki_args_pack(const struct cki_args *args, uint8_t packed[CKI_ARGS_PACKED_MAX],
                   struct cki_key *key)
{
    const cachekit_arg *one = args->args;
    key->bytes = packed;
    if (args->count != 1) {
        key->kind = CKI_KEY_SCALARS + (uint32_t)args->count;
        key->len = args->packed_len;
        pack_several(args, packed);
        return;
    }
    bool is_text = one->type >= CACHEKIT_ARG_STR;
    key->kind = one->type;
    key->len = is_text ? one->len : (uint32_t)sizeof one->as.bits;
    if (key->len > 0) {
        memcpy(packed, is_text ? one->as.data : (const void *)&one->as.bits, key->len);
    }
}

static size_t unpack_one(const struct cki_key *key, cachekit_arg *out)
{
    out->type = key->kind;
    out->len = 0;
    if (key->kind < CACHEKIT_ARG_STR) {
        out->as.bits = cki_load64(key->bytes);
    } else {
        out->len = key->len;
        out->as.data = key->bytes;
    }
    return 1;
}

size_t cki_args_unpack(const struct cki_key *key, cachekit_arg out[CKI_ARGS_MAX])
{
    if (key->kind < CKI_KEY_ONE_END) {
        return unpack_one(key, out);
    }
    size_t count = key->kind - CKI_KEY_SCALARS;
    const uint8_t *text = key->bytes + count * sizeof *out;
    for (size_t i = 0; i < count; i++) {
        memcpy(&out[i], key->bytes + i * sizeof *out, sizeof *out);
        if (out[i].type >= CACHEKIT_ARG_STR) {
            out[i].as.data = text;
            text += out[i].len;
        }
    }
    return count;
}
