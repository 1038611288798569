// SPDX-License-Identifier: MIT
// Payload to envelope and back. The block is compressed where it will stay, behind a header of
// the width that a block of half the payload's length needs; only a wrong guess moves it.
#include <cachekit/envelope.h>

#include <string.h>

#include "base/hash.h"
#include "base/status.h"
#include "wire/block.h"
#include "wire/layout.h"

enum {
    HEADER_MAX = 1 + 5,               // array of four, bin32
    TAIL_MAX = 1 + 2 * 8 + 5 + 1 + 7, // checksum, payload length, longest format
    LEN_BIN8_MAX = UINT8_MAX,
    LEN_BIN16_MAX = UINT16_MAX,
};

static size_t header_len(size_t block_len)
{
    if (block_len <= LEN_BIN8_MAX) {
        return 3;
    }
    return block_len <= LEN_BIN16_MAX ? 4 : HEADER_MAX;
}

static uint8_t *put_big_endian(uint8_t *at, uint64_t value, unsigned width)
{
    for (unsigned i = width; i > 0; i--) {
        *at++ = (uint8_t)(value >> (8 * (i - 1)));
    }
    return at;
}

static void put_header(uint8_t *at, size_t block_len)
{
    *at++ = 0x94;
    if (block_len <= LEN_BIN8_MAX) {
        *at++ = 0xc4;
        put_big_endian(at, block_len, 1);
    } else if (block_len <= LEN_BIN16_MAX) {
        *at++ = 0xc5;
        put_big_endian(at, block_len, 2);
    } else {
        *at++ = 0xc6;
        put_big_endian(at, block_len, 4);
    }
}

static uint8_t *put_uint32(uint8_t *at, uint32_t value)
{
    if (value < 0x80) {
        *at++ = (uint8_t)value;
        return at;
    }
    unsigned log_width = value <= UINT8_MAX ? 0 : value <= UINT16_MAX ? 1 : 2;
    *at++ = (uint8_t)(0xcc + log_width);
    return put_big_endian(at, value, 1u << log_width);
}

static uint8_t *put_checksum(uint8_t *at, uint64_t checksum)
{
    *at++ = 0x98;
    for (unsigned shift = 64; shift > 0; shift -= 8) {
        uint8_t byte = (uint8_t)(checksum >> (shift - 8));
        if (byte >= 0x80) {
            *at++ = 0xcc;
        }
        *at++ = byte;
    }
    return at;
}

static uint8_t *put_format(uint8_t *at, const char *format)
{
    size_t len = strlen(format);
    *at++ = (uint8_t)(0xa0 + len);
    memcpy(at, format, len);
    return at + len;
}

// Steps 2 to 5 of the protocol's store; `envelope` has room for the worst case.
static cachekit_status fill(cachekit_slice payload, const char *format, cachekit_buffer *envelope,
                            cachekit_error *error)
{
    size_t guess = header_len(payload.len / 2);
    size_t block_len = cki_block_compress(payload.data, payload.len, envelope->data + guess);
    if (block_len == 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "LZ4 refused to compress the payload");
    }
    size_t header = header_len(block_len);
    if (header != guess) {
        memmove(envelope->data + header, envelope->data + guess, block_len);
    }
    put_header(envelope->data, block_len);
    uint8_t *at = envelope->data + header + block_len;
    at = put_checksum(at, cki_xxh3(payload.data, payload.len));
    at = put_uint32(at, (uint32_t)payload.len);
    at = put_format(at, format);
    size_t len = (size_t)(at - envelope->data);
    // The block alone is shorter than the envelope: one comparison is both of the protocol's.
    if (len > CACHEKIT_ENVELOPE_MAX_BYTES) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "the envelope would be over 512 MiB");
    }
    envelope->len = len;
    return CACHEKIT_OK;
}

cachekit_status cachekit_envelope_encode(cachekit_slice payload, const char *format,
                                         cachekit_buffer *envelope, cachekit_error *error)
{
    envelope->len = 0;
    const char *known = CACHEKIT_FORMAT_MSGPACK;
    if (format != NULL) {
        known = cki_format_find((const uint8_t *)format, strlen(format));
    }
    if (known == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "no format of the protocol");
    }
    if (payload.len > CACHEKIT_ENVELOPE_MAX_BYTES) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "the payload is over 512 MiB");
    }
    size_t need = HEADER_MAX + cki_block_bound(payload.len) + TAIL_MAX;
    if (cachekit_buffer_reserve(envelope, need) < 0) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no room for the envelope");
    }
    return fill(payload, known, envelope, error);
}

// The block's bytes: in the envelope, or for the old form unpacked behind the payload's room.
static cachekit_status make_room(const struct cki_layout *layout, cachekit_buffer *payload,
                                 const uint8_t **block, cachekit_error *error)
{
    const cachekit_envelope_info *info = &layout->info;
    size_t need = info->payload_len + (info->is_legacy ? info->compressed_len : 0);
    if (cachekit_buffer_reserve(payload, need) < 0) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no room for the payload");
    }
    *block = layout->block;
    if (info->is_legacy) {
        cki_layout_unpack(layout, payload->data + info->payload_len);
        *block = payload->data + info->payload_len;
    }
    return CACHEKIT_OK;
}

static cachekit_status open_block(const cachekit_envelope_info *info, const uint8_t *block,
                                  cachekit_buffer *payload, cachekit_error *error)
{
    size_t produced = 0;
    int code = 0;
    if (!cki_block_decompress(block, info->compressed_len, payload->data, info->payload_len,
                              &produced, &code)) {
        cki_fail(error, CACHEKIT_E_DECOMPRESS, 0, "the block does not decompress");
        if (error != NULL) {
            error->foreign = code;
        }
        return CACHEKIT_E_DECOMPRESS;
    }
    if (cki_xxh3(payload->data, produced) != info->checksum) {
        return cki_fail(error, CACHEKIT_E_CHECKSUM, 0, "the checksum is not the payload's");
    }
    if (produced != info->payload_len) {
        return cki_fail(error, CACHEKIT_E_SIZE, 0, "%zu bytes where %zu were claimed", produced,
                        info->payload_len);
    }
    payload->len = produced;
    return CACHEKIT_OK;
}

cachekit_status cachekit_envelope_decode(cachekit_slice envelope, size_t max_payload_bytes,
                                         cachekit_buffer *payload, const char **format,
                                         cachekit_error *error)
{
    payload->len = 0;
    if (format != NULL) {
        *format = NULL;
    }
    struct cki_layout layout;
    const uint8_t *block = NULL;
    cachekit_status status = cki_layout_read(envelope, &layout, error);
    if (status == CACHEKIT_OK) {
        status = cki_claims_check(layout.info.compressed_len, layout.info.payload_len,
                                  max_payload_bytes, error);
    }
    if (status == CACHEKIT_OK) {
        status = make_room(&layout, payload, &block, error);
    }
    if (status == CACHEKIT_OK) {
        status = open_block(&layout.info, block, payload, error);
    }
    if (status == CACHEKIT_OK && format != NULL) {
        *format = layout.info.format;
    }
    return status;
}

cachekit_status cachekit_envelope_inspect(cachekit_slice envelope, cachekit_envelope_info *info,
                                          cachekit_error *error)
{
    struct cki_layout layout;
    cachekit_status status = cki_layout_read(envelope, &layout, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    *info = layout.info;
    return cki_claims_check(info->compressed_len, info->payload_len, 0, error);
}
