// SPDX-License-Identifier: MIT
#ifndef READING_H
#define READING_H

#include <stdint.h>

// Everything that changes from run to run, read inside a shared library.
struct readings {
    int64_t clocks[4];
    int64_t utc_s;
    uint64_t entropy[4];
    int64_t pid;
    uint64_t sodium;
    const char *sodium_source;
};

__attribute__((visibility("default"))) void reading_take(struct readings *readings);

#endif
