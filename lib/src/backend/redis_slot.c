// SPDX-License-Identifier: MIT
// CRC16 with polynomial 0x1021, initial value 0, four bits at a time.
#include "backend/redis_slot.h"

#include <stdint.h>
#include <string.h>

enum { SLOT_MASK = 16383 };

static uint16_t crc16(const char *bytes, size_t len)
{
    static const uint16_t nibbles[16] = {0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5,
                                         0x60c6, 0x70e7, 0x8108, 0x9129, 0xa14a, 0xb16b,
                                         0xc18c, 0xd1ad, 0xe1ce, 0xf1ef};
    uint32_t crc = 0;
    for (size_t i = 0; i < len; i++) {
        uint32_t byte = (uint8_t)bytes[i];
        crc = (crc << 4 ^ nibbles[(crc >> 12 ^ byte >> 4) & 15]) & 0xffff;
        crc = (crc << 4 ^ nibbles[(crc >> 12 ^ byte) & 15]) & 0xffff;
    }
    return (uint16_t)crc;
}

int cki_redis_slot(const char *key, size_t len)
{
    const char *open = len > 0 ? memchr(key, '{', len) : NULL;
    if (open != NULL) {
        size_t rest = len - (size_t)(open + 1 - key);
        const char *close = rest > 0 ? memchr(open + 1, '}', rest) : NULL;
        if (close != NULL && close > open + 1) {
            return crc16(open + 1, (size_t)(close - open - 1)) & SLOT_MASK;
        }
    }
    return crc16(key, len) & SLOT_MASK;
}
