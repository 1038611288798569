// SPDX-License-Identifier: MIT
// Sets how many messages a keyring's current key has sealed: nobody waits for 2^31. In a file of
// its own, since two rooms of the library have a name in common.
#ifndef TESTS_TALLY_KIT_H
#define TESTS_TALLY_KIT_H

#include <cachekit/seal.h>

#define TALLY_ROTATE ((uint64_t)1 << 31)
#define TALLY_MAX    (((uint64_t)1 << 32) - 1)

void tally_kit_set(cachekit_keyring *keyring, uint64_t sealed);

#endif
