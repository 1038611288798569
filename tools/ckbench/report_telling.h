// SPDX-License-Identifier: MIT
// What merged shards say to the outside.
#ifndef CKBENCH_REPORT_TELLING_H
#define CKBENCH_REPORT_TELLING_H

#include "report_options.h"
#include "stats/gate_merge.h"

struct report_telling {
    const struct report_options *options;
    int argc;
    char **argv;
    const struct gate_merge *merge;
};

// Writes --report and --html, then prints what the options ask for.
bool report_tell(const struct report_telling *telling, struct fault *fault);

#endif
