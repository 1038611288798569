// SPDX-License-Identifier: MIT
// A process that outlives ckbench by a moment: when ckbench was killed and could not tidy up, it
// removes the scratch directory. Layer: measure, for scratch.c.
#ifndef CKBENCH_GUARD_H
#define CKBENCH_GUARD_H

// Starts the guard of `path`, below nobody and in a session of its own. Returns the descriptor that
// it listens on, -1 when there is no process to be had: then nobody tidies up after a SIGKILL.
int guard_start(const char *path);

// Dismisses the guard and waits until it is gone. -1 allowed.
void guard_end(int lifeline);

#endif
