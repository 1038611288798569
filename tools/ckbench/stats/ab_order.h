// SPDX-License-Identifier: MIT
// In which order the arms of a block run: squares of as many blocks as arms, in which each arm
// stands at each position once and follows each other arm about as often (Williams 1949), with arms
// and blocks relabelled at random. Layer: stats.
#ifndef CKBENCH_AB_ORDER_H
#define CKBENCH_AB_ORDER_H

#include <stddef.h>
#include <stdint.h>

enum { ORDER_ITEMS_MAX = 256 };

// SplitMix64 (Steele, Lea and Flood 2014).
uint64_t order_random(uint64_t *state);

// Numbers 0 to count - 1 in random order; count <= ORDER_ITEMS_MAX.
void order_shuffle(uint64_t *state, size_t count, size_t *out);

// The order of the arms in block `block` of `cell`; arms <= ORDER_ITEMS_MAX. Depends on its
// arguments alone.
void order_of_block(uint64_t seed, size_t cell, size_t block, size_t arms, size_t *out);

// The order of the cells in a block.
void order_of_cells(uint64_t seed, size_t block, size_t cells, size_t *out);

#endif
