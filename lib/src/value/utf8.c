// SPDX-License-Identifier: MIT
// ASCII goes by eight bytes at a time, the rest by character. The lead byte names the length of
// the character and the range of its second byte; all that strictness lies in that range.
#include "value/utf8.h"

#include <stdbool.h>
#include <string.h>

// Follows Unicode 15.0, table 3-7.
static const struct lead {
    uint8_t len;       // of the character; 0: no character begins so
    uint8_t low, high; // what the second byte may be
} leads[] = {
    {0, 0, 0},       // 80 to c1, f5 to ff
    {2, 0x80, 0xbf}, // c2 to df
    {3, 0xa0, 0xbf}, // e0
    {3, 0x80, 0xbf}, // e1 to ec, ee, ef
    {3, 0x80, 0x9f}, // ed
    {4, 0x90, 0xbf}, // f0
    {4, 0x80, 0xbf}, // f1 to f3
    {4, 0x80, 0x8f}, // f4
};

// Rows of `leads` for the lead bytes from c0.
static const uint8_t rows[64] = {
    0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, // c
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, // d
    2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 3, 3, // e
    5, 6, 6, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // f
};

static bool is_tail(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

// The length of the character of two bytes and more at `text`, 0 if it is malformed.
static size_t wide_len(const uint8_t *text, size_t room)
{
    const struct lead *lead = &leads[text[0] < 0xc0 ? 0 : rows[text[0] - 0xc0]];
    if (lead->len == 0 || room < lead->len || text[1] < lead->low || text[1] > lead->high) {
        return 0;
    }
    if ((lead->len > 2 && !is_tail(text[2])) || (lead->len > 3 && !is_tail(text[3]))) {
        return 0;
    }
    return lead->len;
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
        if (text[at] >= 0x80) {
            size_t wide = wide_len(text + at, len - at);
            if (wide == 0) {
                return at;
            }
            at += wide;
            continue;
        }
        while (len - at >= 8 && is_ascii8(text + at)) {
            at += 8;
        }
        while (at < len && text[at] < 0x80) {
            at++;
        }
    }
    return at;
}
