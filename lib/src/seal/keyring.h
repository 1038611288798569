// SPDX-License-Identifier: MIT
// What a keyring is inside: nothing in it is secret, the keys lie in the vault.
#ifndef CKI_KEYRING_H
#define CKI_KEYRING_H

#include <cachekit/seal.h>

#include "seal/derive.h"
#include "seal/gcm.h"
#include "seal/tally.h"

enum { CKI_KEYS_MAX = 1 + CACHEKIT_RETIRED_KEYS_MAX };

struct cachekit_keyring {
    const cachekit_allocator *allocator;
    const cachekit_entropy *entropy;
    bool may_be_unlocked;
    size_t count;
    struct cki_schedule *keys[CKI_KEYS_MAX]; // slots of the vault, the current one first
    uint8_t fingerprints[CKI_KEYS_MAX][CKI_FINGERPRINT_BYTES];
    struct cki_tally *tally; // of the current key
    size_t tenant_len;
    uint8_t tenant[]; // tenant_len bytes
};

#endif
