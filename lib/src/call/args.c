// SPDX-License-Identifier: MIT
#include "call/args.h"

void cki_args_pack(const struct cki_args *args, uint8_t packed[CKI_ARGS_PACKED_MAX])
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

// The number of cells is not stored: cells are as many as leave room for their own texts.
size_t cki_args_unpack(const uint8_t *packed, uint32_t len, cachekit_arg out[CKI_ARGS_MAX])
{
    size_t count = 0, text_len = 0;
    while (count * sizeof *out + text_len < len) {
        memcpy(&out[count], packed + count * sizeof *out, sizeof *out);
        text_len += out[count].len;
        count++;
    }
    const uint8_t *text = packed + count * sizeof *out;
    for (size_t i = 0; i < count; i++) {
        if (out[i].type >= CACHEKIT_ARG_STR) {
            out[i].as.data = text;
            text += out[i].len;
        }
    }
    return count;
}
