// SPDX-License-Identifier: MIT
// A quantile of a layer in two recordings. Calls of one slice are not independent, so whole slices
// are drawn again, with replacement (Kuensch 1989, blocks of neighbours). Layer: stats.
#ifndef CKBENCH_TERRAIN_COMPARE_H
#define CKBENCH_TERRAIN_COMPARE_H

#include "stats/terrain_recording.h"

enum { TERRAIN_SLICES_LEAST = 20, TERRAIN_DRAWS = 1000 };

enum terrain_verdict {
    TERRAIN_UNKNOWN, // fewer than 100 calls on a side, or a quantile of 0 ns
    TERRAIN_ALIKE,   // the band holds 1
    TERRAIN_SLOWER,
    TERRAIN_FASTER
};

// B over A. The band is widened on both sides by `step`, the share of the quantile that one cell or
// one step of the clock is, whichever is more.
struct terrain_ratio {
    enum terrain_verdict verdict;
    int64_t a_ns, b_ns;
    double ratio, low, high, step;
};

struct terrain_layer {
    const struct terrain_recording *recording;
    size_t row;
};

// p50 and p99 of a layer in two recordings; `level` is the chance that a band misses, two-sided.
// False: no memory.
bool terrain_compare(const struct terrain_layer *a, const struct terrain_layer *b,
                     enum terrain_time time, double level, struct terrain_ratio ratios[2]);

#endif
