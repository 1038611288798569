// SPDX-License-Identifier: MIT
// Natural numbers of up to 4,096 bits: what exact conversion of a double may need, with 768
// significant digits in and the smallest subnormal out.
#ifndef CKI_JSON_BIG_H
#define CKI_JSON_BIG_H

#include <stdint.h>

enum { CKI_BIG_LIMBS = 128 };

struct cki_big {
    unsigned len; // limbs in use; the last one is not 0
    uint32_t limb[CKI_BIG_LIMBS];
};

// Callers stay below 4,096 bits; none of these checks.
void cki_big_set(struct cki_big *big, uint64_t number);
void cki_big_mul_add(struct cki_big *big, uint32_t factor, uint32_t summand);
void cki_big_mul_pow10(struct cki_big *big, unsigned exponent);
void cki_big_shift(struct cki_big *big, unsigned bits); // to the left
void cki_big_add(struct cki_big *big, const struct cki_big *other);
void cki_big_sub(struct cki_big *big, const struct cki_big *other); // big >= other
int cki_big_compare(const struct cki_big *a, const struct cki_big *b);
unsigned cki_big_bits(const struct cki_big *big);

#endif
