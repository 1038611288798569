// SPDX-License-Identifier: MIT
// Build identity of a subject without a stamp: no commit, which is not the same as clean.
#include "kit.h"

__attribute__((weak)) const char *const ckbench_stamp_compiler = NULL;
__attribute__((weak)) const char *const ckbench_stamp_flags = "";
__attribute__((weak)) const char *const ckbench_stamp_commit = NULL;
__attribute__((weak)) const char *const ckbench_stamp_dirty[] = {NULL};
