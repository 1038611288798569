// SPDX-License-Identifier: MIT
// `ckbench report` of a document of `ckbench time`.
#ifndef CKBENCH_REPORT_TIME_H
#define CKBENCH_REPORT_TIME_H

#include "report_options.h"

// Returns an exit code; everything is said.
int report_time(const struct report_options *options, int argc, char **argv);

#endif
