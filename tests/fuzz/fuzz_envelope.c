// SPDX-License-Identifier: MIT
// Any bytes as an envelope, and the same bytes as a payload. No help with the checksum: this is
// what damage and ignorant attackers look like.
#include "envelope_claims.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_tell_at_exit();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    claims_about(data, size);
    cachekit_slice payload = {data, size};
    FUZZ_CLAIM(cachekit_envelope_encode(payload, NULL, &claims_envelope, NULL) == CACHEKIT_OK,
               "any bytes can be stored");
    cachekit_slice stored = {claims_envelope.data, claims_envelope.len};
    FUZZ_CLAIM(cachekit_envelope_decode(stored, 0, &claims_again, NULL, NULL) == CACHEKIT_OK,
               "and read");
    FUZZ_CLAIM(claims_again.len == size &&
                   (size == 0 || memcmp(claims_again.data, data, size) == 0),
               "and are the same");
    return 0;
}
