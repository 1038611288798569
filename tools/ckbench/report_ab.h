// SPDX-License-Identifier: MIT
// `ckbench report` of a document of `ckbench ab`.
#ifndef CKBENCH_REPORT_AB_H
#define CKBENCH_REPORT_AB_H

#include "report_options.h"

// Returns an exit code; everything is said.
int report_ab(const struct report_options *options, int argc, char **argv);

#endif
