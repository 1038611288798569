// SPDX-License-Identifier: MIT
// AES-256-GCM with 96-bit nonces and 128-bit tags, on expanded keys.
#ifndef CKI_GCM_H
#define CKI_GCM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/bytes.h>

enum { CKI_NONCE_BYTES = 12, CKI_TAG_BYTES = 16 };

// An expanded key, in a slot of the vault.
struct cki_schedule;

// Whether this CPU can do it. There is no other implementation.
bool cki_gcm_is_available(void);

// Expands a key of 32 bytes into a slot.
void cki_gcm_expand(const uint8_t *key, void *slot);

// Writes ciphertext and tag, plain.len + 16 bytes.
void cki_gcm_seal(const struct cki_schedule *schedule, const uint8_t *nonce, cachekit_slice aad,
                  cachekit_slice plain, uint8_t *out);

// Writes sealed.len - 16 bytes if the tag is right; if it is not, no plaintext is made.
bool cki_gcm_open(const struct cki_schedule *schedule, const uint8_t *nonce, cachekit_slice aad,
                  cachekit_slice sealed, uint8_t *out);

#endif
