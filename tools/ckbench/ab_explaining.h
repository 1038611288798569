// SPDX-License-Identifier: MIT
// How much of a change in CPU time page faults account for, and which step the rest lies in.
#ifndef CKBENCH_AB_EXPLAINING_H
#define CKBENCH_AB_EXPLAINING_H

#include "ab_telling.h"
#include "measure/ab_run.h"

struct ab_steps;

struct ab_explaining {
    double fault_ns; // what a fault costs here
    size_t count;
    struct ab_steps *steps; // of each cell and arm whose rest is large
};

// Measures the price of a fault, and the steps of calls where faults leave much unexplained. After
// all blocks. AB_RUN_FAILED: `fault` says why. ab_explaining_release() in any case.
enum ab_run_end ab_explaining_measure(const struct ab_judging *judging, const struct ab_run *run,
                                      struct ab_explaining *out, struct fault *fault);
void ab_explaining_release(struct ab_explaining *explaining);

// Prints a table: per cell and candidate the change of a call, faults by their price, and the rest;
// behind it the steps.
bool ab_print_explanation(const struct ab_telling *telling, const struct ab_explaining *explaining,
                          struct fault *fault);

#endif
