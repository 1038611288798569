// SPDX-License-Identifier: MIT
// The quantile is exact, its band is read from the cells: outwards, so that it is never too narrow.
#include "stats/terrain_figures.h"

#include "stats/terrain_cells.h"

enum { MILLION = 1000000 };
__extension__ typedef __int128 wide;

struct terrain_quantile terrain_quantile_of(const struct terrain_exact *exact, unsigned permille,
                                            const uint64_t *counts)
{
    struct terrain_quantile q = {-1, false, -1, -1};
    uint64_t low, high;
    if (exact->n < TERRAIN_FEW) {
        return q;
    }
    q.ns = permille == 500 ? exact->p50_ns : exact->p99_ns;
    if (exact->n < TERRAIN_MANY) {
        terrain_rank_band((uint64_t)exact->n, permille, &low, &high);
        unsigned low_cell = low > 0 ? terrain_cell_at(counts, low) : TERRAIN_CELLS;
        unsigned high_cell = high > 0 ? terrain_cell_at(counts, high) : TERRAIN_CELLS;
        q.has_band = true;
        q.low_ns = low_cell < TERRAIN_CELLS ? (int64_t)terrain_cell_first(low_cell) : -1;
        q.high_ns = high_cell < TERRAIN_CELLS ? (int64_t)terrain_cell_last(high_cell) : -1;
    }
    return q;
}

struct terrain_share terrain_share_of(const struct terrain_recording *r, size_t row)
{
    wide calls = 0, time = 0;
    for (size_t i = 0; i <= r->layer_count; i++) {
        calls += r->exact[i][TERRAIN_SERVICE].n;
        time += r->exact[i][TERRAIN_SERVICE].sum_ns;
    }
    const struct terrain_exact *exact = &r->exact[row][TERRAIN_SERVICE];
    return (struct terrain_share){calls > 0 ? (int64_t)((wide)exact->n * MILLION / calls) : 0,
                                  time > 0 ? (int64_t)((wide)exact->sum_ns * MILLION / time) : 0};
}
