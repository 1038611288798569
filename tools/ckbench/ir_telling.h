// SPDX-License-Identifier: MIT
// What a judged gate says to the outside: the report, and the document or the table.
#ifndef CKBENCH_IR_TELLING_H
#define CKBENCH_IR_TELLING_H

#include <stdbool.h>

#include "fault.h"
#include "ir_options.h"
#include "measure/host.h"
#include "stats/gate.h"

struct ir_telling {
    const struct ir_options *options;
    int argc;
    char **argv;
    const struct gate_result *result; // judged
    const char *valgrind_path;
    const struct host_ticks *started; // of the processors, when the run began
};

// Writes --report, then prints the same document (--json) or the table.
bool ir_tell(const struct ir_telling *telling, struct fault *fault);

#endif
