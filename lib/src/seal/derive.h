// SPDX-License-Identifier: MIT
// From the text of a master key to the key of one tenant and its fingerprint.
#ifndef CKI_DERIVE_H
#define CKI_DERIVE_H

#include <stdint.h>

#include <sodium.h>

#include <cachekit/bytes.h>
#include <cachekit/status.h>

#include "seal/hkdf.h"

enum { CKI_KEY_BYTES = 32, CKI_FINGERPRINT_BYTES = 16 };

// All that is secret on the way, in one piece that goes into a slot of the vault.
struct cki_derive {
    struct cki_hkdf hkdf;
    crypto_hash_sha256_state hash;
    uint8_t master[CKI_KEY_BYTES];
    uint8_t key[CKI_KEY_BYTES];
};

// Reads exactly 64 hex digits and a NUL into work->master; `name` is what the error calls it.
// CACHEKIT_E_CONFIG: anything else, or zeros only.
CACHEKIT_MUST_CHECK cachekit_status cki_master_read(struct cki_derive *work, const char *hex,
                                                    const char *name, cachekit_error *error);

// Fills work->key from work->master; `tenant` has 1 to 1,024 bytes.
void cki_derive_key(struct cki_derive *work, cachekit_slice tenant);

// The fingerprint of work->key.
void cki_derive_fingerprint(struct cki_derive *work, uint8_t out[CKI_FINGERPRINT_BYTES]);

#endif
