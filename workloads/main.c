// SPDX-License-Identifier: MIT
// ck-workloads: the paths of paths/ and compare/ as one subject program.

#include <ckbench/subject.h>

CKBENCH_MAIN
