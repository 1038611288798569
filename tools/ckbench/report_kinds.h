// SPDX-License-Identifier: MIT
// Of what kind a file is, by what it says of itself.
#ifndef CKBENCH_REPORT_KINDS_H
#define CKBENCH_REPORT_KINDS_H

#include "report_options.h"

enum report_answer { REPORT_ONE_KIND, REPORT_MIXED, REPORT_UNREADABLE };

// The kind of all files: where shards are expected that of shards, whatever the files are.
enum report_answer report_find_kind(const struct report_options *options, enum report_kind *kind,
                                    struct fault *fault);

#endif
