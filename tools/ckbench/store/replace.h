// SPDX-License-Identifier: MIT
// Writes a file by temporary name and rename: readers see the old or the new text, whole, and no
// failure leaves a temporary file. Layer: store.
#ifndef CKBENCH_REPLACE_H
#define CKBENCH_REPLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

// A symbolic link is followed; what exists and is no regular file (a pipe, /dev/stdout) is written
// in place, and a pipe without a reader is a failure. Otherwise SIGINT, SIGTERM and SIGHUP wait
// until the file is whole.
bool replace_file(const char *path, const char *text, size_t len, struct fault *fault);

#endif
