// SPDX-License-Identifier: MIT
// The kernel is asked for every request and no state is kept in user space, so neither fork nor a
// snapshot of the machine can repeat its bytes. libsodium asks the same way but ends the process
// when it is refused.
#define _DEFAULT_SOURCE // getrandom
#include "base/entropy.h"

#include <errno.h>
#include <stdint.h>
#include <sys/random.h>

static cachekit_status from_kernel(uint8_t *out, size_t len)
{
    while (len > 0) {
        ssize_t got = getrandom(out, len, 0);
        if (got > 0) {
            out += got;
            len -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return CACHEKIT_E_ENTROPY;
        }
    }
    return CACHEKIT_OK;
}

cachekit_status cki_random(const cachekit_entropy *entropy, void *out, size_t len)
{
    if (entropy != NULL) {
        return entropy->fill(entropy->context, out, len) == CACHEKIT_OK ? CACHEKIT_OK
                                                                        : CACHEKIT_E_ENTROPY;
    }
    return from_kernel(out, len);
}
