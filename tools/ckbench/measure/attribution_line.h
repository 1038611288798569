// SPDX-License-Identifier: MIT
// Where a function lies, and which line of it changed. Layer: measure; private to attribution.
#ifndef CKBENCH_ATTRIBUTION_LINE_H
#define CKBENCH_ATTRIBUTION_LINE_H

#include "measure/attribution.h"

// Fills source and first_line from the function's place in a profile.
void attribution_find_place(const struct profile *profile, size_t index,
                            struct attribution_function *function);

// Fills change_source and change_line of a function at `in_head` and `in_base`; SIZE_MAX: it is
// not there. Leaves them when no line is known to have changed its cost.
void attribution_find_line(const struct attribution_side *head, size_t in_head,
                           const struct attribution_side *base, size_t in_base,
                           struct attribution_function *function);

#endif
