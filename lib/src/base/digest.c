// SPDX-License-Identifier: MIT
// libsodium documents 16 bytes as its least length and accepts 1 all the same; the tests hold
// it to that with other programs' digests of 2, 8, 16 and 32 bytes. It has to be started once,
// which picks the code for this CPU; asking it again each time would take its lock.
#include "base/digest.h"

#include <stdatomic.h>
#include <stdbool.h>

#include <sodium.h>

bool cki_sodium_is_started(void)
{
    static atomic_bool started;
    if (atomic_load_explicit(&started, memory_order_acquire)) {
        return true;
    }
    bool starts = sodium_init() >= 0;
    if (starts) {
        atomic_store_explicit(&started, true, memory_order_release);
    }
    return starts;
}

// Before there are threads: a child that is forked while one of them starts libsodium would find
// its lock taken for ever.
__attribute__((constructor)) static void start_early(void)
{
    (void)cki_sodium_is_started();
}

cachekit_status cki_blake2b(const void *data, size_t size, uint8_t *digest, size_t len)
{
    if (len < 1 || len > CKI_DIGEST_MAX || !cki_sodium_is_started()) {
        return CACHEKIT_E_INVALID;
    }
    if (crypto_generichash(digest, len, data, size, NULL, 0) != 0) {
        return CACHEKIT_E_INVALID;
    }
    return CACHEKIT_OK;
}
