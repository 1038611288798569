// SPDX-License-Identifier: MIT
#include "tally_kit.h"

#include "seal/keyring.h"

_Static_assert(TALLY_ROTATE == CKI_TALLY_ROTATE && TALLY_MAX == CKI_TALLY_MAX, "the library's");

void tally_kit_set(cachekit_keyring *keyring, uint64_t sealed)
{
    atomic_store(&keyring->tally->sealed, sealed);
}
