// SPDX-License-Identifier: MIT
// The last words of a child, fit for a terminal. Layer: measure.
#ifndef CKBENCH_TAIL_H
#define CKBENCH_TAIL_H

#include <stddef.h>

// The last `lines` lines of `file`, each cut at 200 characters, printable ASCII and newlines only
// (anything else becomes '?'), at most 4,096 bytes of text. The caller frees it. NULL when the file
// is missing or empty.
char *tail_read(const char *file, size_t lines);

#endif
