// SPDX-License-Identifier: MIT
// What a host can tell, from one long experiment that is cut into many of the usual size. Layer:
// stats.
#ifndef CKBENCH_AB_CALIBRATE_H
#define CKBENCH_AB_CALIBRATE_H

#include "stats/ab_judge.h"

enum { AB_CUT_BLOCKS = 30 };

struct ab_calibration {
    size_t cell, arm;
    double truth;       // logarithm of what was put in, 0 for the base again
    size_t experiments; // disjoint
    size_t found;       // with p under 5 %
    size_t covered;     // whose 95 % interval holds the truth
    double spread;      // of pairs: winsorised deviation, in standard deviations of a normal
    double half_width;  // mean of the intervals'
    double later;       // of two base processes the later one over the earlier, and its interval
    double later_low, later_high;
    double pair_us;          // CPU time of two whole processes
    double blocks_needed[3]; // for 2, 1 and 0.5 %
};

extern const double ab_calibrate_effects[3];

// `work` has room for all blocks. False: fewer blocks than one experiment takes.
bool ab_calibrate(const struct ab_experiment *experiment, size_t cell, size_t arm,
                  const struct ab_work *work, struct ab_calibration *out);

#endif
