// SPDX-License-Identifier: MIT
// The set of compiler command lines that files of debug strings contain. Layer: measure.
#ifndef CKBENCH_PRODUCERS_H
#define CKBENCH_PRODUCERS_H

#include <stdbool.h>
#include <stddef.h>

struct producers {
    char **lines;
    size_t count, cap;
};

// Adds those of the NUL-separated strings that a compiler wrote about itself, without words that
// hold paths. `bytes` must have a NUL behind its last. False: no memory.
bool producers_add(struct producers *producers, const char *bytes, size_t size, bool all);
// Sorts, and leaves each line once.
void producers_finish(struct producers *producers);
void producers_free(struct producers *producers);

#endif
