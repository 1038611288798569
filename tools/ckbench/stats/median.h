// SPDX-License-Identifier: MIT
// Order statistics of integers. Layer: stats, includes nothing of ckbench.
#ifndef CKBENCH_MEDIAN_H
#define CKBENCH_MEDIAN_H

#include <stddef.h>
#include <stdint.h>

// Position in `values` of the lower median (the middle one of an odd count), ties by position.
size_t median_index(const int64_t *values, size_t count);

#endif
