// SPDX-License-Identifier: MIT
// `ckbench report` of a recording of `ckbench terrain`.
#ifndef CKBENCH_REPORT_TERRAIN_H
#define CKBENCH_REPORT_TERRAIN_H

#include "report_options.h"

// Returns an exit code; everything is said.
int report_terrain(const struct report_options *options, int argc, char **argv);

#endif
