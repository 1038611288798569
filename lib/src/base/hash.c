// SPDX-License-Identifier: MIT
// The only place that calls xxHash.
#include "base/hash.h"

#include <xxhash.h>

uint64_t cki_xxh3(const void *data, size_t len)
{
    return XXH3_64bits(data, len);
}

uint64_t cki_xxh3_seeded(const void *data, size_t len, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, len, seed);
}
