// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/hash.h"

// xxHash 0.8's own sanity vectors: a fixed buffer, seed 0 and seed PRIME64_1.
Test(hash, agrees_with_the_published_vectors)
{
    static const uint64_t prime = UINT64_C(0x9e3779b185ebca8d);
    static const struct {
        size_t len;
        uint64_t plain;
        uint64_t seeded;
    } rows[] = {
        {0, UINT64_C(0x2d06800538d394c2), UINT64_C(0xa8a6b918b2f0364a)},
        {1, UINT64_C(0xc44bdff4074eecdb), UINT64_C(0x032be332dd766ef8)},
        {6, UINT64_C(0x27b56a84cd2d7325), UINT64_C(0x84589c116ab59ab9)},
        {12, UINT64_C(0xa713daf0dfbb77e7), UINT64_C(0xe7303e1b2336de0e)},
        {24, UINT64_C(0xa3fe70bf9d3510eb), UINT64_C(0x850e80fc35bdd690)},
        {256, UINT64_C(0x55de574ad89d0ac5), UINT64_C(0x4d30234b7a3aa61c)},
        {1024, UINT64_C(0xdd85c9b5c1109c5c), UINT64_C(0xef368a8a2ebabaef)},
    };
    uint8_t buffer[1024];
    uint64_t state = UINT64_C(2654435761);
    for (size_t i = 0; i < sizeof buffer; i++) {
        buffer[i] = (uint8_t)(state >> 56);
        state *= UINT64_C(11400714785074694797);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(eq(u64, cki_xxh3(buffer, rows[i].len), rows[i].plain), "%zu", rows[i].len);
        cr_assert(eq(u64, cki_xxh3_seeded(buffer, rows[i].len, prime), rows[i].seeded), "%zu",
                  rows[i].len);
        cr_assert(eq(u64, cki_xxh3_seeded(buffer, rows[i].len, 0), rows[i].plain));
    }
    cr_assert(eq(u64, cki_xxh3(NULL, 0), rows[0].plain));
}
