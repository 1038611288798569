// SPDX-License-Identifier: MIT
// The record of an experiment, schema ckbench/ab-record/1: a header and one line for each process,
// written as they end, so that what was measured before an interruption is kept. Layer: store.
#ifndef CKBENCH_AB_RECORD_H
#define CKBENCH_AB_RECORD_H

#include <stdio.h>

#include "fault.h"
#include "stats/ab_data.h"

#define AB_RECORD_SCHEMA "ckbench/ab-record/1"
enum { AB_HOST_ROOM = 4096 };

struct ab_record_head {
    const char *host; // one JSON object
    const char *version, *commit;
    double margin;
};

struct ab_recorder {
    FILE *stream;
    const char *path;
    const struct ab_experiment *experiment;
};

// Makes the file anew and writes the header.
bool ab_record_open(struct ab_recorder *recorder, const char *path,
                    const struct ab_experiment *experiment, const struct ab_record_head *head,
                    struct fault *fault);
// The sample must be in the experiment.
bool ab_record_put(struct ab_recorder *recorder, size_t block, size_t cell, size_t arm,
                   struct fault *fault);
// Callable on one that is not open.
bool ab_record_close(struct ab_recorder *recorder, struct fault *fault);

// What was read. `experiment` owns its cells and samples.
struct ab_record {
    struct ab_experiment experiment;
    double margin;
    char host[AB_HOST_ROOM]; // JSON
    bool is_cut;             // the last line was, and was left out
};

// False: `fault` names file and line; nothing is left.
bool ab_record_read(const char *path, struct ab_record *out, struct fault *fault);
void ab_record_release(struct ab_record *record);

// Whether the file begins as a record does.
bool ab_record_is_one(const char *path);

#endif
