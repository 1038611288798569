// SPDX-License-Identifier: MIT
// Cells against the rule as it is written, edges of decades on both sides of each, rank bands
// against tables of the binomial distribution.
#include <criterion/criterion.h>

#include <math.h>

#include "stats/terrain_cells.h"

Test(terrain_cells, hold_what_the_rule_says)
{
    for (unsigned cell = 0; cell < TERRAIN_CELLS; cell++) {
        uint64_t first = terrain_cell_first(cell), last = terrain_cell_last(cell);
        cr_assert_eq(terrain_cell_of(first), cell);
        cr_assert_eq(terrain_cell_of(last), cell);
        cr_assert(cell == 0 || terrain_cell_last(cell - 1) + 1 == first, "cell %u", cell);
        cr_assert(first < 64 ? last == first : (last - first + 1) * 32 <= first, "cell %u", cell);
    }
    // 2^44 ns and more go into the last one.
    cr_assert_eq(terrain_cell_last(TERRAIN_CELLS - 1), (UINT64_C(1) << 44) - 1);
    cr_assert_eq(terrain_cell_of(UINT64_MAX), TERRAIN_CELLS - 1);
    cr_assert_eq(terrain_cell_of(1000), 32 * 5 + 30); // 512 + 30 * 16 = 992
}

Test(terrain_cells, bins_change_at_their_edges)
{
    for (int bin = 0; bin < TERRAIN_BINS; bin++) {
        uint64_t edge = (uint64_t)ceill(100.0L * powl(10.0L, (long double)bin / 16.0L) - 1e-9L);
        cr_assert_eq(terrain_bin_of(edge), bin, "edge %d", bin);
        cr_assert_eq(terrain_bin_of(edge - 1), bin - 1, "below edge %d", bin);
    }
    cr_assert_eq(terrain_bin_of(0), -1);
    cr_assert_eq(terrain_bin_of(999999999), TERRAIN_BINS - 1);
    cr_assert_eq(terrain_bin_of(1000000000), TERRAIN_BINS);
}

Test(terrain_cells, ranks_are_the_nearest)
{
    static const struct {
        uint64_t n;
        unsigned permille;
        uint64_t rank;
    } rows[] = {{1, 500, 1},
                {2, 500, 1},
                {3, 500, 2},
                {100, 990, 99},
                {101, 990, 100},
                {200, 990, 198},
                {1000000007, 990, 990000007},
                {1, 990, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert_eq(terrain_rank(rows[i].n, rows[i].permille), rows[i].rank, "row %zu", i);
    }
    uint64_t counts[TERRAIN_CELLS] = {[5] = 2, [9] = 1};
    cr_assert_eq(terrain_cell_at(counts, 1), 5);
    cr_assert_eq(terrain_cell_at(counts, 2), 5);
    cr_assert_eq(terrain_cell_at(counts, 3), 9);
    cr_assert_eq(terrain_cell_at(counts, 4), TERRAIN_CELLS);
}

// Medians: the sign test's table of critical values (Conover, table A3: n = 100 gives ranks 40 and
// 61). For p99 of 100 and of 200 samples no rank is high enough: 0.99^200 = 0.134.
Test(terrain_cells, bands_are_those_of_the_binomial)
{
    static const struct {
        uint64_t n;
        unsigned permille;
        uint64_t low, high;
    } rows[] = {{100, 500, 40, 61}, {20, 500, 6, 15},     {5, 500, 0, 0},    {6, 500, 1, 6},
                {100, 990, 97, 0},  {368, 990, 360, 368}, {367, 990, 359, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t low, high;
        terrain_rank_band(rows[i].n, rows[i].permille, &low, &high);
        cr_assert(low == rows[i].low && high == rows[i].high, "row %zu: %d %d", i, (int)low,
                  (int)high);
    }
}
