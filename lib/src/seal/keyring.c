// SPDX-License-Identifier: MIT
// Making and freeing keyrings. Master and derived keys pass through one slot of the vault, which is
// wiped before the keyring is handed out, or refused.
#include "seal/keyring.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "seal/tenant.h"
#include "seal/vault.h"

_Static_assert(sizeof(struct cki_derive) <= CKI_VAULT_SLOT_BYTES, "derivation fits a slot");
_Static_assert(_Alignof(struct cki_derive) <= CKI_VAULT_ALIGN, "and is aligned there");

static cachekit_status read_options(const cachekit_keyring_options *given,
                                    cachekit_keyring_options *out, cachekit_error *error)
{
    *out = (cachekit_keyring_options)CACHEKIT_KEYRING_OPTIONS_INIT;
    if (given == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "no options");
    }
    if (given->size < sizeof(size_t) || given->size > sizeof *out) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "options.size is not this library's");
    }
    memcpy(out, given, given->size);
    if (out->master_key == NULL || (out->retired_keys == NULL && out->retired_count > 0)) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "a master key is NULL");
    }
    if (out->retired_count > CACHEKIT_RETIRED_KEYS_MAX) {
        return cki_fail(error, CACHEKIT_E_CONFIG, 0, "%zu retired keys, at most 3 are allowed",
                        out->retired_count);
    }
    return CACHEKIT_OK;
}

static cachekit_status read_master(struct cki_derive *work, const cachekit_keyring_options *options,
                                   size_t index, cachekit_error *error)
{
    static const char *const names[CKI_KEYS_MAX] = {"the master key", "retired key 1",
                                                    "retired key 2", "retired key 3"};
    const char *hex = index == 0 ? options->master_key : options->retired_keys[index - 1];
    if (hex == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "%s is NULL", names[index]);
    }
    return cki_master_read(work, hex, names[index], error);
}

// The same fingerprint is the same derived key, which for one tenant is the same master key.
static bool is_twice(const cachekit_keyring *keyring, const uint8_t *fingerprint)
{
    for (size_t i = 0; i < keyring->count; i++) {
        if (memcmp(keyring->fingerprints[i], fingerprint, CKI_FINGERPRINT_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

static cachekit_status add_key(cachekit_keyring *keyring, struct cki_derive *work,
                               const cachekit_keyring_options *options, size_t index,
                               cachekit_error *error)
{
    cachekit_status status = read_master(work, options, index, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    cki_derive_key(work, (cachekit_slice){keyring->tenant, keyring->tenant_len});
    cki_derive_fingerprint(work, keyring->fingerprints[index]);
    if (is_twice(keyring, keyring->fingerprints[index])) {
        return cki_fail(error, CACHEKIT_E_CONFIG, 0, "retired key %zu is in the ring already",
                        index);
    }
    void *slot;
    status = cki_vault_take(keyring->may_be_unlocked, &slot, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    cki_gcm_expand(work->key, slot);
    keyring->keys[index] = slot;
    keyring->count++;
    return CACHEKIT_OK;
}

static cachekit_status add_keys(cachekit_keyring *keyring, const cachekit_keyring_options *options,
                                cachekit_error *error)
{
    void *work;
    cachekit_status status = cki_vault_take(keyring->may_be_unlocked, &work, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    for (size_t i = 0; status == CACHEKIT_OK && i <= options->retired_count; i++) {
        status = add_key(keyring, work, options, i, error);
    }
    cki_vault_give(work);
    if (status != CACHEKIT_OK) {
        return status;
    }
    keyring->tally = cki_tally_of(keyring->fingerprints[0]);
    if (keyring->tally == NULL) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no room for the count of messages");
    }
    return CACHEKIT_OK;
}

cachekit_status cachekit_keyring_new(const cachekit_keyring_options *options,
                                     cachekit_keyring **out, cachekit_error *error)
{
    if (out == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "out is NULL");
    }
    *out = NULL;
    cachekit_keyring_options o;
    cachekit_status status = read_options(options, &o, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    const char *tenant = o.tenant != NULL ? o.tenant : "default";
    size_t tenant_len = cki_tenant_len(tenant);
    if (tenant_len == 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "a tenant is 1 to 1,024 bytes of UTF-8");
    }
    if (!cki_gcm_is_available()) {
        return cki_fail(error, CACHEKIT_E_CONFIG, 0,
                        "this CPU has no AES instructions that libsodium can use: nothing can be "
                        "encrypted or decrypted here");
    }
    cachekit_keyring *keyring = cki_alloc(o.allocator, sizeof *keyring + tenant_len);
    if (keyring == NULL) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no room for the keyring");
    }
    memset(keyring, 0, sizeof *keyring);
    keyring->allocator = o.allocator;
    keyring->entropy = o.entropy;
    keyring->may_be_unlocked = o.allow_unlocked;
    keyring->tenant_len = tenant_len;
    memcpy(keyring->tenant, tenant, tenant_len);
    status = add_keys(keyring, &o, error);
    if (status != CACHEKIT_OK) {
        cachekit_keyring_free(keyring);
        return status;
    }
    *out = keyring;
    return CACHEKIT_OK;
}

void cachekit_keyring_free(cachekit_keyring *keyring)
{
    if (keyring == NULL) {
        return;
    }
    for (size_t i = 0; i < keyring->count; i++) {
        cki_vault_give(keyring->keys[i]);
    }
    cki_free(keyring->allocator, keyring, sizeof *keyring + keyring->tenant_len);
}

size_t cachekit_keyring_count(const cachekit_keyring *keyring)
{
    return keyring->count;
}

cachekit_status cachekit_keyring_fingerprint(const cachekit_keyring *keyring, size_t index,
                                             char out[CACHEKIT_FINGERPRINT_ROOM])
{
    out[0] = '\0';
    if (index >= keyring->count) {
        return CACHEKIT_E_INVALID;
    }
    (void)sodium_bin2hex(out, CACHEKIT_FINGERPRINT_ROOM, keyring->fingerprints[index],
                         CKI_FINGERPRINT_BYTES);
    return CACHEKIT_OK;
}

uint64_t cachekit_keyring_sealed(const cachekit_keyring *keyring)
{
    return atomic_load_explicit(&keyring->tally->sealed, memory_order_relaxed);
}
