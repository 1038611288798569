// SPDX-License-Identifier: MIT
// `ckbench report` of documents of `ckbench ir`: shards are read and merged.
#ifndef CKBENCH_REPORT_SHARDS_H
#define CKBENCH_REPORT_SHARDS_H

#include "report_options.h"
#include "stats/gate_merge.h"

struct report_shards {
    struct gate_shard *items;
    size_t count;
    struct gate_merge merge;
};

// Reads all files, merges them, and puts the links to their shards. False: `*exit_code` says how
// the verb ends.
bool report_shards_open(const struct report_options *options, struct report_shards *shards,
                        int *exit_code, struct fault *fault);
void report_shards_close(struct report_shards *shards);

#endif
