// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_INPUTS_H
#define WORKLOADS_INPUTS_H

#include "gen/pack.h"

/** One input that figures hang on; SHA256SUMS pins the bytes of each. */
typedef struct input_row {
    const char *name;
    const char *about;
    void (*make)(pack *out);
} input_row;

extern const input_row inputs[];
extern const size_t inputs_count;

/** Fills `out`, which the caller releases. False: no such input, or no memory. */
bool input_make(const char *name, pack *out);

#endif
