// SPDX-License-Identifier: MIT
// The MessagePack layout of an envelope, read and checked before anything is allocated.
#ifndef CKI_LAYOUT_H
#define CKI_LAYOUT_H

#include <cachekit/envelope.h>

struct cki_layout {
    cachekit_envelope_info info;
    const uint8_t *block; // in the envelope: the block itself, or its integers when legacy
    const uint8_t *block_end;
};

// The static text equal to these bytes, or NULL.
const char *cki_format_find(const uint8_t *text, size_t len);

// Checks 1 and 2 of cachekit_envelope_decode().
cachekit_status cki_layout_read(cachekit_slice envelope, struct cki_layout *layout,
                                cachekit_error *error);

// Checks 3 to 5; 64-bit sizes, so that they can be tested far beyond what fits in memory.
cachekit_status cki_claims_check(uint64_t compressed_len, uint64_t payload_len,
                                 uint64_t max_payload_bytes, cachekit_error *error);

// Turns the integers of a legacy block, which cki_layout_read() has checked, into bytes.
void cki_layout_unpack(const struct cki_layout *layout, uint8_t *block);

#endif
