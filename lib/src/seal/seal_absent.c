// SPDX-License-Identifier: MIT
// What a library built without encryption has in its place: no keyring can be made, so nothing else
// here is ever reached with one. Callers that wanted encryption fail at construction.
#include <cachekit/seal.h>

#include "base/status.h"

static cachekit_status refuse(cachekit_error *error)
{
    return cki_fail(error, CACHEKIT_E_CONFIG, 0, "this build of libcachekit has no encryption");
}

cachekit_status cachekit_keyring_new(const cachekit_keyring_options *options,
                                     cachekit_keyring **out, cachekit_error *error)
{
    (void)options;
    if (out != NULL) {
        *out = NULL;
    }
    return refuse(error);
}

void cachekit_keyring_free(cachekit_keyring *keyring)
{
    (void)keyring;
}

size_t cachekit_keyring_count(const cachekit_keyring *keyring)
{
    (void)keyring;
    return 0;
}

cachekit_status cachekit_keyring_fingerprint(const cachekit_keyring *keyring, size_t index,
                                             char out[CACHEKIT_FINGERPRINT_ROOM])
{
    (void)keyring, (void)index;
    out[0] = '\0';
    return CACHEKIT_E_INVALID;
}

uint64_t cachekit_keyring_sealed(const cachekit_keyring *keyring)
{
    (void)keyring;
    return 0;
}

cachekit_status cachekit_seal(cachekit_keyring *keyring, const cachekit_binding *binding,
                              cachekit_slice plain, cachekit_buffer *out, cachekit_error *error)
{
    (void)keyring, (void)binding, (void)plain;
    out->len = 0;
    return refuse(error);
}

cachekit_status cachekit_open(cachekit_keyring *keyring, const cachekit_binding *binding,
                              cachekit_slice sealed, cachekit_buffer *out, size_t *key_index,
                              cachekit_error *error)
{
    (void)keyring, (void)binding, (void)sealed, (void)key_index;
    out->len = 0;
    return refuse(error);
}
