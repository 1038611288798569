// SPDX-License-Identifier: MIT
// The instruction gate's measurement: chooses loop sizes, counts every path of both sides at every
// layout, proves itself, and explains what moved. It judges nothing. Layer: measure.
//
//     gate_run_new(&input, &result, &run, &fault)   counts; fills result.paths' sides and errors
//     gate_run_case(run, i, &ir_case)               what the judge wants to know of path i
//     gate_run_explain(run, wanted, &fault)         which functions moved
//     gate_run_free(run)                            removes the dumps
#ifndef CKBENCH_GATE_RUN_H
#define CKBENCH_GATE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "measure/count_run.h"
#include "measure/profile.h"
#include "stats/gate.h"

// How a measured child may be moved about, for the proofs that nothing depends on it.
struct gate_shift {
    size_t env_bytes, path_bytes;
    int layout; // added to every layout's number: another heap
};

struct gate_side_input {
    const char *label;             // "head", "base"
    const struct subject *subject; // NULL: this side is not measured
    struct own_rule own;
    struct gate_shift shift;
};

// Copied; what it points to is borrowed and must outlive the run.
struct gate_input {
    struct gate_side_input head, base;
    const char *const *names; // sorted; a side that does not have one is `new` or `gone`
    size_t name_count;
    const int64_t *ops; // calls to count per name, 0: by cost; NULL: all by cost
    const struct valgrind *valgrind;
    const struct scratch *scratch;
    struct gate_settings settings;
    count_progress progress;
    void *context;
};

struct gate_run;

// Counts. `result` has its paths allocated here (free() them), with sides, spreads and errors, the
// head's fingerprint and the proof; mode and settings are the caller's. False: nothing could be
// measured at all, or an interruption; `*run` is then NULL.
bool gate_run_new(const struct gate_input *input, struct gate_result *result, struct gate_run **run,
                  struct fault *fault);
void gate_run_free(struct gate_run *run);

// Do both sides' conditions agree? False: the fault names the one that does not.
bool gate_run_comparable(const struct gate_run *run, bool accept_flags, struct fault *difference);

// Fills `c` for path `index` from its dumps; a reader of clock, entropy or pid becomes a reason.
// False: a dump could not be read again.
bool gate_run_case(struct gate_run *run, size_t index, struct ir_case *c, struct fault *fault);

// Adds the reasons of every path with wanted[i]: functions, calls, callers, files and lines.
bool gate_run_explain(struct gate_run *run, const bool *wanted, struct fault *fault);

#endif
