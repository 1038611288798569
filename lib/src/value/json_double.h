// SPDX-License-Identifier: MIT
// What writing and reading of floats both know about doubles.
#ifndef CKI_JSON_DOUBLE_H
#define CKI_JSON_DOUBLE_H

#include <float.h>

_Static_assert(FLT_EVAL_METHOD == 0, "the short ways need arithmetic in double itself");

enum {
    FRACTION_BITS = 52,
    EXPONENT_BIAS = 1075, // of the fraction as an integer
    EXPONENT_FULL = 2047,
    POWER_MAX = 22, // 10^22 is the last power of ten that a double holds
};

static const double powers[POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#endif
