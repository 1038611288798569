// SPDX-License-Identifier: MIT
// Lower-case hexadecimal digits: by 16 bytes where the machine can, else two digits at a time.
#ifndef CKI_KEY_HEX_H
#define CKI_KEY_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CKI_HEX_ROW(high)                                                                          \
    high "0" high "1" high "2" high "3" high "4" high "5" high "6" high "7" high "8" high "9" high \
         "a" high "b" high "c" high "d" high "e" high "f"

#if defined(__SSE2__)
#    include <emmintrin.h>

// Nibbles, one a byte, as digits: those above 9 lie 39 further on.
static inline __m128i cki_hex_digits(__m128i nibbles)
{
    __m128i letters = _mm_and_si128(_mm_cmpgt_epi8(nibbles, _mm_set1_epi8(9)), _mm_set1_epi8(39));
    return _mm_add_epi8(_mm_add_epi8(nibbles, _mm_set1_epi8('0')), letters);
}

static inline char *cki_put_hex16(char *at, const uint8_t *bytes)
{
    const __m128i low = _mm_set1_epi8(0x0f);
    __m128i both = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    __m128i high = cki_hex_digits(_mm_and_si128(_mm_srli_epi16(both, 4), low));
    both = cki_hex_digits(_mm_and_si128(both, low));
    _mm_storeu_si128((__m128i *)(void *)at, _mm_unpacklo_epi8(high, both));
    _mm_storeu_si128((__m128i *)(void *)(at + 16), _mm_unpackhi_epi8(high, both));
    return at + 32;
}
#endif

// Writes 2 * `len` digits and no NUL; returns where to go on.
static inline char *cki_put_hex(char *at, const uint8_t *bytes, size_t len)
{
    static const char pairs[] = CKI_HEX_ROW("0") CKI_HEX_ROW("1") CKI_HEX_ROW("2") CKI_HEX_ROW("3")
        CKI_HEX_ROW("4") CKI_HEX_ROW("5") CKI_HEX_ROW("6") CKI_HEX_ROW("7") CKI_HEX_ROW("8")
            CKI_HEX_ROW("9") CKI_HEX_ROW("a") CKI_HEX_ROW("b") CKI_HEX_ROW("c") CKI_HEX_ROW("d")
                CKI_HEX_ROW("e") CKI_HEX_ROW("f");
#if defined(__SSE2__)
    for (; len >= 16; len -= 16, bytes += 16) {
        at = cki_put_hex16(at, bytes);
    }
#endif
    for (; len > 0; len--, bytes++, at += 2) {
        memcpy(at, pairs + 2 * (size_t)*bytes, 2);
    }
    return at;
}

#endif
