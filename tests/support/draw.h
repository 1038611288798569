// SPDX-License-Identifier: MIT
// The random numbers of tests that can be replayed from their seed: SplitMix64 (Steele, Lea and
// Flood 2014).
#ifndef TESTS_DRAW_H
#define TESTS_DRAW_H

#include <stdint.h>

static inline uint64_t draw_from(uint64_t *state, uint64_t below)
{
    *state += 0x9e3779b97f4a7c15U;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % below;
}

#endif
