// SPDX-License-Identifier: MIT
// What a gate run found, as plain values: filled by measure, judged here, shown by render, written
// and read by store.
#ifndef CKBENCH_GATE_H
#define CKBENCH_GATE_H

#include "fault.h"
#include "stats/fingerprint.h"
#include "stats/judge.h"

enum { GATE_RUN = 129, GATE_NAME = 65, GATE_REASONS = 12, GATE_REASON = 400 };

struct gate_path {
    char name[GATE_NAME];
    struct ir_side head, base;
    struct ir_case facts; // what the judge knows beyond the integers; its sides are unused
    struct ir_policy policy;
    struct ir_judgement judgement;
    bool is_error;
    struct fault error; // filled when is_error
    bool has_spread;    // with --repeat: largest difference between equal measurements
    int64_t spread_ir, spread_own_ir;
    struct per_op cycles[2]; // head's and base's, with --cache-sim, at layout 0; num 0: none
    char reasons[GATE_REASONS][GATE_REASON];
    size_t reason_count;
};

// Adds a line to the path's reasons; what is too much is left out.
__attribute__((format(printf, 2, 3))) void gate_reason(struct gate_path *path, const char *format,
                                                       ...);

struct gate_settings {
    int64_t layouts, repeat, jobs, child_timeout_ms;
    int64_t fail_mpct, warn_mpct;
    int64_t shard, shards; // 1 of 1: everything
    bool accept_flags, cache_sim;
    bool heap_moved; // of a self-test: then totals of allocating paths may move
};

enum gate_mode { GATE_BASE, GATE_BUDGET, GATE_SELF_TEST };

// Who a side is, for provenance.
struct gate_identity {
    char subject[1024], build_id[96], commit[65];
    bool has_commit;
    char dirty[32][256];
    size_t dirty_count;
};

struct gate_result {
    enum gate_mode mode;
    struct gate_settings settings;
    struct gate_path *paths; // sorted by name
    size_t path_count;
    struct fingerprint fingerprint; // head's
    bool is_proven;
    struct fault unproven; // why not
    enum ir_overall overall;
    bool complete;
    bool
        is_adoption; // the base is from before the subject; once judged: and that is all that lacks
    struct gate_identity head, base;
    bool has_base;
};

// The verdict of a path from its integers, facts and policy alone: whoever reads a report judges by
// this again. A self-test wants equal figures, whatever the thresholds say.
struct ir_judgement gate_judge(const struct gate_path *path, enum gate_mode mode, bool heap_moved);
// Do the layouts at `index` of a self-test's sides agree?
bool gate_is_still(const struct gate_path *path, size_t index, bool heap_moved);

#endif
