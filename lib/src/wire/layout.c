// SPDX-License-Identifier: MIT
// Reads the four elements of an envelope. Every header is compared with the bytes that are left
// before it is believed, so the work is bounded by the input and nothing is allocated here.
// Format: MessagePack; layout and order of checks: CacheKit protocol 1.1, wire format.
#include "wire/layout.h"

#include <string.h>

#include "base/status.h"

enum {
    PROTOCOL_RATIO_MAX = 1000,
    LZ4_RATIO_MAX = 255, // one byte of a block lengthens a run by at most 255
    CHECKSUM_LEN = 8,
};

#define FORMAT(text)                                                                               \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

static const struct format {
    const char *text;
    size_t len;
} formats[] = {
    FORMAT(CACHEKIT_FORMAT_MSGPACK),
    FORMAT(CACHEKIT_FORMAT_ORJSON),
    FORMAT(CACHEKIT_FORMAT_ARROW),
    FORMAT(CACHEKIT_FORMAT_BYTES),
};

struct cursor {
    const uint8_t *start;
    const uint8_t *at;
    const uint8_t *end;
};

// A family of headers with one count: short form in the marker, then 1, 2 and 4 bytes.
struct family {
    uint8_t fix;      // first marker of the short form
    uint8_t fix_mask; // its count; 0 if the family has no short form
    uint8_t wide[3];  // markers of 8, 16 and 32 bits, 0 where there is none
};

static const struct family array_family = {0x90, 0x0f, {0, 0xdc, 0xdd}};
static const struct family bin_family = {0, 0, {0xc4, 0xc5, 0xc6}};
static const struct family str_family = {0xa0, 0x1f, {0xd9, 0xda, 0xdb}};

static size_t left(const struct cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

static bool take_big_endian(struct cursor *cursor, size_t width, uint64_t *value)
{
    if (left(cursor) < width) {
        return false;
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < width; i++) {
        sum = sum << 8 | *cursor->at++;
    }
    *value = sum;
    return true;
}

// Takes a header of the family if one stands here, and holds its count against what is left:
// every element has at least one byte.
static bool take_header(struct cursor *cursor, const struct family *family, size_t *count)
{
    if (cursor->at == cursor->end) {
        return false;
    }
    uint8_t marker = *cursor->at;
    uint64_t value = 0;
    if (family->fix_mask != 0 && (marker & ~family->fix_mask) == family->fix) {
        cursor->at++;
        value = marker & family->fix_mask;
    } else {
        size_t i = 0;
        while (i < 3 && (family->wide[i] == 0 || family->wide[i] != marker)) {
            i++;
        }
        if (i == 3) {
            return false;
        }
        cursor->at++;
        if (!take_big_endian(cursor, (size_t)1 << i, &value)) {
            return false;
        }
    }
    *count = (size_t)value;
    return value <= left(cursor);
}

// Any integer encoding of a value from 0 to `max`: short, cc to cf, and d0 to d3 unless negative.
static bool take_uint(struct cursor *cursor, uint64_t max, uint64_t *value)
{
    if (cursor->at == cursor->end) {
        return false;
    }
    uint8_t marker = *cursor->at++;
    if (marker < 0x80) {
        *value = marker;
        return marker <= max;
    }
    if (marker < 0xcc || marker > 0xd3) {
        return false;
    }
    unsigned bits = 8u << ((marker - 0xcc) & 3);
    bool is_signed = marker >= 0xd0;
    if (!take_big_endian(cursor, bits / 8, value)) {
        return false;
    }
    if (is_signed && (*value >> (bits - 1)) != 0) {
        return false;
    }
    return *value <= max;
}

// take_uint() for one byte of payload, with the two forms that writers use up front.
static bool take_byte(struct cursor *cursor, uint8_t *byte)
{
    size_t room = left(cursor);
    if (room > 0 && cursor->at[0] < 0x80) {
        *byte = *cursor->at++;
        return true;
    }
    if (room > 1 && cursor->at[0] == 0xcc) {
        *byte = cursor->at[1];
        cursor->at += 2;
        return true;
    }
    uint64_t value;
    if (!take_uint(cursor, UINT8_MAX, &value)) {
        return false;
    }
    *byte = (uint8_t)value;
    return true;
}

static bool take_block(struct cursor *cursor, struct cki_layout *layout)
{
    size_t count;
    layout->info.is_legacy = false;
    if (take_header(cursor, &bin_family, &count)) {
        layout->block = cursor->at;
        layout->info.compressed_len = count;
        cursor->at += count;
        layout->block_end = cursor->at;
        return true;
    }
    if (!take_header(cursor, &array_family, &count)) {
        return false;
    }
    layout->block = cursor->at;
    layout->info.compressed_len = count;
    layout->info.is_legacy = true;
    for (size_t i = 0; i < count; i++) {
        uint8_t byte;
        if (!take_byte(cursor, &byte)) {
            return false;
        }
    }
    layout->block_end = cursor->at;
    return true;
}

static bool take_checksum(struct cursor *cursor, struct cki_layout *layout)
{
    size_t count;
    if (!take_header(cursor, &array_family, &count) || count != CHECKSUM_LEN) {
        return false;
    }
    layout->info.checksum = 0;
    for (size_t i = 0; i < CHECKSUM_LEN; i++) {
        uint8_t byte;
        if (!take_byte(cursor, &byte)) {
            return false;
        }
        layout->info.checksum = layout->info.checksum << 8 | byte;
    }
    return true;
}

static bool take_size(struct cursor *cursor, struct cki_layout *layout)
{
    uint64_t size;
    if (!take_uint(cursor, UINT32_MAX, &size)) {
        return false;
    }
    layout->info.payload_len = (size_t)size;
    return true;
}

static bool take_format(struct cursor *cursor, struct cki_layout *layout)
{
    size_t len;
    if (!take_header(cursor, &str_family, &len)) {
        return false;
    }
    layout->info.format = cki_format_find(cursor->at, len);
    cursor->at += len;
    return layout->info.format != NULL;
}

static bool take_outer(struct cursor *cursor, struct cki_layout *layout)
{
    size_t count;
    (void)layout;
    return take_header(cursor, &array_family, &count) && count == 4;
}

static bool take_end(struct cursor *cursor, struct cki_layout *layout)
{
    (void)layout;
    return cursor->at == cursor->end;
}

static const struct element {
    bool (*take)(struct cursor *cursor, struct cki_layout *layout);
    const char *complaint;
} elements[] = {
    {take_outer, "no array of four elements"},
    {take_block, "the block is no complete bin and no complete array of bytes"},
    {take_checksum, "the checksum is no array of eight bytes"},
    {take_size, "the payload length is no unsigned 32-bit integer"},
    {take_format, "the format is no text that the protocol knows"},
    {take_end, "bytes follow the envelope"},
};

const char *cki_format_find(const uint8_t *text, size_t len)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].len == len && memcmp(formats[i].text, text, len) == 0) {
            return formats[i].text;
        }
    }
    return NULL;
}

