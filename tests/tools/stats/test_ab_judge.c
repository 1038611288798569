// SPDX-License-Identifier: MIT
// Orders of arms, and verdicts of whole experiments whose truth was put in.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "stats/ab_calibrate.h"
#include "stats/ab_judge.h"
#include "stats/ab_order.h"

enum { ARMS_MOST = 7, BLOCKS = 30, CELLS = 2, ARMS = 4 };

Test(order, every_arm_stands_at_every_position_once_in_a_square)
{
    for (size_t arms = 2; arms <= ARMS_MOST; arms++) {
        for (uint64_t seed = 1; seed <= 20; seed++) {
            unsigned seen[ARMS_MOST][ARMS_MOST] = {{0}};
            for (size_t block = 3 * arms; block < 4 * arms; block++) {
                size_t order[ORDER_ITEMS_MAX];
                order_of_block(seed, 5, block, arms, order);
                for (size_t i = 0; i < arms; i++) {
                    seen[i][order[i]]++;
                }
            }
            for (size_t i = 0; i < arms * arms; i++) {
                cr_assert(seen[i / arms][i % arms] == 1, "%zu arms, seed %d", arms, (int)seed);
            }
        }
    }
}

// For an even number of arms each one also follows each other once.
Test(order, nobody_always_follows_the_same)
{
    unsigned follows[4][4] = {{0}};
    for (size_t block = 0; block < 4; block++) {
        size_t order[ORDER_ITEMS_MAX];
        order_of_block(9, 0, block, 4, order);
        for (size_t i = 1; i < 4; i++) {
            follows[order[i - 1]][order[i]]++;
        }
    }
    for (size_t i = 0; i < 16; i++) {
        cr_assert(follows[i / 4][i % 4] == (i / 4 != i % 4));
    }
}

Test(order, seed_cell_and_square_change_the_order_and_nothing_else_does)
{
    size_t a[ORDER_ITEMS_MAX], b[ORDER_ITEMS_MAX];
    unsigned by_seed = 0, by_cell = 0, by_square = 0;
    for (size_t i = 0; i < 50; i++) {
        order_of_block(i, 0, 0, 5, a);
        order_of_block(i, 0, 0, 5, b);
        cr_assert(memcmp(a, b, 5 * sizeof *a) == 0);
        order_of_block(i + 1, 0, 0, 5, b);
        by_seed += memcmp(a, b, 5 * sizeof *a) != 0;
        order_of_block(i, 1, 0, 5, b);
        by_cell += memcmp(a, b, 5 * sizeof *a) != 0;
        order_of_block(i, 0, 5, 5, b);
        by_square += memcmp(a, b, 5 * sizeof *a) != 0;
    }
    cr_assert(by_seed > 40 && by_cell > 40 && by_square > 40);
}

static struct ab_cell cells[CELLS];
static struct ab_sample samples[(BLOCKS + 1) * CELLS * ARMS];
static struct ab_row rows[CELLS * (ARMS - 1)];
static double numbers[4 * BLOCKS], p[CELLS * (ARMS - 1)];
static size_t order[CELLS * (ARMS - 1)];

// Cost in thousandths of the base's, by arm and cell; a wobble of one per cent that arms share in a
// block, and one of a thousandth that they do not.
static struct ab_experiment make(const int64_t cost[ARMS][CELLS])
{
    struct ab_experiment e = {.arm_count = ARMS,
                              .cells = cells,
                              .cell_count = CELLS,
                              .seed = 3,
                              .blocks = BLOCKS + 1,
                              .samples = samples};
    uint64_t state = 11;
    for (size_t block = 0; block <= BLOCKS; block++) {
        int64_t shared = (int64_t)(order_random(&state) % 20000);
        for (size_t i = 0; i < CELLS * ARMS; i++) {
            size_t cell = i / ARMS, arm = i % ARMS;
            int64_t own = (int64_t)(order_random(&state) % 2000);
            int64_t ns = cost[arm][cell] * (1000000 + shared + own) / 1000;
            *ab_at(&e, block, cell, arm) = (struct ab_sample){.is_there = true,
                                                              .cpu_ns = ns,
                                                              .whole_cpu_us = ns / 1000 + 1000,
                                                              .minor_faults = 12 * (int64_t)arm,
                                                              .peak_rss_kib = 1000,
                                                              .whole_peak_rss_kib = 2000,
                                                              .spawner_peak_rss_kib = 1900};
            cells[cell].calls = 12;
        }
    }
    return e;
}

