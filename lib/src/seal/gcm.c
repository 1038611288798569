// SPDX-License-Identifier: MIT
// libsodium's AES-GCM exists for CPUs with AES instructions only; it checks the tag before it
// decrypts. It leaves round keys and powers of the hash key behind, which are wiped each time.
#include "seal/gcm.h"

#include <sodium.h>

#include "base/digest.h"
#include "seal/traces.h"
#include "seal/vault.h"

_Static_assert(sizeof(crypto_aead_aes256gcm_state) <= CKI_VAULT_SLOT_BYTES, "a slot holds it");
_Static_assert(_Alignof(crypto_aead_aes256gcm_state) <= CKI_VAULT_ALIGN, "and is aligned");
_Static_assert(CKI_NONCE_BYTES == crypto_aead_aes256gcm_NPUBBYTES, "the protocol's nonce");
_Static_assert(CKI_TAG_BYTES == crypto_aead_aes256gcm_ABYTES, "the protocol's tag");

static const crypto_aead_aes256gcm_state *state_of(const struct cki_schedule *schedule)
{
    return (const void *)schedule;
}

bool cki_gcm_is_available(void)
{
    return cki_sodium_is_started() && crypto_aead_aes256gcm_is_available() == 1;
}

void cki_gcm_expand(const uint8_t *key, void *slot)
{
    (void)crypto_aead_aes256gcm_beforenm(slot, key);
    cki_traces_wipe();
}

void cki_gcm_seal(const struct cki_schedule *schedule, const uint8_t *nonce, cachekit_slice aad,
                  cachekit_slice plain, uint8_t *out)
{
    (void)crypto_aead_aes256gcm_encrypt_afternm(out, NULL, plain.data, plain.len, aad.data, aad.len,
                                                NULL, nonce, state_of(schedule));
    cki_traces_wipe();
}

bool cki_gcm_open(const struct cki_schedule *schedule, const uint8_t *nonce, cachekit_slice aad,
                  cachekit_slice sealed, uint8_t *out)
{
    int code = crypto_aead_aes256gcm_decrypt_afternm(out, NULL, NULL, sealed.data, sealed.len,
                                                     aad.data, aad.len, nonce, state_of(schedule));
    cki_traces_wipe();
    return code == 0;
}
