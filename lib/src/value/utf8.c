// SPDX-License-Identifier: MIT
// ASCII goes by eight bytes at a time, the rest by character. The lead byte names the length of
// the character and the range of its second byte; all that strictness lies in that range.
#include "value/utf8.h"

#include <stdbool.h>
#include <string.h>

// Follows Unicode 15.0, table 3-7.
static const struct lead {
    uint8_t first, last; // lead bytes of this row
    uint8_t low, high;   // what the second byte may be
    uint8_t len;
} leads[] = {
    {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
    {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static bool is_tail(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

// The length of the character of two bytes and more at `text`, 0 if it is malformed.
static size_t wide_len(const uint8_t *text, size_t room)
{
    for (size_t i = 0; i < sizeof leads / sizeof leads[0]; i++) {
        const struct lead *lead = &leads[i];
        if (text[0] < lead->first || text[0] > lead->last) {
            continue;
        }
        if (room < lead->len || text[1] < lead->low || text[1] > lead->high) {
            return 0;
        }
        for (size_t k = 2; k < lead->len; k++) {
            if (!is_tail(text[k])) {
                return 0;
            }
        }
        return lead->len;
    }
    return 0;
}

static bool is_ascii8(const uint8_t *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return (word & UINT64_C(0x8080808080808080)) == 0;
}

size_t cki_utf8_valid_len(const uint8_t *text, size_t len)
{
    size_t at = 0;
    while (at < len) {
        while (len - at >= 8 && is_ascii8(text + at)) {
            at += 8;
        }
        while (at < len && text[at] < 0x80) {
            at++;
        }
        if (at < len) {
            size_t wide = wide_len(text + at, len - at);
            if (wide == 0) {
                return at;
            }
            at += wide;
        }
    }
    return at;
}
