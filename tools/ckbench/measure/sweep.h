// SPDX-License-Identifier: MIT
// Finds and kills every descendant of this process, in whatever session, stopped or not.
// Layer: measure, for keeper.c and proc.c. Complete only in a PR_SET_CHILD_SUBREAPER process: there
// no descendant can leave the tree.
#ifndef CKBENCH_SWEEP_H
#define CKBENCH_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// How many descendants live (zombies do not). `spared` children and theirs are left out.
int sweep_count(const pid_t *spared, size_t spared_count);

// Kills and reaps all descendants, less the spared children and theirs, until none is left.
// False: some would not die within `timeout_ms`.
bool sweep_kill(const pid_t *spared, size_t spared_count, int64_t timeout_ms);

// Milliseconds of the monotonic clock.
int64_t sweep_now_ms(void);

#endif
