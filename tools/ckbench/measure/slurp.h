// SPDX-License-Identifier: MIT
// A whole regular file in memory. Layer: measure.
#ifndef CKBENCH_SLURP_H
#define CKBENCH_SLURP_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

// Reads the file; `*bytes` is then the caller's to free(), never NULL, with a NUL behind the last.
// False: the fault names file and cause, such as a size over `bytes_max`, or a file that changed
// its size meanwhile.
bool slurp_file(const char *path, size_t bytes_max, char **bytes, size_t *size,
                struct fault *fault);

#endif
