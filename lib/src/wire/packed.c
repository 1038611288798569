// SPDX-License-Identifier: MIT
// The first four bytes are the payload's length in the machine's own order.
#include "wire/packed.h"

#include <string.h>

#include "base/status.h"
#include "wire/block.h"
#include "wire/layout.h"

enum { LENGTH_BYTES = sizeof(uint32_t) };

cachekit_status cki_packed_from(cachekit_slice envelope, cachekit_buffer *out)
{
    struct cki_layout layout;
    out->len = 0;
    cachekit_status status = cki_layout_read(envelope, &layout, NULL);
    if (status != CACHEKIT_OK) {
        return status;
    }
    const size_t block_len = layout.info.compressed_len;
    status = cachekit_buffer_reserve(out, LENGTH_BYTES + block_len);
    if (status != CACHEKIT_OK) {
        return status;
    }
    uint32_t payload_len = (uint32_t)layout.info.payload_len;
    memcpy(out->data, &payload_len, LENGTH_BYTES);
    if (layout.info.is_legacy) {
        cki_layout_unpack(&layout, out->data + LENGTH_BYTES);
    } else {
        memcpy(out->data + LENGTH_BYTES, layout.block, block_len);
    }
    out->len = LENGTH_BYTES + block_len;
    return CACHEKIT_OK;
}

cachekit_status cki_packed_open(cachekit_slice packed, cachekit_buffer *payload,
                                cachekit_error *error)
{
    uint32_t payload_len;
    size_t produced;
    int code;
    payload->len = 0;
    memcpy(&payload_len, packed.data, LENGTH_BYTES);
    if (cachekit_buffer_reserve(payload, payload_len) != CACHEKIT_OK) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no room for the payload");
    }
    if (!cki_block_decompress(packed.data + LENGTH_BYTES, packed.len - LENGTH_BYTES, payload->data,
                              payload_len, &produced, &code) ||
        produced != payload_len) {
        return cki_fail(error, CACHEKIT_E_DECOMPRESS, 0, "the block does not decompress");
    }
    payload->len = produced;
    return CACHEKIT_OK;
}
