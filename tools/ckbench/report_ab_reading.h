// SPDX-License-Identifier: MIT
// A document of `ckbench ab` as the experiment it came from.
#ifndef CKBENCH_REPORT_AB_READING_H
#define CKBENCH_REPORT_AB_READING_H

#include "ab_judging.h"
#include "store/json.h"

// The experiment with the loops' CPU time of every block; `level` and `margin` are the document's.
// Release it either way.
bool report_ab_read(const struct json_value *body, struct ab_experiment *experiment, double *level,
                    double *margin, struct fault *fault);

// What the document keeps of whole processes, faults and memory is taken as it says, since their
// values block by block are not in it.
bool report_ab_take_rest(const struct json_value *body, struct ab_judging *judging,
                         struct fault *fault);

#endif
