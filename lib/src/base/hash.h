// SPDX-License-Identifier: MIT
// XXH3, the library's one hash of bytes. Not for keys that an attacker chooses, unless seeded.
#ifndef CKI_HASH_H
#define CKI_HASH_H

#include <stddef.h>
#include <stdint.h>

// XXH3-64 with seed 0; `data` may be NULL when `len` is 0.
uint64_t cki_xxh3(const void *data, size_t len);

// The same with a seed, for tables whose keys strangers choose: the seed must be random.
uint64_t cki_xxh3_seeded(const void *data, size_t len, uint64_t seed);

#endif
