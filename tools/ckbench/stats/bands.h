// SPDX-License-Identifier: MIT
// Figures of independent runs: a run is the unit, what is inside one is not. Layer: stats.
#ifndef CKBENCH_BANDS_H
#define CKBENCH_BANDS_H

#include <stddef.h>
#include <stdint.h>

struct band {
    double middle, low, high;
    double df;
};

// Sorts.
double median_of(double *values, size_t n);

// The smallest value with at least the share `p` of all at or below it; `sorted`, n >= 1.
double nearest_rank(const double *sorted, size_t n, double p);

// Mean of n >= 2 runs and Student's interval around it at the two-sided level.
struct band band_of(const double *runs, size_t n, double level);

// Difference of means b - a with Welch's interval (Welch 1947; degrees of freedom by
// Satterthwaite).
struct band band_welch(const double *a, size_t a_count, const double *b, size_t b_count,
                       double level);

#endif
