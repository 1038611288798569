// SPDX-License-Identifier: MIT
// `ckbench report` of records of `ckbench ab`.
#ifndef CKBENCH_REPORT_RECORDS_H
#define CKBENCH_REPORT_RECORDS_H

#include "report_options.h"

// Returns an exit code; everything is said.
int report_records(const struct report_options *options, int argc, char **argv);

#endif
