// SPDX-License-Identifier: MIT
// The CacheKit protocol's derivation: salt = "cachekit_v1_", domain and tenant with their lengths;
// info = domain. The fingerprint is of the derived key, never of the master key.
#include "seal/derive.h"

#include <string.h>

#include <cachekit/seal.h>

#include "base/status.h"
#include "seal/traces.h"

static const char PREFIX[] = "cachekit_v1_";
static const char DOMAIN[] = "encryption";
static const char FINGERPRINT[] = "key_fingerprint_v1";

enum {
    PREFIX_LEN = sizeof PREFIX - 1,
    DOMAIN_LEN = sizeof DOMAIN - 1,
    FINGERPRINT_LEN = sizeof FINGERPRINT - 1,
    HEX_LEN = 2 * CKI_KEY_BYTES,
    SALT_MAX = PREFIX_LEN + 1 + DOMAIN_LEN + 2 + CACHEKIT_TENANT_MAX_BYTES
};

cachekit_status cki_master_read(struct cki_derive *work, const char *hex, const char *name,
                                cachekit_error *error)
{
    size_t len = strnlen(hex, HEX_LEN + 1);
    if (len > HEX_LEN) {
        return cki_fail(error, CACHEKIT_E_CONFIG, 0, "%s has more than 64 characters", name);
    }
    if (len < HEX_LEN) {
        return cki_fail(error, CACHEKIT_E_CONFIG, 0,
                        "%s has %zu characters and needs 64 hex digits", name, len);
    }
    // Takes digits of either case and nothing else, in a time that does not hang on their values.
    const char *end = NULL;
    size_t bytes = 0;
    if (sodium_hex2bin(work->master, CKI_KEY_BYTES, hex, HEX_LEN, NULL, &bytes, &end) != 0 ||
        bytes != CKI_KEY_BYTES) {
        size_t at = end != NULL ? (size_t)(end - hex) : 0;
        return cki_fail(error, CACHEKIT_E_CONFIG, at, "%s has a character that is no hex digit",
                        name);
    }
    cki_traces_wipe();
    if (sodium_is_zero(work->master, CKI_KEY_BYTES)) {
        return cki_fail(error, CACHEKIT_E_CONFIG, 0, "%s is all zeros", name);
    }
    return CACHEKIT_OK;
}

void cki_derive_key(struct cki_derive *work, cachekit_slice tenant)
{
    uint8_t salt[SALT_MAX];
    uint8_t *at = salt;
    memcpy(at, PREFIX, PREFIX_LEN);
    at += PREFIX_LEN;
    *at++ = DOMAIN_LEN;
    memcpy(at, DOMAIN, DOMAIN_LEN);
    at += DOMAIN_LEN;
    *at++ = (uint8_t)(tenant.len >> 8);
    *at++ = (uint8_t)tenant.len;
    memcpy(at, tenant.data, tenant.len);
    at += tenant.len;
    cki_hkdf_extract(&work->hkdf, (cachekit_slice){salt, (size_t)(at - salt)},
                     (cachekit_slice){work->master, sizeof work->master});
    (void)cki_hkdf_expand(&work->hkdf, (cachekit_slice){(const uint8_t *)DOMAIN, DOMAIN_LEN},
                          work->key, sizeof work->key);
    cki_traces_wipe();
}

void cki_derive_fingerprint(struct cki_derive *work, uint8_t out[CKI_FINGERPRINT_BYTES])
{
    uint8_t digest[crypto_hash_sha256_BYTES];
    (void)crypto_hash_sha256_init(&work->hash);
    (void)crypto_hash_sha256_update(&work->hash, (const uint8_t *)FINGERPRINT, FINGERPRINT_LEN);
    (void)crypto_hash_sha256_update(&work->hash, work->key, sizeof work->key);
    (void)crypto_hash_sha256_final(&work->hash, digest);
    memcpy(out, digest, CKI_FINGERPRINT_BYTES);
    cki_traces_wipe();
}
