// SPDX-License-Identifier: MIT
// SIGINT, SIGTERM and SIGHUP as a fact to look at instead of a death. Layer: measure.
// The handler writes one byte into a pipe and notes the signal; the proc loop polls the pipe, ends
// its children and returns; main leaves by that signal. Every further signal is taken the same way.
#ifndef CKBENCH_INTERRUPT_H
#define CKBENCH_INTERRUPT_H

#include <stdbool.h>

#include "fault.h"

// Installs the three handlers. A signal that was ignored at the start (nohup) stays ignored.
bool interrupt_install(struct fault *fault);

// The first signal seen since the installation, 0 for none. Long computations look at it too.
int interrupt_seen(void);

// Becomes readable, and stays so, once a signal was seen; -1 before the installation.
int interrupt_fd(void);

// How many signals were seen: from the second on, children get no grace.
int interrupt_count(void);

// Puts the earlier handlers back and forgets what was seen.
void interrupt_remove(void);

#endif
