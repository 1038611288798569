// SPDX-License-Identifier: MIT
// How much of a change in CPU time page faults account for.
#ifndef CKBENCH_AB_EXPLAINING_H
#define CKBENCH_AB_EXPLAINING_H

#include "ab_telling.h"

// Prints a table: per cell and candidate the change of a call, faults by their price, and the rest.
bool ab_print_explanation(const struct ab_telling *telling, struct fault *fault);

#endif
