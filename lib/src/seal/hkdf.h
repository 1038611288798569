// SPDX-License-Identifier: MIT
// HKDF with HMAC-SHA256 (RFC 5869). All that is secret stays in memory of the caller's.
#ifndef CKI_HKDF_H
#define CKI_HKDF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sodium.h>

#include <cachekit/bytes.h>

enum { CKI_HKDF_HASH_BYTES = 32, CKI_HKDF_OUTPUT_MAX = 255 * CKI_HKDF_HASH_BYTES };

// Working memory, to be wiped by whoever owns it.
struct cki_hkdf {
    crypto_auth_hmacsha256_state mac;
    uint8_t prk[CKI_HKDF_HASH_BYTES];
    uint8_t block[CKI_HKDF_HASH_BYTES];
};

// The first step: fills work->prk.
void cki_hkdf_extract(struct cki_hkdf *work, cachekit_slice salt, cachekit_slice key);

// The second step; false when `len` is over CKI_HKDF_OUTPUT_MAX.
bool cki_hkdf_expand(struct cki_hkdf *work, cachekit_slice info, uint8_t *out, size_t len);

#endif
