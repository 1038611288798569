// SPDX-License-Identifier: MIT
// libsodium's default generator reads the kernel for every request and keeps no state in user
// space, so neither fork nor a snapshot of the machine can repeat its bytes.
#include "base/entropy.h"

#include <sodium.h>

cachekit_status cki_random(const cachekit_entropy *entropy, void *out, size_t len)
{
    if (entropy != NULL) {
        return entropy->fill(entropy->context, out, len) == CACHEKIT_OK ? CACHEKIT_OK
                                                                        : CACHEKIT_E_ENTROPY;
    }
    // Any thread, any number of times; fails only where the system has no source at all.
    if (sodium_init() < 0) {
        return CACHEKIT_E_ENTROPY;
    }
    randombytes_buf(out, len);
    return CACHEKIT_OK;
}
