// SPDX-License-Identifier: MIT
// What the files gate_*.c share; nobody else includes it. Layer: measure.
#ifndef CKBENCH_GATE_INSIDE_H
#define CKBENCH_GATE_INSIDE_H

#include "measure/callgrind.h"
#include "measure/gate_run.h"
#include "measure/objects.h"
#include "measure/snapshot.h"

enum { GATE_SIDES = 2, GATE_HEAD = 0, GATE_BASE_SIDE = 1 };

// Cost of an empty loop of N calls: fixed + N * per_call, measured and checked to be exactly that.
struct empty_cost {
    int64_t per_call, fixed_n1, fixed_n2;
};

struct gate_side {
    const struct gate_side_input *input;
    struct own_rule own;
    struct objects *objects;
    struct fingerprint fingerprint;
    struct snapshot snapshot;
    struct count_unit **units; // repeat by repeat, chunk by chunk
    struct count_unit *proof, *moved;
    struct empty_cost empty;
};

struct gate_run {
    struct gate_input input;
    const struct gate_input *in; // that copy, for reading
    struct gate_result *result;
    struct count_plan *plan;
    struct gate_side sides[GATE_SIDES];
    size_t chunks;     // units per side and repeat
    int64_t *ops;      // N2 per name
    const char *probe; // a path that both sides have, for the proof; NULL: none
};

// One window of a dump as the integers of a row.
struct gate_window {
    int64_t total_ir, own_ir, allocs, syscalls, cycles;
};

static inline bool gate_has(const struct gate_side *side, const char *name)
{
    return side->input->subject != NULL && subject_find(side->input->subject, name) != NULL;
}

static inline int64_t gate_n1(int64_t n2)
{
    return n2 / 2;
}

// Reads a counted result's dump; release it with callgrind_release().
bool gate_dump_open(const struct gate_side *side, const struct count_result *counted,
                    struct callgrind_dump *dump, struct fault *fault);
// Both windows of a counted result. What executed goes into the side's fingerprint when `note`.
bool gate_windows(struct gate_side *side, const struct count_result *counted, bool note,
                  struct gate_window *n1, struct gate_window *n2, struct fault *fault);
// Why a result has no figures, in one line.
void gate_blame(const struct gate_side *side, const struct count_result *result,
                struct fault *fault);
// The result of a path at a layout (unshifted) in repeat `repeat`, or NULL.
const struct count_result *gate_result_of(const struct gate_run *run, size_t side, size_t repeat,
                                          size_t index, int layout);

// Loop sizes by a pilot of few calls.
bool gate_sizes(struct gate_run *run, struct fault *fault);
// Rows, spreads and errors of every path.
bool gate_rows(struct gate_run *run, struct fault *fault);
// Units of the proof, to be added before counting, and its judgement after.
bool gate_proof_plan(struct gate_run *run, struct fault *fault);
bool gate_proof_check(struct gate_run *run, struct fault *why);
// The empty loop's cost of a side, from its proof unit.
bool gate_proof_empty(struct gate_side *side, struct fault *why);

#endif
