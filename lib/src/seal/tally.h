// SPDX-License-Identifier: MIT
// How many messages a derived key has sealed in this process. One count for each key, whatever
// keyrings there are and were.
#ifndef CKI_TALLY_H
#define CKI_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

#include <cachekit/status.h>

#include "seal/derive.h"

#define CKI_TALLY_ROTATE ((uint64_t)1 << 31)
#define CKI_TALLY_MAX    (((uint64_t)1 << 32) - 1)

struct cki_tally {
    struct cki_tally *next;
    uint8_t fingerprint[CKI_FINGERPRINT_BYTES];
    _Atomic uint64_t sealed;
};

// The count of the key with this fingerprint, which lives as long as the process; NULL: no memory.
struct cki_tally *cki_tally_of(const uint8_t fingerprint[CKI_FINGERPRINT_BYTES]);

// Counts one message. CACHEKIT_OK; CACHEKIT_ROTATE: it may be sealed, but a new key is due;
// CACHEKIT_E_EXHAUSTED: it may not, and was not counted.
CACHEKIT_MUST_CHECK cachekit_status cki_tally_add(struct cki_tally *tally);

#endif
