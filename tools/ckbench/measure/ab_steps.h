// SPDX-License-Identifier: MIT
// Which step of a call an arm changes: `phases` of the base and of the arm, in turns. Layer:
// measure.
#ifndef CKBENCH_AB_STEPS_H
#define CKBENCH_AB_STEPS_H

#include "measure/ab_run.h"
#include "measure/phased.h"

enum { AB_STEP_SIDES = 2 }; // the base, the arm

struct ab_step {
    char name[ANSWER_SHAPE_MAX + 1];
    double ns[AB_STEP_SIDES]; // per call
    bool has_places[AB_STEP_SIDES];
    // Offset of its output less that of its input, in a page of 4,096 bytes; -1: it changes.
    int64_t apart[AB_STEP_SIDES];
};

struct ab_steps {
    size_t cell, arm;
    double whole_ns[AB_STEP_SIDES]; // of a call
    double sum[AB_STEP_SIDES];      // of the steps, over the call
    size_t count;                   // 0: nothing is known, see `why`
    struct fault why;
    struct ab_step items[PHASED_STEPS_MAX];
};

// Runs a few processes of each. What fails here costs nobody what was measured before: `out` says
// why. False: interrupted.
bool ab_steps_measure(const struct ab_run *run, size_t cell, size_t arm, struct ab_steps *out);

// Whether the steps of both sides add up to the call within a tenth.
bool ab_steps_add_up(const struct ab_steps *steps);

#endif
