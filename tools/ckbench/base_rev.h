// SPDX-License-Identifier: MIT
// --base-rev REV: the commit that REV names, built in a folder of its own and kept for later runs.
// Part of verb_ir.c and verb_ab.c.
#ifndef CKBENCH_BASE_REV_H
#define CKBENCH_BASE_REV_H

#include <limits.h>
#include <stdbool.h>

#include "base_cache.h"
#include "fault.h"
#include "measure/git.h"
#include "measure/scratch.h"
#include "store/checkout.h"

struct base_rev {
    char commit[GIT_COMMIT_SIZE];
    char root[PATH_MAX]; // the built checkout: where the commit has what this directory has
    struct base_entry entry;
    // The commit has no manifest, and sources with head's subject laid over them do not build: it
    // is no base, and head's paths are new.
    bool is_adoption;
    struct fault adoption; // why it could not be built
};

// Makes the base for the checkout `head`, opened from the working directory. Returns EXIT_GOOD;
// EXIT_USAGE when REV names no commit; EXIT_INCOMPLETE for every other failure. Says what takes
// time. base_rev_close() in any case, and not before the base was measured.
int base_rev_open(const char *rev, const struct checkout *head, const struct scratch *scratch,
                  struct base_rev *base, struct fault *fault);
void base_rev_close(struct base_rev *base);

#endif
