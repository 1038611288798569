// SPDX-License-Identifier: MIT
// libsodium 1.0.18 has no HKDF; its HMAC-SHA256 takes keys of any length, which is all that is
// needed.
#include "seal/hkdf.h"

#include <string.h>

static void mac_slice(struct cki_hkdf *work, cachekit_slice bytes)
{
    if (bytes.len > 0) {
        (void)crypto_auth_hmacsha256_update(&work->mac, bytes.data, bytes.len);
    }
}

void cki_hkdf_extract(struct cki_hkdf *work, cachekit_slice salt, cachekit_slice key)
{
    // The hash pads the salt with zeros: an empty one and 32 zeros are the same.
    static const uint8_t none[1];
    (void)crypto_auth_hmacsha256_init(&work->mac, salt.len > 0 ? salt.data : none, salt.len);
    mac_slice(work, key);
    (void)crypto_auth_hmacsha256_final(&work->mac, work->prk);
}

bool cki_hkdf_expand(struct cki_hkdf *work, cachekit_slice info, uint8_t *out, size_t len)
{
    if (len > CKI_HKDF_OUTPUT_MAX) {
        return false;
    }
    size_t done = 0;
    for (uint8_t count = 1; done < len; count++) {
        (void)crypto_auth_hmacsha256_init(&work->mac, work->prk, sizeof work->prk);
        if (count > 1) {
            mac_slice(work, (cachekit_slice){work->block, sizeof work->block});
        }
        mac_slice(work, info);
        mac_slice(work, (cachekit_slice){&count, 1});
        (void)crypto_auth_hmacsha256_final(&work->mac, work->block);
        size_t part = len - done < sizeof work->block ? len - done : sizeof work->block;
        memcpy(out + done, work->block, part);
        done += part;
    }
    return true;
}