cachekit_status cki_layout_read(cachekit_slice envelope, struct cki_layout *layout,
                                cachekit_error *error)
{
    if (envelope.len > CACHEKIT_ENVELOPE_MAX_BYTES) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "the envelope is over 512 MiB");
    }
    if (envelope.len == 0) {
        return cki_fail(error, CACHEKIT_E_DECODE, 0, "the envelope is empty");
    }
    struct cursor cursor = {envelope.data, envelope.data, envelope.data + envelope.len};
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        const uint8_t *element = cursor.at;
        if (!elements[i].take(&cursor, layout)) {
            return cki_fail(error, CACHEKIT_E_DECODE, (uint64_t)(element - cursor.start), "%s",
                            elements[i].complaint);
        }
    }
    return CACHEKIT_OK;
}

cachekit_status cki_claims_check(uint64_t compressed_len, uint64_t payload_len,
                                 uint64_t max_payload_bytes, cachekit_error *error)
{
    if (compressed_len > CACHEKIT_ENVELOPE_MAX_BYTES) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "the block is over 512 MiB");
    }
    if (payload_len > CACHEKIT_ENVELOPE_MAX_BYTES) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "the claimed payload is over 512 MiB");
    }
    if (max_payload_bytes != 0 && payload_len > max_payload_bytes) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0,
                        "the claimed payload is over the cap of this call");
    }
    if (compressed_len == 0) {
        return cki_fail(error, CACHEKIT_E_BOMB, 0, "the block is empty");
    }
    if (payload_len > PROTOCOL_RATIO_MAX * compressed_len) {
        return cki_fail(error, CACHEKIT_E_BOMB, 0, "the claim is above 1000 : 1");
    }
    if (payload_len > LZ4_RATIO_MAX * compressed_len) {
        return cki_fail(error, CACHEKIT_E_BOMB, 0,
                        "the claim is above 255 : 1, which LZ4 cannot reach");
    }
    return CACHEKIT_OK;
}

void cki_layout_unpack(const struct cki_layout *layout, uint8_t *block)
{
    // The first reading found this many integers in the input, so it bounds the second one.
    struct cursor cursor = {layout->block, layout->block, layout->block_end};
    for (size_t i = 0; i < layout->info.compressed_len; i++) {
        (void)take_byte(&cursor, &block[i]); // cannot fail the second time
    }
}
