// SPDX-License-Identifier: MIT
// From the command line to the arms of an experiment.
#ifndef CKBENCH_AB_ARMS_H
#define CKBENCH_AB_ARMS_H

#include <limits.h>

#include "ab_options.h"
#include "measure/ab_env.h"
#include "measure/ab_run.h"

enum { AB_TEXT_ROOM = 8192 };

struct ab_arms {
    size_t count;
    char names[AB_ARMS_MAX][AB_NAME_ROOM];
    struct ab_wish wishes[AB_ARMS_MAX];
    char *texts[AB_ARMS_MAX * AB_VARIABLES_MAX]; // what the wishes point to
    size_t text_count;
    const char *subjects[AB_ARMS_MAX]; // borrowed
    int64_t injected_ppm[AB_ARMS_MAX];
    char **envs[AB_ARMS_MAX];
    struct ab_starter starters[AB_ARMS_MAX];
};

// Real paths of the programs.
struct ab_subjects {
    const char *base, *head, *candidate;
};

// Base, the base again, the candidate if options describe one, and the named arms. False: a mistake
// of the command line. ab_arms_release() in either case.
bool ab_arms_read(const struct ab_options *options, const struct ab_subjects *subjects,
                  struct ab_arms *arms, struct fault *fault);
void ab_arms_release(struct ab_arms *arms);

#endif
