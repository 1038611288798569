// SPDX-License-Identifier: MIT
// The command line of `ckbench report`.
#ifndef CKBENCH_REPORT_OPTIONS_H
#define CKBENCH_REPORT_OPTIONS_H

#include <stdbool.h>

#include "cli/opt.h"
#include "fault.h"

enum report_format { REPORT_TEXT, REPORT_ACTION_BENCHMARK, REPORT_BENCHER };

struct report_options {
    struct opt_texts files, links;
    const char *margin, *report, *html;
    const char *expect_head, *expect_base, *expect_run;
    unsigned expect_shards; // 0: as many as the reports say
    int format;             // enum report_format
    bool strict, json, markdown, calibrate;
    int color; // enum term_when
};

extern const struct opt_table report_table;

// What a file may be.
enum report_kind {
    REPORT_RECORD,  // of ckbench ab, line by line
    REPORT_IR,      // ckbench/ir/1
    REPORT_AB,      // ckbench/ab/1
    REPORT_TIME,    // ckbench/time/1
    REPORT_TERRAIN, // ckbench/terrain/1
    REPORT_KINDS
};
const char *report_kind_name(enum report_kind kind);

// Options that contradict one another or do not go with files of that kind.
bool report_options_check(const struct report_options *options, enum report_kind kind,
                          struct fault *fault);

#endif
