// SPDX-License-Identifier: MIT
// What the files gate_*.c share; nobody else includes it. Layer: measure.
#ifndef CKBENCH_GATE_INSIDE_H
#define CKBENCH_GATE_INSIDE_H

#include "measure/callgrind.h"
#include "measure/gate_run.h"
#include "measure/objects.h"
#include "measure/snapshot.h"

enum { GATE_SIDES = 2, GATE_HEAD = 0, GATE_BASE_SIDE = 1 };

static const char gate_empty_path[] = "ckbench_self_empty";

// Cost of an empty loop of N calls: fixed + N * per_call, measured and checked to be exactly that.
struct empty_cost {
    int64_t per_call, fixed_n1, fixed_n2;
};

// The function that makes the calls, as the empty path's dumps show it, and what it costs itself.
struct loop_cost {
    char object[64], name[64]; // empty: calls are made by no function of their own
    int64_t per_call, fixed;
};

struct gate_range {
    int64_t low, high;
};

// What all layouts of a path on one side have in common.
struct gate_trust {
    size_t count;
    const struct count_result *first, *other; // other: of another digest, or NULL
    struct gate_range beside;                 // instructions of other threads in n2
    int64_t earlier_ir, total_ir;             // of the first: other threads in n1, all in n2
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
    struct loop_cost loop;
    struct gate_trust trust; // of the path that is being read
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
    int64_t loop_ir;   // of the loop function; 0 before that is known
    int64_t beside_ir; // of threads other than the one that makes the calls
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
// gate_trust.c: can a whole count be believed?

// Learns the loop function from an empty path's window of `calls` calls.
void gate_loop_learn(struct gate_side *side, const struct profile *profile, int64_t calls);
// The own cost of the loop function in a window.
int64_t gate_loop_ir(const struct gate_side *side, const struct profile *profile);
// Instructions of threads other than the first.
int64_t gate_beside_ir(const struct profile *profile);
// Did the loop make the calls that it was asked for, and were they all counted?
bool gate_loop_holds(const struct gate_side *side, const struct gate_window *window, int64_t calls,
                     struct fault *fault);
// Looks at one layout more of a path on one side; the result must outlive `trust`.
void gate_trust_note(struct gate_trust *trust, const struct count_result *counted,
                     const struct gate_window *n1, const struct gate_window *n2);
// Do the layouts agree in what does not hang on the heap: digests and the work of other threads?
bool gate_trust_holds(const struct gate_trust *trust, struct fault *fault);
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
