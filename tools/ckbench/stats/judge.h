// SPDX-License-Identifier: MIT
// The rules of the instruction gate: from counted integers to a verdict per path and one over all.
// Pure arithmetic, no I/O; `ckbench ir` and everything that reads its reports judge by this file,
// so that a verdict can always be computed again from the integers of a report.
#ifndef CKBENCH_JUDGE_H
#define CKBENCH_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One measurement of one path at one heap layout: `ops` calls cost `total_ir`, of which the empty
// loop of as many calls would have cost `empty_ir`.
struct ir_layout {
    int64_t layout, ops;
    int64_t total_ir, own_ir, allocs, syscalls; // own_ir: OWN_UNKNOWN without debug information
    int64_t empty_ir;
};

enum { OWN_UNKNOWN = -1, LAYOUTS_MAX = 64 };

struct ir_side {
    struct ir_layout layouts[LAYOUTS_MAX];
    size_t count; // 0: this side does not have the path
};

// An exact figure per call: `num` over `den`, which is positive.
struct per_op {
    int64_t num, den;
};

// What a side costs per call. `total` is the median of its layouts less the empty loop; the counts
// are those of that layout; own is the median of own.
struct ir_figures {
    struct per_op total, own, allocs, syscalls; // own.num: OWN_UNKNOWN
};
struct ir_figures ir_figures(const struct ir_side *side);
double per_op_value(struct per_op figure);            // for people
int per_op_compare(struct per_op a, struct per_op b); // exact
// Change in thousandths of a percent, cut towards zero so that a figure short of a threshold is
// never shown as having reached it; `base` is positive.
int64_t per_op_delta_mpct(struct per_op head, struct per_op base);

enum ir_verdict {
    IR_ERROR,        // could not be measured
    IR_INCOMPARABLE, // measured, but not under like conditions
    IR_NEW,          // base does not have it
    IR_GONE,         // head does not have it
    IR_NO_BUDGET,    // no other side to compare with
    IR_FAIL,
    IR_WARN,
    IR_LOWER,
    IR_OK,
    IR_VERDICTS
};
const char *ir_verdict_name(enum ir_verdict verdict);

enum ir_class {
    IR_NONE,    // nothing was compared
    IR_EQUAL,   // no figure moved
    IR_OWN,     // own instructions or a count moved
    IR_OUTSIDE, // only code of other objects moved
    IR_LAYOUT,  // only the C library's allocator or string code moved, within base's own range
    IR_INPUT,   // a clock, entropy or a pid is read inside the loop
    IR_CLASSES
};
const char *ir_class_name(enum ir_class class);

// Thresholds in thousandths of a percent; what the base's manifest accepts of this path.
struct ir_policy {
    int64_t fail_mpct, warn_mpct;
    bool accept_total, accept_allocs, accept_syscalls, accept_gone;
};

struct ir_case {
    const struct ir_side *head, *base;
    bool is_error, is_incomparable;
    bool is_gone;         // base has the path, head does not
    bool has_base;        // false: a budget was wanted and there is none
    bool reads_input;     // inside head's loop
    bool same_edges;      // every call edge runs equally often per call on both sides
    bool only_libc_moved; // every function that moved is libc's allocator or string code
};

struct ir_judgement {
    enum ir_verdict verdict;
    enum ir_class class;
    bool total_over_fail, total_over_warn, own_over_warn; // thresholds reached, before acceptance
    bool allocs_up, syscalls_up;                          // by any part of one per call
    bool is_accepted; // a FAIL turned WARN, or a gone path, by an acceptance
    struct ir_figures head_figures, base_figures;
};
struct ir_judgement ir_judge(const struct ir_case *c, const struct ir_policy *policy);

enum ir_overall { IR_PASS, IR_FAILED, IR_INCOMPLETE };
const char *ir_overall_name(enum ir_overall overall);
struct ir_outcome {
    enum ir_verdict verdict;
    bool is_accepted;
};
// Over all paths; `is_proven`: the run's proof of itself held. `complete` is false when a path was
// not judged. A run that compared nothing is incomplete.
enum ir_overall ir_overall(const struct ir_outcome *outcomes, size_t count, bool is_proven,
                           bool *complete);

#endif
