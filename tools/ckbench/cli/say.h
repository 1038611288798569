// SPDX-License-Identifier: MIT
// Messages to people: one line each, "ckbench: TEXT" (or the name of another program), on stderr.
// Layer: cli; only this room and main.c write to stderr.
#ifndef CKBENCH_SAY_H
#define CKBENCH_SAY_H

#include "fault.h"

// The text needs no full stop and no newline; bytes that are not printable ASCII become '?'.
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

// Says it and returns `exit_code`, so that a verb's failure is one line.
__attribute__((format(printf, 2, 3))) int say_fail(int exit_code, const char *format, ...);

int say_fault(int exit_code, const struct fault *fault);

#endif
