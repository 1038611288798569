// SPDX-License-Identifier: MIT
// Did a file change while it was measured? Layer: measure.
#ifndef CKBENCH_SNAPSHOT_H
#define CKBENCH_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "fault.h"

enum { SNAPSHOT_FILES = 64 };

struct snapshot {
    struct {
        char path[1024];
        struct stat stat;
    } files[SNAPSHOT_FILES];
    size_t count;
};

// Remembers the file as it is now, once; more files than there is room for are not watched.
bool snapshot_add(struct snapshot *snapshot, const char *path, struct fault *fault);
// False: one of the files is gone or another; the fault names it.
bool snapshot_holds(const struct snapshot *snapshot, struct fault *fault);

#endif
