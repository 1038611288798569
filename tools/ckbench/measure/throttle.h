// SPDX-License-Identifier: MIT
// How often the control group that this process runs in was made to wait for its quota of CPU time.
// Layer: measure.
#ifndef CKBENCH_THROTTLE_H
#define CKBENCH_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

// Since the group was made; -1: unknown, or a group without a quota.
struct throttle {
    int64_t times, us;
};

void throttle_read(struct throttle *out);

// The same from one file of that form; false: it is not there, or says nothing of it.
bool throttle_read_file(const char *path, struct throttle *out);

// What came between two readings; unknown if either is.
struct throttle throttle_between(const struct throttle *before, const struct throttle *after);

#endif
