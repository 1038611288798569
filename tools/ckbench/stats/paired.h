// SPDX-License-Identifier: MIT
// What pairs of runs say of a difference: one log ratio per block, candidate over base. Layer:
// stats.
//
// The estimate is the 20 % trimmed mean with the winsorised standard error (Tukey and McLaughlin
// 1963; Yuen 1974); beside it stands the plain mean, which sees what the trimmed one is blind to:
// runs that are slow in a minority of processes. p is by sign flips (arms relabelled within
// blocks).
#ifndef CKBENCH_PAIRED_H
#define CKBENCH_PAIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAIRED_MIN = 6, PAIRED_FLIPS = 9999 };

enum paired_verdict {
    PAIRED_FASTER,
    PAIRED_SLOWER,
    PAIRED_TRIVIAL, // a difference, and all of its interval within the margin
    PAIRED_SAME,    // the 90 % interval lies within the margin
    PAIRED_INCONCLUSIVE
};

struct paired_settings {
    double margin;    // 0.01: one percent
    double level;     // two-sided, 0.05
    uint64_t seed;    // of the flips
    size_t flip_size; // blocks that are relabelled together; 1: each by itself
};

// Logarithms, but for the last three.
struct paired_estimate {
    size_t n;
    double effect, low, high; // trimmed mean and its interval
    double error, df;
    double mean, mean_low, mean_high; // plain
    double narrow_low, narrow_high;   // the 90 % interval, for `same`
    bool has_tail;                    // the two disagree
    double p;
    double mde; // smallest effect that would be found in 80 % of such runs, as a ratio - 1
    double blocks_needed; // for an effect of the margin
};

// `values`, n log ratios, n >= PAIRED_MIN, are sorted for the time of the call only: `work` has
// room for as many.
void paired_estimate(const double *values, size_t n, const struct paired_settings *s, double *work,
                     struct paired_estimate *out);

// The same without p, which takes the time.
void paired_estimate_interval(const double *values, size_t n, const struct paired_settings *s,
                              double *work, struct paired_estimate *out);

// The smallest p that n blocks can show: with all of one sign, flips of those that are trimmed away
// at the near end do not move the estimate, and no other flip reaches it.
double paired_least_p(size_t n);

// Whether one arm is slow in more of its runs than the other: Brown and Forsythe's form of Levene's
// test (1974) on what lies above each arm's median, at 1 %. `a` and `b` are logarithms, n of each.
bool paired_tails_differ(const double *a, const double *b, size_t n, double *work);

// `p` is the adjusted one.
enum paired_verdict paired_judge(const struct paired_estimate *estimate,
                                 const struct paired_settings *settings);
const char *paired_verdict_name(enum paired_verdict verdict);

// Holm's adjustment of `count` p values, in place; `order` has room for as many.
void holm_adjust(double *p, size_t count, size_t *order);

// The two-sided level at look k of K by O'Brien and Fleming (their boundary for K = 6 at 5 %).
double obrien_fleming_level(unsigned look, unsigned looks);

#endif
