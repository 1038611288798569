// SPDX-License-Identifier: MIT
// Recordings whose truth is known: equal laws are found alike, slower ones slower, and what hangs
// on the slice rather than on the call does not pass for news.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/terrain_cells.h"
#include "stats/terrain_compare.h"

enum { SLICES = 40, CALLS = 60, PAIRS = 60 };

static uint64_t state = 88172645463325252;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 0x1p53;
}

static double normal(void)
{
    return sqrt(-2.0 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Lognormal calls around `median_ns`; `wobble` is the sigma that all calls of a slice share.
static void make(struct terrain_recording *r, double median_ns, double wobble, size_t slices)
{
    static double all[SLICES * CALLS];
    size_t n = 0;
    terrain_recording_init(r);
    r->layer_count = 1;
    strcpy(r->layers[0], "l1");
    for (size_t s = 0; s < slices; s++) {
        const struct terrain_slice slice = {.end_ns = 1};
        double here = median_ns * exp(wobble * normal());
        cr_assert_not_null(terrain_add_slice(r, &slice));
        for (size_t i = 0; i < CALLS; i++) {
            double ns = here * exp(0.3 * normal());
            const struct terrain_cell cell = {(uint16_t)terrain_cell_of((uint64_t)ns), 0, 0, 1};
            cr_assert(terrain_add_cell(r, &cell));
            all[n++] = ns;
        }
    }
    qsort(all, n, sizeof all[0], by_size);
    r->exact[0][0].n = (int64_t)n;
    r->exact[0][0].p50_ns = (int64_t)all[terrain_rank(n, 500) - 1];
    r->exact[0][0].p99_ns = (int64_t)all[terrain_rank(n, 990) - 1];
}

// How many of PAIRS are found slower and faster, by median or tail.
static void count(double factor, double wobble, size_t found[4])
{
    memset(found, 0, 4 * sizeof *found);
    for (int pair = 0; pair < PAIRS; pair++) {
        struct terrain_recording a, b;
        struct terrain_ratio ratios[2];
        make(&a, 20000.0, wobble, SLICES);
        make(&b, 20000.0 * factor, wobble, SLICES);
        cr_assert(terrain_compare(&(struct terrain_layer){&a, 0}, &(struct terrain_layer){&b, 0},
                                  TERRAIN_SERVICE, 0.05, ratios));
        for (size_t q = 0; q < 2; q++) {
            cr_assert(ratios[q].low < ratios[q].high);
            found[ratios[q].verdict]++;
        }
        terrain_recording_release(&a);
        terrain_recording_release(&b);
    }
}

Test(terrain_compare, equal_laws_are_alike)
{
    size_t found[4];
    count(1.0, 0.0, found);
    cr_assert(found[TERRAIN_SLOWER] + found[TERRAIN_FASTER] <= 6, "%zu slower, %zu faster",
              found[TERRAIN_SLOWER], found[TERRAIN_FASTER]);
    // Calls of a slice move together: bands of single calls would cry wolf in most pairs.
    count(1.0, 0.2, found);
    cr_assert(found[TERRAIN_SLOWER] + found[TERRAIN_FASTER] <= 12, "%zu slower, %zu faster",
              found[TERRAIN_SLOWER], found[TERRAIN_FASTER]);
}

Test(terrain_compare, slower_is_slower_and_faster_faster)
{
    size_t found[4];
    count(1.3, 0.0, found);
    cr_assert(found[TERRAIN_SLOWER] >= 100 && found[TERRAIN_FASTER] == 0, "%zu",
              found[TERRAIN_SLOWER]);
    count(1.0 / 1.3, 0.0, found);
    cr_assert(found[TERRAIN_FASTER] >= 100 && found[TERRAIN_SLOWER] == 0, "%zu",
              found[TERRAIN_FASTER]);
}

Test(terrain_compare, one_cell_and_one_step_of_the_clock_are_no_difference)
{
    struct terrain_recording a, b;
    struct terrain_ratio ratios[2];
    for (int64_t granule = 1; granule <= 10; granule += 9) {
        int64_t far = granule == 1 ? 1 : 10; // one cell at 40 ns, then one step
        const struct terrain_slice slice = {.end_ns = 1};
        for (int side = 0; side < 2; side++) {
            struct terrain_recording *r = side == 0 ? &a : &b;
            int64_t ns = 40 + side * far;
            const struct terrain_cell cell = {(uint16_t)ns, 0, 0, 10};
            terrain_recording_init(r);
            r->layer_count = 1;
            r->granule_ns = granule;
            r->exact[0][0] = (struct terrain_exact){.n = 200, .p50_ns = ns, .p99_ns = ns};
            for (int s = 0; s < 20; s++) {
                (void)terrain_add_slice(r, &slice);
                (void)terrain_add_cell(r, &cell);
            }
        }
        cr_assert(terrain_compare(&(struct terrain_layer){&a, 0}, &(struct terrain_layer){&b, 0},
                                  TERRAIN_SERVICE, 0.05, ratios));
        cr_assert_eq(ratios[0].verdict, TERRAIN_ALIKE);
        terrain_recording_release(&a);
        terrain_recording_release(&b);
    }
}

Test(terrain_compare, too_few_calls_have_no_verdict)
{
    struct terrain_recording a, b;
    struct terrain_ratio ratios[2];
    make(&a, 20000.0, 0.0, SLICES);
    make(&b, 40000.0, 0.0, 1);
    cr_assert(terrain_compare(&(struct terrain_layer){&a, 0}, &(struct terrain_layer){&b, 0},
                              TERRAIN_SERVICE, 0.05, ratios));
    cr_assert_eq(ratios[0].verdict, TERRAIN_UNKNOWN);
    terrain_recording_release(&a);
    terrain_recording_release(&b);
}
