// SPDX-License-Identifier: MIT
// The command line of `ckbench ab`.
#ifndef CKBENCH_AB_OPTIONS_H
#define CKBENCH_AB_OPTIONS_H

#include "cli/opt.h"

struct ab_options {
    struct opt_texts candidate_env;
    const char *candidate_preload;
    const char *candidate_subject;
    struct opt_texts arms;
    const char *base;
    const char *base_rev;
    const char *subject;
    struct opt_texts paths;
    struct opt_texts shapes;
    struct opt_texts operations;
    unsigned blocks;
    unsigned max_blocks; // 0: a fixed number
    bool selftest;
    bool calibrate;
    bool one_length;
    const char *sweep;
    unsigned points;
    const char *margin;
    uint64_t seed; // 0: drawn
    unsigned loop_us;
    int64_t child_timeout_ms;
    const char *record;
    const char *report;
    bool strict;
    bool explain;
    bool json;
    bool markdown;
    int color; // enum term_when
};

extern const struct opt_table ab_table;

// "size=64k..1m": the ends in bytes.
bool ab_read_sweep(const char *text, int64_t *from, int64_t *to, struct fault *fault);

// False: options that contradict one another, or mean nothing without another.
bool ab_options_check(const struct ab_options *options, struct fault *fault);

// "1", "0.5": percent as a ratio, over 0 and at most half.
bool ab_read_margin(const char *text, double *margin, struct fault *fault);

#endif
