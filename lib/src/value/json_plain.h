// SPDX-License-Identifier: MIT
// Finds what needs a look in JSON text, eight bytes at a time.
#ifndef CKI_JSON_PLAIN_H
#define CKI_JSON_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// How many bytes from the start are ASCII, no control characters, and neither `"` nor `\`.
static inline size_t cki_json_plain_len(const uint8_t *text, size_t len)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t highs = ones << 7;
    size_t at = 0;
    for (; len - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text + at, sizeof word);
        uint64_t quote = word ^ ones * '"';
        uint64_t backslash = word ^ ones * '\\';
        // A borrow can only disturb bytes above one that is found anyway. What is not ASCII shows
        // by itself: no byte loses its high bit in both of the last two.
        uint64_t found = (word - ones * 0x20) | (quote - ones) | (backslash - ones);
        if ((found & highs) != 0) {
            break;
        }
    }
    while (at < len && text[at] >= 0x20 && text[at] < 0x80 && text[at] != '"' && text[at] != '\\') {
        at++;
    }
    return at;
}

#endif
