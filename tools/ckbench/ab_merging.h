// SPDX-License-Identifier: MIT
// Several sittings of one comparison as random effects: the sitting is the unit.
#ifndef CKBENCH_AB_MERGING_H
#define CKBENCH_AB_MERGING_H

#include <stdio.h>

#include "ab_telling.h"

enum { AB_SITTINGS_MAX = 64 };

// Prints one row for each cell and arm that all sittings have. False: they have none in common.
bool ab_print_merged(const struct ab_telling *sittings, size_t count, struct fault *fault);

#endif
