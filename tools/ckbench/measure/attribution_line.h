// SPDX-License-Identifier: MIT
// Which line of a function changed. Layer: measure; private to attribution.
#ifndef CKBENCH_ATTRIBUTION_LINE_H
#define CKBENCH_ATTRIBUTION_LINE_H

#include "measure/attribution.h"

// Fills change_source and change_line of a function at `in_head` and `in_base`; SIZE_MAX: it is
// not there. Leaves them when no line is known to have changed its cost.
void attribution_find_line(const struct attribution_side *head, size_t in_head,
                           const struct attribution_side *base, size_t in_base,
                           struct attribution_function *function);

#endif
