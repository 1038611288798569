// SPDX-License-Identifier: MIT
// The layout is that of the other SDKs (file format version 1): bytes 43 4b 01, a reserved byte,
// two of flags, the second of expiry as a big-endian number of eight bytes, and the value.
#include "backend/file_entry.h"

#include <string.h>
#include <time.h>

#include "base/digest.h"

enum { VERSION_AT = 2, RESERVED_AT = 3, FLAGS_AT = 4, EXPIRY_AT = 6, VERSION = 1 };

static const char hex[] = "0123456789abcdef";

void cki_file_name_write(const uint8_t digest[CKI_FILE_DIGEST_BYTES], char name[CKI_FILE_NAME_ROOM])
{
    for (size_t i = 0; i < CKI_FILE_DIGEST_BYTES; i++) {
        name[2 * i] = hex[digest[i] >> 4];
        name[2 * i + 1] = hex[digest[i] & 15];
    }
    name[CKI_FILE_NAME_LEN] = '\0';
}

cachekit_status cki_file_name(cachekit_slice key, char name[CKI_FILE_NAME_ROOM])
{
    uint8_t digest[CKI_FILE_DIGEST_BYTES];
    cachekit_status status = cki_blake2b(key.data, key.len, digest, sizeof digest);
    if (status == CACHEKIT_OK) {
        cki_file_name_write(digest, name);
    }
    return status;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool cki_file_name_read(const char *text, uint8_t digest[CKI_FILE_DIGEST_BYTES])
{
    for (size_t i = 0; i < CKI_FILE_DIGEST_BYTES; i++) {
        int high = hex_value(text[2 * i]);
        int low = high >= 0 ? hex_value(text[2 * i + 1]) : -1;
        if (low < 0) {
            return false;
        }
        digest[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

void cki_file_header_write(uint8_t header[CKI_FILE_HEADER_BYTES], uint64_t expiry_s)
{
    const uint8_t start[EXPIRY_AT] = {'C', 'K', VERSION, 0, 0, 0};
    memcpy(header, start, sizeof start);
    uint64_t big_endian = __builtin_bswap64(expiry_s);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) {
        big_endian = expiry_s;
    }
    memcpy(header + EXPIRY_AT, &big_endian, sizeof big_endian);
}

enum cki_file_state cki_file_header_read(const uint8_t *header, size_t len, int64_t now_s,
                                         uint64_t *expiry_s)
{
    *expiry_s = 0;
    if (len < CKI_FILE_HEADER_BYTES || header[0] != 'C' || header[1] != 'K' ||
        header[VERSION_AT] != VERSION) {
        return CKI_FILE_DAMAGED;
    }
    if ((header[RESERVED_AT] | header[FLAGS_AT] | header[FLAGS_AT + 1]) != 0) {
        return CKI_FILE_FOREIGN;
    }
    for (size_t i = EXPIRY_AT; i < CKI_FILE_HEADER_BYTES; i++) {
        *expiry_s = *expiry_s << 8 | header[i];
    }
    uint64_t now = now_s > 0 ? (uint64_t)now_s : 0;
    return *expiry_s != 0 && now >= *expiry_s ? CKI_FILE_EXPIRED : CKI_FILE_LIVE;
}

int64_t cki_file_wall_ns(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
