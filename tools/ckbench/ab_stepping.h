// SPDX-License-Identifier: MIT
// Steps of a call, told: which one an arm moved, and how its buffers lie.
#ifndef CKBENCH_AB_STEPPING_H
#define CKBENCH_AB_STEPPING_H

#include "ab_telling.h"
#include "measure/ab_steps.h"

bool ab_print_steps(const struct ab_telling *telling, const struct ab_steps *steps,
                    struct fault *fault);

#endif
