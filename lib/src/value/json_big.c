// SPDX-License-Identifier: MIT
// Schoolbook arithmetic on 32-bit limbs, least significant first. Copying a number by assignment
// copies all limbs; the few copies are not where the time goes.
#include "value/json_big.h"

#include <stdbool.h>
#include <string.h>

static void push(struct cki_big *big, uint32_t limb)
{
    if (limb != 0) {
        big->limb[big->len++] = limb;
    }
}

void cki_big_set(struct cki_big *big, uint64_t number)
{
    big->len = 0;
    if (number > UINT32_MAX) {
        big->limb[big->len++] = (uint32_t)number;
        number >>= 32;
    }
    push(big, (uint32_t)number);
}

void cki_big_mul_add(struct cki_big *big, uint32_t factor, uint32_t summand)
{
    uint64_t carry = summand;
    for (unsigned i = 0; i < big->len; i++) {
        carry += (uint64_t)big->limb[i] * factor;
        big->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    push(big, (uint32_t)carry);
}

void cki_big_mul_pow10(struct cki_big *big, unsigned exponent)
{
    static const uint32_t powers[] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    for (; exponent >= 9; exponent -= 9) {
        cki_big_mul_add(big, 1000000000, 0);
    }
    if (exponent > 0) {
        cki_big_mul_add(big, powers[exponent], 0);
    }
}

void cki_big_shift(struct cki_big *big, unsigned bits)
{
    unsigned limbs = bits / 32;
    unsigned rest = bits % 32;
    if (big->len == 0) {
        return;
    }
    if (limbs > 0) {
        memmove(big->limb + limbs, big->limb, big->len * sizeof big->limb[0]);
        memset(big->limb, 0, limbs * sizeof big->limb[0]);
        big->len += limbs;
    }
    if (rest == 0) {
        return;
    }
    uint32_t carry = 0;
    for (unsigned i = limbs; i < big->len; i++) {
        uint32_t limb = big->limb[i];
        big->limb[i] = limb << rest | carry;
        carry = limb >> (32 - rest);
    }
    push(big, carry);
}

void cki_big_add(struct cki_big *big, const struct cki_big *other)
{
    while (big->len < other->len) {
        big->limb[big->len++] = 0;
    }
    uint64_t carry = 0;
    for (unsigned i = 0; i < big->len; i++) {
        carry += (uint64_t)big->limb[i] + (i < other->len ? other->limb[i] : 0);
        big->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    push(big, (uint32_t)carry);
}

void cki_big_sub(struct cki_big *big, const struct cki_big *other)
{
    int64_t carry = 0;
    for (unsigned i = 0; i < big->len; i++) {
        carry += (int64_t)big->limb[i] - (i < other->len ? (int64_t)other->limb[i] : 0);
        big->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    while (big->len > 0 && big->limb[big->len - 1] == 0) {
        big->len--;
    }
}

int cki_big_compare(const struct cki_big *a, const struct cki_big *b)
{
    if (a->len != b->len) {
        return a->len < b->len ? -1 : 1;
    }
    for (unsigned i = a->len; i-- > 0;) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

unsigned cki_big_bits(const struct cki_big *big)
{
    if (big->len == 0) {
        return 0;
    }
    return 32 * big->len - (unsigned)__builtin_clz(big->limb[big->len - 1]);
}
