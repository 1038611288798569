// SPDX-License-Identifier: MIT
// What went wrong, in one line for people: the cause and the cure, no full stop, printable ASCII
// only whatever was passed in. Any room may include it. Functions of measure and store return bool;
// false means failed, with the fault filled.
#ifndef CKBENCH_FAULT_H
#define CKBENCH_FAULT_H

#include <stdbool.h>

struct fault {
    char text[512];
};

// Fills `fault` (NULL allowed) and returns false, so that a failure is one line. A text that was
// built from an older text of the same fault may pass it as an argument.
__attribute__((format(printf, 2, 3))) bool fault_set(struct fault *fault, const char *format, ...);

// The analyser reads one file at a time and would follow paths on which a fault is no failure.
#ifdef __clang_analyzer__
#    define fault_set(...) ((void)fault_set(__VA_ARGS__), false)
#endif

#endif
