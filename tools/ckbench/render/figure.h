// SPDX-License-Identifier: MIT
// Integers as people read them, by integer arithmetic and without locale. Layer: render.
#ifndef CKBENCH_FIGURE_H
#define CKBENCH_FIGURE_H

#include <stdint.h>

enum { FIGURE_SIZE = 48 };

// Each fills `out` and returns it.
const char *figure_grouped(char out[FIGURE_SIZE], int64_t value); // 1,220,541
const char *figure_signed(char out[FIGURE_SIZE], int64_t value);  // +1,204, 0, -7

// `scaled` / 10^`decimals` (0 to 9) with a sign when positive too: "+1.25", "0.00".
const char *figure_fixed(char out[FIGURE_SIZE], int64_t scaled, unsigned decimals);

// numerator / denominator, rounded half away from zero to one decimal when it is not whole:
// "7,732", "7,732.5". "-" when the denominator is not positive.
const char *figure_per(char out[FIGURE_SIZE], int64_t numerator, int64_t denominator);

#endif
