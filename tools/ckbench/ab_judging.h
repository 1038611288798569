// SPDX-License-Identifier: MIT
// Verdicts of an experiment, with the memory they need; for `ckbench ab` and `ckbench report`.
#ifndef CKBENCH_AB_JUDGING_H
#define CKBENCH_AB_JUDGING_H

#include "fault.h"
#include "stats/ab_judge.h"

#define AB_LEVEL 0.05 // of intervals and verdicts, two-sided

struct ab_judging {
    struct ab_policy policy;
    struct ab_verdicts verdicts;
    bool is_enough; // blocks, in every cell
};

// Room for `blocks` blocks, block 0 included, all empty. False: out of memory, or more samples than
// AB_SAMPLES_MAX.
bool ab_experiment_make_room(struct ab_experiment *experiment, size_t blocks, struct fault *fault);
void ab_experiment_release(struct ab_experiment *experiment);

// The look that the blocks up to `block` make, 1 to AB_LOOKS; 0: none.
unsigned ab_look_at(const struct ab_experiment *experiment, size_t block);

// Ends an experiment of several looks behind the last one that was reached. The level of what is
// judged: AB_LEVEL where the number of blocks is fixed.
double ab_end_at_look(struct ab_experiment *experiment);

// Judges all blocks but block 0. False: out of memory, or too few blocks.
bool ab_judging_make(const struct ab_experiment *experiment, double margin, double level,
                     struct ab_judging *judging, struct fault *fault);
void ab_judging_release(struct ab_judging *judging);

// The exit code, and what there is to say on stderr ("": nothing).
int ab_judging_code(const struct ab_judging *judging, bool is_strict, struct fault *remark);

#endif
