// SPDX-License-Identifier: MIT
// From a measured gate to verdicts and reasons: brings policy, budgets and the judge together.
#ifndef CKBENCH_IR_JUDGING_H
#define CKBENCH_IR_JUDGING_H

#include <stdbool.h>

#include "fault.h"
#include "measure/gate_run.h"
#include "stats/gate.h"
#include "store/budget.h"
#include "store/manifest.h"

struct ir_bench {
    struct gate_run *gate;
    const struct manifest *manifest; // whose policy; NULL: the defaults
    const struct budget *budget;     // the other side, or NULL
    bool accept_flags, explain_all;
    bool heap_moved; // of a self-test: then totals of allocating paths may move
};

// Judges every path, then the whole; adds reasons. False: a dump or a budget could not be read.
bool ir_judge_all(const struct ir_bench *bench, struct gate_result *result, struct fault *fault);

#endif
