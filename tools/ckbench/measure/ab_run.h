// SPDX-License-Identifier: MIT
// Runs an experiment: complete blocks of interleaved processes, one at a time. Layer: measure.
#ifndef CKBENCH_AB_RUN_H
#define CKBENCH_AB_RUN_H

#include "fault.h"
#include "measure/phased.h"
#include "measure/scratch.h"
#include "stats/ab_data.h"

// How an arm's processes are started.
struct ab_starter {
    const char *subject; // real path
    const char *const *env;
    bool has_preload;
};

enum ab_run_end { AB_RUN_DONE, AB_RUN_FAILED, AB_RUN_INTERRUPTED };

struct ab_run {
    struct ab_experiment *experiment;  // arms, cells, seed and room are given; the rest is filled
    const struct ab_starter *starters; // one for each arm
    const struct scratch *scratch;
    int64_t loop_ns;    // CPU time of a loop that is wanted
    int64_t timeout_ms; // of a process
    // Told of each sample; false ends the run as failed, with `fault` filled. `context` is theirs.
    bool (*on_sample)(void *context, size_t block, size_t cell, size_t arm, struct fault *fault);
    // Asked after each block but the first; true: enough. NULL: never.
    bool (*is_enough)(void *context, size_t block);
    void *context;
};

// Chooses the calls of every cell on the base: about `loop_ns`, whole dozens, because costs repeat
// with periods of a few calls. Cells that have calls already keep them.
enum ab_run_end ab_run_calibrate(const struct ab_run *run, struct fault *fault);

// Fills the cells' allocations: one more process for each cell and arm, whose time is not read. Not
// where an allocator may have been preloaded, or the subject cannot count.
enum ab_run_end ab_run_count_allocations(const struct ab_run *run, struct fault *fault);

enum ab_run_end ab_run(const struct ab_run *run, struct fault *fault);

struct ab_rounds {
    int64_t calls; // of each
    int64_t count;
};
// One process of an arm that takes its calls step by step. `out` is empty.
enum ab_run_end ab_run_phases(const struct ab_run *run, const struct ab_cell *cell, size_t arm,
                              struct ab_rounds rounds, struct phased *out, struct fault *fault);

#endif
