// SPDX-License-Identifier: MIT
// The least MessagePack writer that our generated inputs need. It is not the library's, on
// purpose: an input that the measured code had written itself would change along with it.

#include "gen/pack.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pack_raw(pack *out, const void *bytes, size_t len)
{
    if (out->room - out->len < len) {
        size_t room = 2 * out->room + len + 256;
        uint8_t *grown = out->failed ? NULL : realloc(out->bytes, room);
        if (grown == NULL) {
            out->failed = true;
            return;
        }
        out->bytes = grown;
        out->room = room;
    }
    memcpy(out->bytes + out->len, bytes, len);
    out->len += len;
}

/* A head byte and the low `width` bytes of `value`, big end first. */
static void head(pack *out, unsigned byte, uint64_t value, unsigned width)
{
    uint8_t bytes[9] = {(uint8_t)byte};
    for (unsigned i = 0; i < width; i++) {
        bytes[1 + i] = (uint8_t)(value >> (8 * (width - 1 - i)));
    }
    pack_raw(out, bytes, 1 + width);
}

void pack_nil(pack *out)
{
    head(out, 0xc0, 0, 0);
}

void pack_bool(pack *out, bool value)
{
    head(out, value ? 0xc3 : 0xc2, 0, 0);
}

void pack_int(pack *out, int64_t value)
{
    static const struct {
        int64_t least, most;
        unsigned byte, width;
    } forms[] = {
        {0, UINT8_MAX, 0xcc, 1},  {0, UINT16_MAX, 0xcd, 2}, {0, UINT32_MAX, 0xce, 4},
        {0, INT64_MAX, 0xcf, 8},  {INT8_MIN, -1, 0xd0, 1},  {INT16_MIN, -1, 0xd1, 2},
        {INT32_MIN, -1, 0xd2, 4}, {INT64_MIN, -1, 0xd3, 8},
    };
    if (value >= -32 && value <= 127) {
        head(out, (uint8_t)value, 0, 0);
        return;
    }
    size_t i = 0;
    while (value < forms[i].least || value > forms[i].most) {
        i++;
    }
    head(out, forms[i].byte, (uint64_t)value, forms[i].width);
}

void pack_float(pack *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    head(out, 0xcb, bits, 8);
}

void pack_array(pack *out, uint16_t items)
{
    if (items < 16) {
        head(out, 0x90U | items, 0, 0);
    } else {
        head(out, 0xdc, items, 2);
    }
}

void pack_map(pack *out, uint16_t pairs)
{
    if (pairs < 16) {
        head(out, 0x80U | pairs, 0, 0);
    } else {
        head(out, 0xde, pairs, 2);
    }
}

void pack_text(pack *out, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len < 0 || (size_t)len >= sizeof text) {
        out->failed = true;
        return;
    }
    if (len < 32) {
        head(out, 0xa0U | (unsigned)len, 0, 0);
    } else {
        head(out, 0xd9, (uint64_t)len, 1);
    }
    pack_raw(out, text, (size_t)len);
}

void pack_release(pack *out)
{
    free(out->bytes);
    *out = (pack){0};
}
