// SPDX-License-Identifier: MIT
// MessagePack objects in their shortest form, written at a place that has room for them: 9 bytes,
// and the body. By hand, since a key of a few scalars costs little more than this. Each returns
// where to go on.
#ifndef CKI_PUT_H
#define CKI_PUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CKI_PUT_MAX = 9 };

// A marker and the low `bytes` bytes of `value`, big end first; writes all 9 whatever they are.
static inline uint8_t *cki_put_wide(uint8_t *at, unsigned marker, uint64_t value, unsigned bytes)
{
    value <<= 64 - 8 * bytes;
    at[0] = (uint8_t)marker;
    at[1] = (uint8_t)(value >> 56);
    at[2] = (uint8_t)(value >> 48);
    at[3] = (uint8_t)(value >> 40);
    at[4] = (uint8_t)(value >> 32);
    at[5] = (uint8_t)(value >> 24);
    at[6] = (uint8_t)(value >> 16);
    at[7] = (uint8_t)(value >> 8);
    at[8] = (uint8_t)value;
    return at + 1 + bytes;
}

static inline uint8_t *cki_put_byte(uint8_t *at, unsigned byte)
{
    *at = (uint8_t)byte;
    return at + 1;
}

static inline uint8_t *cki_put_u64(uint8_t *at, uint64_t number)
{
    if (number < 0x80) {
        return cki_put_byte(at, (unsigned)number);
    }
    if (number <= UINT8_MAX) {
        return cki_put_wide(at, 0xcc, number, 1);
    }
    if (number <= UINT16_MAX) {
        return cki_put_wide(at, 0xcd, number, 2);
    }
    return number <= UINT32_MAX ? cki_put_wide(at, 0xce, number, 4)
                                : cki_put_wide(at, 0xcf, number, 8);
}

static inline uint8_t *cki_put_i64(uint8_t *at, int64_t number)
{
    if (number >= 0) {
        return cki_put_u64(at, (uint64_t)number);
    }
    if (number >= -32) {
        return cki_put_byte(at, (unsigned)(number & 0xff));
    }
    if (number >= INT8_MIN) {
        return cki_put_wide(at, 0xd0, (uint64_t)number, 1);
    }
    if (number >= INT16_MIN) {
        return cki_put_wide(at, 0xd1, (uint64_t)number, 2);
    }
    return number >= INT32_MIN ? cki_put_wide(at, 0xd2, (uint64_t)number, 4)
                               : cki_put_wide(at, 0xd3, (uint64_t)number, 8);
}

static inline uint8_t *cki_put_f64(uint8_t *at, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return cki_put_wide(at, 0xcb, bits, 8);
}

// A count or length under `fix_end` lies in the marker `fix`; the wide ones follow `wide`.
static inline uint8_t *cki_put_count(uint8_t *at, unsigned fix, unsigned fix_end, unsigned wide,
                                     size_t count)
{
    if (count < fix_end) {
        return cki_put_byte(at, fix | (unsigned)count);
    }
    return count <= UINT16_MAX ? cki_put_wide(at, wide, count, 2)
                               : cki_put_wide(at, wide + 1, count, 4);
}

static inline uint8_t *cki_put_array(uint8_t *at, size_t count)
{
    return cki_put_count(at, 0x90, 16, 0xdc, count);
}

static inline uint8_t *cki_put_map(uint8_t *at, size_t pairs)
{
    return cki_put_count(at, 0x80, 16, 0xde, pairs);
}

static inline uint8_t *cki_put_str(uint8_t *at, size_t len)
{
    if (len >= 32 && len <= UINT8_MAX) {
        return cki_put_wide(at, 0xd9, len, 1);
    }
    return cki_put_count(at, 0xa0, 32, 0xda, len);
}

static inline uint8_t *cki_put_bin(uint8_t *at, size_t len)
{
    return len <= UINT8_MAX ? cki_put_wide(at, 0xc4, len, 1) : cki_put_count(at, 0, 0, 0xc5, len);
}

static inline uint8_t *cki_put_body(uint8_t *at, const void *bytes, size_t len)
{
    if (len > 0) {
        memcpy(at, bytes, len);
    }
    return at + len;
}

#endif
