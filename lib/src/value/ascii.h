// SPDX-License-Identifier: MIT
// Whether the first few bytes of a window of 16 are ASCII, without a loop or a branch.
#ifndef CKI_ASCII_H
#define CKI_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CKI_ASCII_WINDOW = 16 };

#if defined(__SSE2__)
#    include <emmintrin.h>

// Reads 16 bytes at `text`, judges the first `len` (at most 16).
static inline bool cki_is_ascii_window(const uint8_t *text, size_t len)
{
    static const uint32_t firsts[CKI_ASCII_WINDOW + 1] = {
        0x0,   0x1,   0x3,   0x7,   0xf,    0x1f,   0x3f,   0x7f,  0xff,
        0x1ff, 0x3ff, 0x7ff, 0xfff, 0x1fff, 0x3fff, 0x7fff, 0xffff};
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    return ((uint32_t)_mm_movemask_epi8(bytes) & firsts[len]) == 0;
}

#else

static inline bool cki_is_ascii_window(const uint8_t *text, size_t len)
{
    // Sixteen high bits, then sixteen zeros: a window into it has `len` of the former.
    static const uint8_t highs[2 * CKI_ASCII_WINDOW] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                                        0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                                        0x80, 0x80, 0x80, 0x80};
    uint64_t bytes[2], mask[2];
    memcpy(bytes, text, sizeof bytes);
    memcpy(mask, highs + CKI_ASCII_WINDOW - len, sizeof mask);
    return ((bytes[0] & mask[0]) | (bytes[1] & mask[1])) == 0;
}

#endif

// Whether all `len` bytes are ASCII; says no as well to short texts, which it does not look at.
static inline bool cki_is_ascii(const uint8_t *text, size_t len)
{
    if (len < CKI_ASCII_WINDOW) {
        return false;
    }
    const uint8_t *last = text + len - CKI_ASCII_WINDOW;
    for (; text < last; text += CKI_ASCII_WINDOW) {
        if (!cki_is_ascii_window(text, CKI_ASCII_WINDOW)) {
            return false;
        }
    }
    return cki_is_ascii_window(last, CKI_ASCII_WINDOW);
}

#endif
