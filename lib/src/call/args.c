// SPDX-License-Identifier: MIT
#include "call/args.h"

void cki_args_pack(const struct cki_args *args, uint8_t packed[CKI_ARGS_PACKED_MAX])
{
    uint8_t *cell = packed, *text = packed + args->count * 16;
    for (size_t i = 0; i < args->count; i++, cell += 16) {
        const cachekit_arg *arg = &args->args[i];
        uint64_t kind = (uint64_t)arg->type << 32 | arg->len, bits = arg->as.bits;
        if (arg->type >= CACHEKIT_ARG_STR) {
            bits = 0;
            if (arg->len != 0) {
                memcpy(text, arg->as.data, arg->len);
            }
            text += arg->len;
        }
        memcpy(cell, &kind, 8);
        memcpy(cell + 8, &bits, 8);
    }
}

// The number of cells is not stored: cells are as many as leave room for their own texts.
size_t cki_args_unpack(const uint8_t *packed, uint32_t len, cachekit_arg out[CKI_ARGS_MAX])
{
    size_t count = 0, text_len = 0;
    while (count * 16 + text_len < len) {
        uint64_t kind = cki_load64(packed + count * 16);
        out[count].type = (uint32_t)(kind >> 32);
        out[count].len = (uint32_t)kind;
        out[count].as.bits = cki_load64(packed + count * 16 + 8);
        text_len += out[count].len;
        count++;
    }
    const uint8_t *text = packed + count * 16;
    for (size_t i = 0; i < count; i++) {
        if (out[i].type >= CACHEKIT_ARG_STR) {
            out[i].as.data = text;
            text += out[i].len;
        }
    }
    return count;
}
