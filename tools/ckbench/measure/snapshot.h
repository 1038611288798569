// SPDX-License-Identifier: MIT
// Did a file change while it was measured? Layer: measure.
#ifndef CKBENCH_SNAPSHOT_H
#define CKBENCH_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "fault.h"

struct snapshot {
    struct snapshot_file {
        char *path;
        struct stat stat;
    } * files;
    size_t count, cap;
};

// Remembers the file as it is now, once.
bool snapshot_add(struct snapshot *snapshot, const char *path, struct fault *fault);
// The path as it was remembered, NULL if it was not.
const char *snapshot_find(const struct snapshot *snapshot, const char *path);
// False: one of the files is gone or another; the fault names it.
bool snapshot_holds(const struct snapshot *snapshot, struct fault *fault);
void snapshot_release(struct snapshot *snapshot);

#endif
