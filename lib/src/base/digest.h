// SPDX-License-Identifier: MIT
// Unkeyed BLAKE2b (RFC 7693). The length is a parameter of the hash: a short digest is not the
// beginning of a long one.
#ifndef CKI_DIGEST_H
#define CKI_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/status.h>

enum { CKI_DIGEST_MAX = 64 };

// `len` from 1 to CKI_DIGEST_MAX, else CACHEKIT_E_INVALID; `data` may be NULL when `size` is 0.
CACHEKIT_MUST_CHECK cachekit_status cki_blake2b(const void *data, size_t size, uint8_t *digest,
                                                size_t len);

// Whether libsodium can be used. Takes no lock once it is started, which it is before main().
bool cki_sodium_is_started(void);

#endif
