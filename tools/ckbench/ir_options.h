// SPDX-License-Identifier: MIT
// The command line of `ckbench ir`.
#ifndef CKBENCH_IR_OPTIONS_H
#define CKBENCH_IR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt.h"
#include "fault.h"
#include "stats/gate.h"

enum ir_shift_key { IR_SHIFT_ENV, IR_SHIFT_PATH, IR_SHIFT_HEAP };

struct ir_options {
    const char *base, *base_rev, *subject, *base_subject, *report, *run;
    struct opt_texts paths, skips;
    struct opt_shard shard;
    unsigned jobs, layouts, repeat; // jobs 0: one per core
    int64_t child_timeout_ms;
    bool update, allow_increase, accept_flags, explain, cache_sim, json;
    struct opt_pairs shift;
    int color;
};

extern const struct opt_table ir_option_table;

// What the other side is.
enum gate_mode ir_options_mode(const struct ir_options *options);
// Options that contradict one another, or a base that is no directory.
bool ir_options_check(const struct ir_options *options, struct fault *fault);
// Is the path to be counted?
bool ir_options_choose(const struct ir_options *options, const char *path);

#endif