static bool judge(const struct ab_experiment *e, struct ab_verdicts *v)
{
    const struct ab_policy policy = {0.01, 0.05, 0.01, 1, BLOCKS};
    const struct ab_work work = {numbers, numbers + BLOCKS, numbers + 2 * BLOCKS,
                                 numbers + 3 * BLOCKS};
    v->rows = rows;
    return ab_judge(e, &policy, &work, p, order, v);
}

static const int64_t truth[ARMS][CELLS] = {{1000, 1000}, {1000, 1000}, {1050, 900}, {1004, 1000}};

Test(ab_judge, what_was_put_in_is_what_is_said)
{
    struct ab_verdicts v;
    struct ab_experiment e = make(truth);
    cr_assert(judge(&e, &v) && v.row_count == CELLS * (ARMS - 1) && v.lost_blocks == 0);
    cr_assert(v.rows[1].verdict == PAIRED_SLOWER && v.rows[4].verdict == PAIRED_FASTER);
    cr_assert(v.rows[2].verdict == PAIRED_TRIVIAL && v.rows[5].verdict == PAIRED_SAME);
    cr_assert(v.is_slower && !v.is_unfit && !v.is_open);
    cr_assert(v.rows[1].loop.low < log(1.05) && log(1.05) < v.rows[1].loop.high);
    cr_assert(fabs(v.rows[1].loop.effect - log(1.05)) < 0.001);
    // The whole process is as much larger as its start costs, so the same change is half of it.
    cr_assert(fabs(v.rows[1].whole.effect - log(1.025)) < 0.001);
    cr_assert(v.rows[1].arm_faults.low == 24 && v.rows[1].arm_faults.high == 24);
    cr_assert(v.rows[1].base_faults.states == 1 && v.rows[1].is_floored);
}

Test(ab_judge, a_base_that_differs_from_itself_makes_the_host_unfit)
{
    static const int64_t odd[ARMS][CELLS] = {
        {1000, 1000}, {1000, 1020}, {1000, 1000}, {1000, 1000}};
    struct ab_verdicts v;
    struct ab_experiment e = make(odd);
    cr_assert(judge(&e, &v) && v.is_unfit);
}

Test(ab_judge, the_first_block_and_incomplete_ones_are_left_out)
{
    struct ab_verdicts v;
    struct ab_experiment e = make(truth);
    ab_at(&e, 0, 0, 2)->cpu_ns *= 1000;
    ab_at(&e, 7, 1, 3)->is_there = false;
    ab_at(&e, 7, 0, 2)->minor_faults = 99999;
    cr_assert(judge(&e, &v) && v.lost_blocks == 1 && v.rows[1].blocks == BLOCKS - 1);
    cr_assert(v.rows[1].arm_faults.high == 24 && v.rows[1].loop.mean < log(1.06));
    for (size_t block = 1; block <= BLOCKS - 5; block++) {
        ab_at(&e, block, 0, 0)->is_there = false;
    }
    cr_assert(!judge(&e, &v));
}

