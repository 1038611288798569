// SPDX-License-Identifier: MIT
// Messages: nonce, ciphertext, tag. Which check failed decides the class of a failure; what is done
// about it is the caller's business.
#include <cachekit/seal.h>

#include <sodium.h>

#include "base/alloc.h"
#include "base/entropy.h"
#include "base/status.h"
#include "seal/bind.h"
#include "seal/keyring.h"
#include "seal/vault.h"

#define PLAIN_MAX ((size_t)512 << 20)

_Static_assert(CKI_NONCE_BYTES + CKI_TAG_BYTES == CACHEKIT_SEAL_OVERHEAD_BYTES, "as promised");

static cachekit_slice tenant_of(const cachekit_keyring *keyring)
{
    return (cachekit_slice){keyring->tenant, keyring->tenant_len};
}

// The last step, which cannot fail, comes after the count; all that can fail comes before it, so
// that only messages are counted.
static cachekit_status seal_bound(cachekit_keyring *keyring, cachekit_slice aad,
                                  cachekit_slice plain, cachekit_buffer *out, cachekit_error *error)
{
    if (plain.len > PLAIN_MAX) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "the plaintext is over 512 MiB");
    }
    cachekit_status status = cki_vault_check(keyring->may_be_unlocked, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    if (cachekit_buffer_reserve(out, plain.len + CACHEKIT_SEAL_OVERHEAD_BYTES) < 0) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no room for the sealed bytes");
    }
    if (cki_random(keyring->entropy, out->data, CKI_NONCE_BYTES) != CACHEKIT_OK) {
        return cki_fail(error, CACHEKIT_E_ENTROPY, 0, "no random bytes for a nonce");
    }
    status = cki_tally_add(keyring->tally);
    if (status < 0) {
        return cki_fail(error, status, 0,
                        "this key has sealed 2^32 - 1 messages: make another the current one");
    }
    cki_gcm_seal(keyring->keys[0], out->data, aad, plain, out->data + CKI_NONCE_BYTES);
    out->len = plain.len + CACHEKIT_SEAL_OVERHEAD_BYTES;
    return status;
}

cachekit_status cachekit_seal(cachekit_keyring *keyring, const cachekit_binding *binding,
                              cachekit_slice plain, cachekit_buffer *out, cachekit_error *error)
{
    out->len = 0;
    struct cki_bind bind;
    cachekit_status status =
        cki_bind_init(&bind, tenant_of(keyring), binding, keyring->allocator, error);
    if (status == CACHEKIT_OK) {
        status = seal_bound(keyring, bind.aad, plain, out, error);
        cki_bind_release(&bind);
    }
    return status;
}

// Exactly the room that is needed; what a moved buffer leaves behind holds no plaintext.
static bool make_room(cachekit_buffer *out, size_t need)
{
    if (need <= out->room) {
        return true;
    }
    if (out->room > 0) {
        sodium_memzero(out->data, out->room);
    }
    uint8_t *data = cki_resize(out->allocator, out->data, out->room, need);
    if (data == NULL) {
        return false;
    }
    out->data = data;
    out->room = need;
    return true;
}

static cachekit_status check_sealed(const cachekit_keyring *keyring, size_t len,
                                    cachekit_error *error)
{
    if (len < CACHEKIT_SEAL_OVERHEAD_BYTES) {
        return cki_fail(error, CACHEKIT_E_DECODE, len, "%zu bytes, sealed ones are 28 or more",
                        len);
    }
    if (len - CACHEKIT_SEAL_OVERHEAD_BYTES > PLAIN_MAX) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "the plaintext would be over 512 MiB");
    }
    return cki_vault_check(keyring->may_be_unlocked, error);
}

// Only a failed authentication goes on to the next key.
static cachekit_status open_bound(const cachekit_keyring *keyring, cachekit_slice aad,
                                  cachekit_slice sealed, cachekit_buffer *out, size_t *key_index,
                                  cachekit_error *error)
{
    cachekit_status status = check_sealed(keyring, sealed.len, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    size_t len = sealed.len - CACHEKIT_SEAL_OVERHEAD_BYTES;
    if (!make_room(out, len)) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no room for the plaintext");
    }
    cachekit_slice body = {sealed.data + CKI_NONCE_BYTES, sealed.len - CKI_NONCE_BYTES};
    for (size_t i = 0; i < keyring->count; i++) {
        if (cki_gcm_open(keyring->keys[i], sealed.data, aad, body, out->data)) {
            out->len = len;
            if (key_index != NULL) {
                *key_index = i;
            }
            return CACHEKIT_OK;
        }
    }
    return cki_fail(error, CACHEKIT_E_AUTH, 0,
                    "damaged, or not sealed by any of %zu keys for this tenant, cache key, format, "
                    "compression and type",
                    keyring->count);
}

cachekit_status cachekit_open(cachekit_keyring *keyring, const cachekit_binding *binding,
                              cachekit_slice sealed, cachekit_buffer *out, size_t *key_index,
                              cachekit_error *error)
{
    out->len = 0;
    struct cki_bind bind;
    cachekit_status status =
        cki_bind_init(&bind, tenant_of(keyring), binding, keyring->allocator, error);
    if (status == CACHEKIT_OK) {
        status = open_bound(keyring, bind.aad, sealed, out, key_index, error);
        cki_bind_release(&bind);
    }
    if (status != CACHEKIT_OK && out->room > 0) {
        sodium_memzero(out->data, out->room);
    }
    return status;
}
