// SPDX-License-Identifier: MIT
// The cells that times are counted in, and what counts in cells say. Layer: stats.
//
// Cell v holds v ns below 64; for 2^e <= v < 2^(e+1), e from 6 to 43, the cell is
// 32 * (e - 4) + floor((v - 2^e) / 2^(e - 5)). The last cell also holds all that is longer.
#ifndef CKBENCH_TERRAIN_CELLS_H
#define CKBENCH_TERRAIN_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TERRAIN_CELLS = 1280, TERRAIN_BINS = 112, TERRAIN_FEW = 100, TERRAIN_MANY = 2000 };

unsigned terrain_cell_of(uint64_t ns);
uint64_t terrain_cell_first(unsigned cell);
uint64_t terrain_cell_last(unsigned cell);

// The cell of the value at `rank` (from 1) of all that was counted; TERRAIN_CELLS: there are fewer.
unsigned terrain_cell_at(const uint64_t counts[TERRAIN_CELLS], uint64_t rank);

// Nearest rank: the smallest r with r >= permille * n / 1000, at least 1.
uint64_t terrain_rank(uint64_t n, unsigned permille);

// Ranks between which the true quantile lies with a chance of at least 95 %, whatever the
// distribution (order statistics, binomial). Both are ranks of 1 to n; `*low` 0: no lower bound,
// `*high` 0: no upper bound. n up to TERRAIN_MANY.
void terrain_rank_band(uint64_t n, unsigned permille, uint64_t *low, uint64_t *high);

// 16 bins per decade from 100 ns to 1 s: bin b holds 100 * 10^(b/16) <= ns < 100 * 10^((b+1)/16).
// -1: shorter; TERRAIN_BINS: 1 s or longer.
int terrain_bin_of(uint64_t ns);

// The bin that the middle of the cell lies in.
int terrain_bin_of_cell(unsigned cell);

#endif
