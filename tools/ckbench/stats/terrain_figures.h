// SPDX-License-Identifier: MIT
// What may be said of a layer's times, and how surely. Layer: stats.
#ifndef CKBENCH_TERRAIN_FIGURES_H
#define CKBENCH_TERRAIN_FIGURES_H

#include "stats/terrain_recording.h"

// A quantile by nearest rank. `ns` -1: fewer than TERRAIN_FEW samples, nothing is said. A band
// stands below TERRAIN_MANY samples; `low_ns`, `high_ns` -1: no bound on that side.
struct terrain_quantile {
    int64_t ns;
    bool has_band;
    int64_t low_ns, high_ns;
};

// `counts` are the summed cells of the row and time that `exact` is of.
struct terrain_quantile terrain_quantile_of(const struct terrain_exact *exact, unsigned permille,
                                            const uint64_t *counts);

struct terrain_share {
    int64_t calls_ppm, time_ppm; // of all calls, and of the time that calls took
};
struct terrain_share terrain_share_of(const struct terrain_recording *recording, size_t row);

#endif
