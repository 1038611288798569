// SPDX-License-Identifier: MIT
// Two ways to the same result in one run, block by block in turns, so that what the machine does
// besides falls on both.
#ifndef WORKLOADS_INTERLEAVE_H
#define WORKLOADS_INTERLEAVE_H

enum { INTERLEAVE_BLOCKS_MAX = 10000 };

struct interleave {
    const char *what; // is measured, for the line that is printed
    const char *ours_name, *theirs_name;
    void (*ours)(void *state);
    void (*theirs)(void *state);
    void *state;
    int blocks; // 1 to INTERLEAVE_BLOCKS_MAX
    int calls_per_block;
};

// Prints medians of the time of a call and, of the ratios of neighbouring blocks, the median and
// the quartiles. Returns that median.
double interleave_run(const struct interleave *run);

#endif
