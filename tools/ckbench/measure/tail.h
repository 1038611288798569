// SPDX-License-Identifier: MIT
// The last words of a child, fit for a terminal. Layer: measure.
#ifndef CKBENCH_TAIL_H
#define CKBENCH_TAIL_H

#include <stddef.h>
#include <stdint.h>

// The last `lines` lines of what `file` holds from byte `from` on, each cut at 200 characters,
// printable ASCII and newlines only (anything else becomes '?'), at most 4,096 bytes of text. The
// caller frees it. NULL when the file is missing or has nothing there.
char *tail_read(const char *file, int64_t from, size_t lines);

#endif
