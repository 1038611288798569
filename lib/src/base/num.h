// SPDX-License-Identifier: MIT
// Arithmetic that says when it does not fit.
#ifndef CKI_NUM_H
#define CKI_NUM_H

#include <stdbool.h>
#include <stddef.h>

static inline bool cki_add_size(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool cki_mul_size(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

#endif
