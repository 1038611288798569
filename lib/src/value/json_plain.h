// SPDX-License-Identifier: MIT
// Finds what needs a look in JSON text, eight bytes at a time.
#ifndef CKI_JSON_PLAIN_H
#define CKI_JSON_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Whether a byte is a control character, `"`, `\` or not ASCII.
extern const uint8_t cki_json_is_odd[256];

// The high bit of each byte of `word` that is odd; bits above the first of them may be wrong. A
// borrow can only disturb bytes above one that is found anyway. What is not ASCII shows by
// itself: no byte loses its high bit in both of the last two.
static inline uint64_t cki_json_find_odd(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = word ^ ones * '"';
    uint64_t backslash = word ^ ones * '\\';
    return ((word - ones * 0x20) | (quote - ones) | (backslash - ones)) & (ones << 7);
}

// How many bytes from the start are not odd.
static inline size_t cki_json_plain_len(const uint8_t *text, size_t len)
{
    size_t at = 0;
    for (; len - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text + at, sizeof word);
        uint64_t found = cki_json_find_odd(word);
        if (found != 0) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            return at + (size_t)__builtin_ctzll(found) / 8;
#else
            break;
#endif
        }
    }
    while (at < len && !cki_json_is_odd[text[at]]) {
        at++;
    }
    return at;
}

#endif
