// SPDX-License-Identifier: MIT
// Both sides are drawn a thousand times, each by itself; the ratios of the draws, sorted, give the
// band. Neighbouring slices are one block where there are many.
#include "stats/terrain_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/terrain_cells.h"

enum { BLOCKS_MAX = 100, QUANTILES = 2 };

static const unsigned permilles[QUANTILES] = {500, 990};

struct side {
    size_t block_count, cell_count;
    uint16_t cells[TERRAIN_CELLS];     // those in use, ascending
    uint32_t (*counts)[TERRAIN_CELLS]; // by block and place in `cells`
    double draws[QUANTILES][TERRAIN_DRAWS];
};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static bool fill_side(struct side *side, const struct terrain_layer *layer, enum terrain_time time)
{
    const struct terrain_recording *r = layer->recording;
    const size_t row = layer->row;
    uint64_t sums[TERRAIN_CELLS];
    uint16_t places[TERRAIN_CELLS] = {0};
    terrain_sum_cells(r, row, time, sums);
    side->cell_count = 0;
    for (unsigned cell = 0; cell < TERRAIN_CELLS; cell++) {
        if (sums[cell] > 0) {
            places[cell] = (uint16_t)side->cell_count;
            side->cells[side->cell_count++] = (uint16_t)cell;
        }
    }
    side->block_count = r->slice_count < BLOCKS_MAX ? r->slice_count : BLOCKS_MAX;
    side->counts = calloc(side->block_count + 1, sizeof *side->counts);
    for (size_t i = 0; side->counts != NULL && i < r->slice_count; i++) {
        const struct terrain_slice *slice = &r->slices[i];
        size_t block = i * side->block_count / r->slice_count;
        for (size_t c = slice->first_cell; c < slice->first_cell + slice->cell_count; c++) {
            const struct terrain_cell *cell = &r->cells[c];
            if (cell->row == row && cell->time == time) {
                side->counts[block][places[cell->cell]] += cell->count;
            }
        }
    }
    return side->counts != NULL;
}

static double middle_of(unsigned cell)
{
    return (double)(terrain_cell_first(cell) + terrain_cell_last(cell)) / 2.0;
}

// One draw of as many blocks as there are.
static void draw(struct side *side, size_t number, uint64_t *random)
{
    uint64_t sums[TERRAIN_CELLS] = {0}, n = 0;
    for (size_t i = 0; i < side->block_count; i++) {
        const uint32_t *counts = side->counts[next_random(random) % side->block_count];
        for (size_t c = 0; c < side->cell_count; c++) {
            sums[c] += counts[c];
        }
    }
    for (size_t c = 0; c < side->cell_count; c++) {
        n += sums[c];
    }
    for (size_t q = 0; q < QUANTILES; q++) {
        uint64_t rank = terrain_rank(n, permilles[q]);
        size_t at = 0;
        for (uint64_t below = sums[0]; below < rank && at + 1 < side->cell_count;) {
            below += sums[++at];
        }
        side->draws[q][number] = middle_of(side->cells[at]);
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The share of `ns` that one cell, or one step of the clock, is.
static double step_of(const struct terrain_recording *r, int64_t ns)
{
    unsigned cell = terrain_cell_of((uint64_t)ns);
    int64_t width = (int64_t)(terrain_cell_last(cell) - terrain_cell_first(cell) + 1);
    width = width > r->granule_ns ? width : r->granule_ns;
    return (double)width / (double)ns;
}

static void judge(struct terrain_ratio *ratio, double *draws, double level)
{
    size_t cut = (size_t)(level / 2.0 * TERRAIN_DRAWS);
    qsort(draws, TERRAIN_DRAWS, sizeof *draws, by_size);
    ratio->ratio = (double)ratio->b_ns / (double)ratio->a_ns;
    ratio->low = draws[cut] / (1.0 + ratio->step);
    ratio->high = draws[TERRAIN_DRAWS - 1 - cut] * (1.0 + ratio->step);
    ratio->verdict = ratio->low > 1.0    ? TERRAIN_SLOWER
                     : ratio->high < 1.0 ? TERRAIN_FASTER
                                         : TERRAIN_ALIKE;
}

static void compare_sides(struct side *a, struct side *b, double level,
                          struct terrain_ratio ratios[QUANTILES])
{
    uint64_t random = 1;
    for (size_t i = 0; i < TERRAIN_DRAWS; i++) {
        draw(a, i, &random);
        draw(b, i, &random);
    }
    for (size_t q = 0; q < QUANTILES; q++) {
        for (size_t i = 0; i < TERRAIN_DRAWS; i++) {
            b->draws[q][i] /= a->draws[q][i] > 0 ? a->draws[q][i] : 0.5;
        }
        if (ratios[q].a_ns > 0 && ratios[q].b_ns > 0) {
            judge(&ratios[q], b->draws[q], level);
        }
    }
}

bool terrain_compare(const struct terrain_layer *a, const struct terrain_layer *b,
                     enum terrain_time time, double level, struct terrain_ratio ratios[QUANTILES])
{
    const struct terrain_exact *x = &a->recording->exact[a->row][time],
                               *y = &b->recording->exact[b->row][time];
    memset(ratios, 0, QUANTILES * sizeof *ratios);
    if (x->n < TERRAIN_FEW || y->n < TERRAIN_FEW) {
        return true;
    }
    ratios[0].a_ns = x->p50_ns;
    ratios[0].b_ns = y->p50_ns;
    ratios[1].a_ns = x->p99_ns;
    ratios[1].b_ns = y->p99_ns;
    for (size_t q = 0; q < QUANTILES; q++) {
        if (ratios[q].a_ns > 0 && ratios[q].b_ns > 0) {
            ratios[q].step =
                fmax(step_of(a->recording, ratios[q].a_ns), step_of(b->recording, ratios[q].b_ns));
        }
    }
    struct side *sides = calloc(2, sizeof *sides);
    bool is_good = sides != NULL && fill_side(&sides[0], a, time) && fill_side(&sides[1], b, time);
    // Cells that are not there although samples are: the books say so, nothing is compared.
    if (is_good && sides[0].cell_count > 0 && sides[1].cell_count > 0) {
        compare_sides(&sides[0], &sides[1], level, ratios);
    }
    if (sides != NULL) {
        free(sides[0].counts);
        free(sides[1].counts);
    }
    free(sides);
    return is_good;
}
