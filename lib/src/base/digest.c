// SPDX-License-Identifier: MIT
// libsodium documents 16 bytes as its least length and accepts 1 all the same; the tests hold
// it to that with other programs' digests of 2, 8, 16 and 32 bytes.
#include "base/digest.h"

#include <sodium.h>

cachekit_status cki_blake2b(const void *data, size_t size, uint8_t *digest, size_t len)
{
    if (len < 1 || len > CKI_DIGEST_MAX || sodium_init() < 0) {
        return CACHEKIT_E_INVALID;
    }
    if (crypto_generichash(digest, len, data, size, NULL, 0) != 0) {
        return CACHEKIT_E_INVALID;
    }
    return CACHEKIT_OK;
}