Test(ab_judge, a_minority_of_slow_processes_is_a_tail)
{
    struct ab_verdicts v;
    struct ab_experiment e = make(truth);
    cr_assert(judge(&e, &v) && !v.rows[1].loop.has_tail && !v.rows[2].loop.has_tail);
    for (size_t block = 1; block <= BLOCKS; block += 5) {
        ab_at(&e, block, 0, 3)->cpu_ns *= 2;
    }
    cr_assert(judge(&e, &v) && v.rows[2].loop.has_tail && !v.rows[1].loop.has_tail);
    cr_assert(fabs(v.rows[2].loop.effect) < 0.01 && v.rows[2].loop.mean > 0.1);
}

// What is put in is known: 4 more calls of 1,000, and a second process that costs half a per cent.
// A third is slow: too many for the trimmed mean to leave out, so it does not disagree with the
// mean.
Test(ab_judge, a_larger_minority_is_a_tail_too)
{
    struct ab_verdicts v;
    struct ab_experiment e = make(truth);
    for (size_t block = 1; block <= BLOCKS; block += 3) {
        ab_at(&e, block, 0, 3)->cpu_ns *= 2;
    }
    cr_assert(judge(&e, &v) && v.rows[2].loop.has_tail);
}

Test(ab_calibrate, truth_coverage_and_position_are_those_put_in)
{
    struct ab_calibration c;
    struct ab_experiment e = make(truth);
    const struct ab_work work = {numbers, numbers + BLOCKS, numbers + 2 * BLOCKS,
                                 numbers + 3 * BLOCKS};
    cells[0].calls = cells[1].calls = 1000;
    e.arms[3].injected_ppm = 4000;
    for (size_t block = 1; block <= BLOCKS; block++) {
        ab_at(&e, block, 1, block % 2)->position = 1;
        ab_at(&e, block, 1, block % 2)->cpu_ns += 5000;
    }
    cr_assert(ab_calibrate(&e, 0, 3, &work, &c));
    cr_assert(c.experiments == 1 && c.found == 1 && c.covered == 1);
    cr_assert(fabs(c.truth - log(1.004)) < 1e-12 && fabs(c.pair_us - 4014.0) < 20.0);
    cr_assert(ab_calibrate(&e, 0, 2, &work, &c) && c.covered == 0 && c.truth == 0.0);
    cr_assert(ab_calibrate(&e, 0, AB_AA, &work, &c) && c.found == 0 && c.covered == 1);
    cr_assert(ab_calibrate(&e, 1, AB_AA, &work, &c));
    cr_assert(c.later_low < 0.00495 && 0.00495 < c.later_high && c.later_low > 0.004);
    // Deviation 0.08 %: a normal one would need so many blocks.
    double sd = c.spread, needed = (1.959964 + 0.841621) * sd / log1p(0.01);
    cr_assert(c.blocks_needed[1] == ceil(needed * needed));
    ab_at(&e, 1, 0, 0)->is_there = false;
    cr_assert(!ab_calibrate(&e, 0, 3, &work, &c));
}

Test(ab_judge, another_digest_is_found)
{
    struct ab_experiment e = make(truth);
    cr_assert(ab_find_unlike(&e) == CELLS);
    (void)strcpy(ab_at(&e, BLOCKS, 1, 2)->digest, "aa");
    cr_assert(ab_find_unlike(&e) == 1);
}

// Against what an estimate of blocks that all agree comes to.
Test(paired_least, it_is_the_p_of_blocks_that_all_agree)
{
    for (size_t n = PAIRED_MIN; n <= 10; n++) {
        double values[10], work[10];
        const struct paired_settings settings = {0.01, 0.05, n, 1};
        struct paired_estimate e;
        for (size_t i = 0; i < n; i++) {
            values[i] = 0.1 + 0.001 * (double)(i * i);
        }
        paired_estimate(values, n, &settings, work, &e);
        double error = sqrt(paired_least_p(n) / PAIRED_FLIPS);
        cr_assert(fabs(e.p - paired_least_p(n)) < 4 * error + 1e-4, "%zu: %f", n, e.p);
    }
    cr_assert(paired_least_p(30) == 1.0 / (1 + PAIRED_FLIPS));
}
