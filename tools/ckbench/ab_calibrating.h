// SPDX-License-Identifier: MIT
// What a host can tell, as a table.
#ifndef CKBENCH_AB_CALIBRATING_H
#define CKBENCH_AB_CALIBRATING_H

#include "fault.h"
#include "stats/ab_data.h"

// False: fewer whole blocks than one experiment takes, or no memory.
bool ab_print_calibration(const struct ab_experiment *experiment, struct fault *fault);

#endif
