// SPDX-License-Identifier: MIT
#include "stats/ab_calibrate.h"

#include <math.h>

#include "stats/quantile.h"

static const double LEVEL = 0.05, POWER = 0.8;
const double ab_calibrate_effects[3] = {0.02, 0.01, 0.005};

// All blocks but block 0 as one experiment.
static struct ab_policy all_of(const struct ab_experiment *e)
{
    return (struct ab_policy){.margin = 0.01, .level = LEVEL, .first = 1, .blocks = e->blocks - 1};
}

static void cut(const double *ratios, size_t n, uint64_t seed, double *spare,
                struct ab_calibration *out)
{
    for (size_t at = 0; at + AB_CUT_BLOCKS <= n; at += AB_CUT_BLOCKS) {
        const struct paired_settings settings = {0.01, LEVEL, seed + at, 1};
        struct paired_estimate estimate;
        paired_estimate(ratios + at, AB_CUT_BLOCKS, &settings, spare, &estimate);
        out->experiments++;
        out->found += estimate.p < LEVEL;
        out->covered += estimate.low <= out->truth && out->truth <= estimate.high;
        out->half_width += (estimate.high - estimate.low) / 2.0;
    }
    out->half_width /= (double)out->experiments;
}

// The base's two processes by the order in which they ran.
static void note_position(const struct ab_experiment *e, const struct ab_policy *policy,
                          size_t cell, const struct ab_work *work, struct ab_calibration *out)
{
    size_t n = 0;
    struct paired_estimate estimate;
    const struct paired_settings settings = {0.01, LEVEL, 1, 1};
    size_t count = ab_ratios(e, policy, cell, AB_BASE, AB_AA, work->base);
    for (size_t block = 1; block < e->blocks && n < count; block++) {
        if (ab_is_complete(e, block)) {
            bool is_later =
                ab_at(e, block, cell, AB_AA)->position > ab_at(e, block, cell, AB_BASE)->position;
            work->base[n] = is_later ? work->base[n] : -work->base[n];
            n++;
        }
    }
    paired_estimate_interval(work->base, n, &settings, work->spare, &estimate);
    out->later = estimate.effect;
    out->later_low = estimate.low;
    out->later_high = estimate.high;
}

static double pair_cost_us(const struct ab_experiment *e, size_t cell, size_t arm)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t block = 1; block < e->blocks; block++) {
        if (ab_is_complete(e, block)) {
            sum += (double)(ab_at(e, block, cell, AB_BASE)->whole_cpu_us +
                            ab_at(e, block, cell, arm)->whole_cpu_us);
            count++;
        }
    }
    return count > 0 ? sum / (double)count : 0.0;
}

bool ab_calibrate(const struct ab_experiment *e, size_t cell, size_t arm,
                  const struct ab_work *work, struct ab_calibration *out)
{
    struct paired_estimate whole;
    const struct ab_policy policy = all_of(e);
    const struct paired_settings settings = {policy.margin, LEVEL, 1, 1};
    *out = (struct ab_calibration){.cell = cell, .arm = arm};
    size_t n = ab_ratios(e, &policy, cell, AB_BASE, arm, work->ratios);
    if (n < AB_CUT_BLOCKS) {
        return false;
    }
    out->truth = log((double)ab_calls_of(e, cell, arm) / (double)e->cells[cell].calls);
    cut(work->ratios, n, e->seed, work->spare, out);
    paired_estimate_interval(work->ratios, n, &settings, work->spare, &whole);
    out->spread = whole.error * sqrt((double)n);
    for (size_t i = 0; i < 3; i++) {
        double ratio = (normal_point(1.0 - LEVEL / 2.0) + normal_point(POWER)) * out->spread /
                       log1p(ab_calibrate_effects[i]);
        out->blocks_needed[i] = ceil(ratio * ratio);
    }
    out->pair_us = pair_cost_us(e, cell, arm);
    note_position(e, &policy, cell, work, out);
    return true;
}
