// SPDX-License-Identifier: MIT
// Random 96-bit nonces under one key repeat with a chance of 2^-33 by 2^32 messages; hence the
// bound. Counts are found by fingerprint, so that no key has to be kept. Chains only grow and take
// no lock, for the sake of children of fork.
#include "seal/tally.h"

#include <string.h>

#include "base/alloc.h"

enum { CHAINS = 256 };

static _Atomic(struct cki_tally *) chains[CHAINS];

static struct cki_tally *find(struct cki_tally *from, const struct cki_tally *until,
                              const uint8_t *fingerprint)
{
    for (; from != until; from = from->next) {
        if (memcmp(from->fingerprint, fingerprint, CKI_FINGERPRINT_BYTES) == 0) {
            return from;
        }
    }
    return NULL;
}

struct cki_tally *cki_tally_of(const uint8_t fingerprint[CKI_FINGERPRINT_BYTES])
{
    _Atomic(struct cki_tally *) *chain = &chains[fingerprint[0]];
    struct cki_tally *first = atomic_load(chain);
    struct cki_tally *tally = find(first, NULL, fingerprint);
    if (tally != NULL) {
        return tally;
    }
    // Outlives every keyring, so it cannot come from a keyring's allocator.
    struct cki_tally *made = cki_alloc(NULL, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    memcpy(made->fingerprint, fingerprint, CKI_FINGERPRINT_BYTES);
    atomic_init(&made->sealed, 0);
    made->next = first;
    while (!atomic_compare_exchange_weak(chain, &first, made)) {
        tally = find(first, made->next, fingerprint); // what others put in front meanwhile
        if (tally != NULL) {
            cki_free(NULL, made, sizeof *made);
            return tally;
        }
        made->next = first;
    }
    return made;
}

cachekit_status cki_tally_add(struct cki_tally *tally)
{
    uint64_t sealed = atomic_load_explicit(&tally->sealed, memory_order_relaxed);
    do {
        if (sealed >= CKI_TALLY_MAX) {
            return CACHEKIT_E_EXHAUSTED;
        }
    } while (!atomic_compare_exchange_weak_explicit(&tally->sealed, &sealed, sealed + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    return sealed + 1 >= CKI_TALLY_ROTATE ? CACHEKIT_ROTATE : CACHEKIT_OK;
}
