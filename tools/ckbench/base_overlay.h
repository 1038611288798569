// SPDX-License-Identifier: MIT
// The subject of a checkout that has one, to be laid over sources that have none yet: its
// ckbench.json and what that lists as subject_files. Only files that git knows are taken, so that
// nothing built in head can end up in a base.
#ifndef CKBENCH_BASE_OVERLAY_H
#define CKBENCH_BASE_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "measure/scratch.h"
#include "store/checkout.h"
#include "store/sha256.h"

struct base_overlay {
    const struct checkout *head;
    char **files; // relative to head's root
    size_t count;
    char digest[SHA256_TEXT_SIZE]; // of names and contents
};

// Finds the files of `head`, which has a manifest. False: one that is listed is not known to git.
bool base_overlay_open(const struct checkout *head, const struct scratch *scratch,
                       struct base_overlay *overlay, struct fault *fault);

// Writes them below `root`, over what lies there.
bool base_overlay_write(const struct base_overlay *overlay, const char *root, struct fault *fault);

void base_overlay_close(struct base_overlay *overlay);

#endif
