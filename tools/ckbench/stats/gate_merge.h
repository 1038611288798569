// SPDX-License-Identifier: MIT
// Shards of one run become one result. A shard that is missing, given twice, of other commits, of
// another attempt or unreadable has no result, and then the whole is incomplete, whatever the
// others say. Layer: stats.
#ifndef CKBENCH_GATE_MERGE_H
#define CKBENCH_GATE_MERGE_H

#include "stats/gate.h"

enum { GATE_SHARDS_MAX = 1000, GATE_LINK = 1024 };

// One report as it was read.
struct gate_shard {
    const char *file;
    bool is_read;
    struct fault unread; // why not
    size_t number;       // of the shard, as far as it is known: 0 when not
    struct gate_result result;
    char run[GATE_RUN];      // "": not said
    char fingerprint_id[17]; // 16 hex digits
};
void gate_shard_release(struct gate_shard *shard);

// What the reports must be of; NULL and 0: what most of them say.
struct gate_expected {
    size_t shards;
    const char *head, *base, *run;
};

struct gate_slot {
    size_t number;                  // 0: a report of no known shard
    const struct gate_shard *shard; // NULL: no result
    struct fault reason;            // why not
    char link[GATE_LINK];           // "": none; a checked https address
};

// Conditions that agree, of one shard or of several that ran different objects.
struct gate_print {
    struct fingerprint print;
    char id[17]; // "" until the caller fills it: of one shard its own
    size_t members;
};

struct gate_merge {
    struct gate_slot *slots;            // the shards in order, then what belongs nowhere
    size_t slot_count, shards, missing; // missing: slots without a result
    const struct gate_path **paths;     // sorted by name
    size_t path_count;
    struct gate_print *prints; // one, unless shards ran on unlike machines
    size_t print_count;
    const struct gate_shard *first; // the first with a result, NULL: none has
    const char *head, *base, *run;  // of all; NULL: unknown
    enum ir_overall overall;
    bool complete;
    bool is_adoption; // of every shard: the base has no subject, and that is all that lacks
};

// Borrows `shards`. False: no memory.
bool gate_merge_make(const struct gate_shard *shards, size_t count,
                     const struct gate_expected *expected, struct gate_merge *merge);
void gate_merge_release(struct gate_merge *merge);

// `paths` from the worst to the best; of like verdicts the larger change first.
void gate_merge_rank(const struct gate_path **paths, size_t count);

// What stands behind the verdict's word: " (incomplete)", " (adoption)" or "".
const char *gate_merge_remark(const struct gate_merge *merge);

// "1 FAIL, 17 ok" and, where shards have none, "2 shards without a result".
enum { GATE_COUNTS = 256 };
void gate_merge_counts(const struct gate_merge *merge, char out[GATE_COUNTS]);

#endif
