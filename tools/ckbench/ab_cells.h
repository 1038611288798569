// SPDX-License-Identifier: MIT
// Which cells an experiment has: paths by shapes by operations.
#ifndef CKBENCH_AB_CELLS_H
#define CKBENCH_AB_CELLS_H

#include "ab_options.h"
#include "measure/subject_list.h"
#include "stats/ab_data.h"

// Room for AB_CELLS_MAX cells. False: the subject does not offer what was asked for.
bool ab_cells_choose(const struct ab_options *options, const struct subject *subject,
                     struct ab_cell *cells, size_t *count, struct fault *fault);

#endif
