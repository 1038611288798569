// SPDX-License-Identifier: MIT
// What must hold for any bytes that are taken for an envelope.
#ifndef TESTS_ENVELOPE_CLAIMS_H
#define TESTS_ENVELOPE_CLAIMS_H

#include <string.h>

#include <cachekit/envelope.h>

#include "base/hash.h"
#include "fuzz.h"

static cachekit_buffer claims_payload = CACHEKIT_BUFFER_INIT;
static cachekit_buffer claims_envelope = CACHEKIT_BUFFER_INIT;
static cachekit_buffer claims_again = CACHEKIT_BUFFER_INIT;

static inline void claims_about_accepted(cachekit_slice input, const char *format)
{
    cachekit_envelope_info info;
    fuzz_accepted++;
    FUZZ_CLAIM(cachekit_envelope_inspect(input, &info, NULL) == CACHEKIT_OK, "inspect agrees");
    FUZZ_CLAIM(info.payload_len == claims_payload.len, "on the length");
    FUZZ_CLAIM(info.checksum == cki_xxh3(claims_payload.data, claims_payload.len),
               "on the checksum");
    FUZZ_CLAIM(strcmp(info.format, format) == 0, "and on the format");
    cachekit_slice payload = {claims_payload.data, claims_payload.len};
    FUZZ_CLAIM(cachekit_envelope_encode(payload, format, &claims_envelope, NULL) == CACHEKIT_OK,
               "the payload can be stored again");
    cachekit_slice stored = {claims_envelope.data, claims_envelope.len};
    FUZZ_CLAIM(cachekit_envelope_decode(stored, 0, &claims_again, NULL, NULL) == CACHEKIT_OK,
               "and read again");
    FUZZ_CLAIM(claims_again.len == payload.len &&
                   (payload.len == 0 || memcmp(claims_again.data, payload.data, payload.len) == 0),
               "and is the same");
}

static inline cachekit_status claims_about(const uint8_t *data, size_t size)
{
    cachekit_slice input = {data, size};
    cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
    const char *format = NULL;
    cachekit_buffer_release(&claims_payload); // so that its room is this input's doing
    cachekit_status status = cachekit_envelope_decode(input, 0, &claims_payload, &format, &error);
    FUZZ_CLAIM(claims_payload.room <= 256 * size + 64, "no memory that the input does not back");
    if (status == CACHEKIT_OK) {
        claims_about_accepted(input, format);
    } else {
        FUZZ_CLAIM(error.status == status && error.position <= size, "a failure has a place");
        FUZZ_CLAIM(claims_payload.len == 0 && format == NULL, "and leaves nothing");
    }
    return status;
}

#endif
