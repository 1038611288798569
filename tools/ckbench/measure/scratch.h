// SPDX-License-Identifier: MIT
// A private directory for one run: everything a child writes goes below it, and it goes with the
// run. Layer: measure. Removal follows no symbolic link and leaves no file behind.
#ifndef CKBENCH_SCRATCH_H
#define CKBENCH_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

// `path` is absolute and owned by the scratch; its length depends on TMPDIR alone.
struct scratch {
    char *path;
    int fd;
    int lifeline; // of the guard that removes it when we are killed
};

// Makes a fresh 0700 directory under TMPDIR, or /tmp when that is unset or empty, and checks that
// it takes a file. On failure `scratch` is empty and scratch_close does nothing.
bool scratch_open(struct scratch *scratch, struct fault *fault);

// Removes the directory with all it holds and empties `scratch`. Callable twice.
void scratch_close(struct scratch *scratch);

// Makes a directory `name` (no slash) in `scratch`; its absolute path is the caller's to free.
// NULL: failed, with the fault filled.
char *scratch_dir(const struct scratch *scratch, const char *name, struct fault *fault);

// Removes the file or directory tree `path`, wherever it lies. Missing is fine.
void scratch_remove(const char *path);

#endif
