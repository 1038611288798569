// SPDX-License-Identifier: MIT
// What this machine lets a measuring program do, found by doing it. Layer: measure.
#ifndef CKBENCH_PROBE_H
#define CKBENCH_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "measure/scratch.h"
#include "measure/valgrind.h"

// Runs `true` under callgrind by the same command as every count. False: why that does not work.
bool probe_callgrind(const struct valgrind *valgrind, const struct scratch *scratch,
                     struct fault *fault);

// Instruction sets that this processor has and valgrind's guest lacks, as "AVX-512, SHA"; "" when
// there is none. Code that chooses by CPUID takes another branch under valgrind; code compiled for
// them dies of SIGILL.
void probe_lacking(char *out, size_t size);

// 0, or the errno of opening a counter of user instructions.
int probe_perf(void);

// 0, or the errno of switching address randomisation off (and on again).
int probe_personality(void);

// 0, or the errno of a child that asks to be traced; ECHILD when there is no child to be had.
int probe_ptrace(void);

// Bytes that an ordinary user can still write below `path`; -1 when unknown.
int64_t probe_free_bytes(const char *path);

#endif
