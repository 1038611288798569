// SPDX-License-Identifier: MIT
// The short way is for numbers of at most 15 digits, which most are: a double below 2^53 divided by
// an exact power of ten is correctly rounded. The rest goes through exact big integers: Steele and
// White's free-format output (as in Burger and Dybvig, "Printing floating-point numbers quickly and
// accurately", 1996).
#include "value/json_float.h"

#include <string.h>

#include "value/json_big.h"
#include "value/json_double.h"

enum {
    DIGITS_MAX = 17, // a double never needs more
    FIXED_MIN = -3,  // point positions that are written without an exponent
    FIXED_MAX = 16,
};

#define SHORT_LIMIT 1e15

// 0.d1 d2 d3 ... * 10^point
struct decimal {
    int point;
    unsigned count;
    char digits[DIGITS_MAX + 3];
};

static void set_digits(struct decimal *decimal, uint64_t number, int scale)
{
    char reversed[20];
    unsigned count = 0;
    for (; number > 0; number /= 10) {
        reversed[count++] = (char)('0' + number % 10);
    }
    for (unsigned i = 0; i < count; i++) {
        decimal->digits[i] = reversed[count - 1 - i];
    }
    decimal->point = (int)count - scale;
    while (count > 1 && decimal->digits[count - 1] == '0') {
        count--;
    }
    decimal->count = count;
}

// Numbers n / 10^k with n of at most 15 digits. There is at most one such n for a k, because the
// decimals of 15 digits lie further apart than doubles do; the least k has the fewest digits.
static bool shorten(double number, struct decimal *decimal)
{
    for (int k = 0; k <= POWER_MAX; k++) {
        double scaled = number * powers[k];
        if (scaled >= SHORT_LIMIT) {
            return false;
        }
        uint64_t n = (uint64_t)(scaled + 0.5);
        if ((double)n / powers[k] == number) {
            set_digits(decimal, n, k);
            return true;
        }
    }
    return false;
}

// The number as r / s, and the distances to its neighbours' midpoints as above / s, below / s.
struct ratio {
    struct cki_big r;
    struct cki_big s;
    struct cki_big above;
    struct cki_big below;
    bool is_even; // midpoints round to this number
};

static int set_ratio(struct ratio *ratio, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
    int biased = (int)(bits >> FRACTION_BITS) & EXPONENT_FULL;
    // Just above a power of two the neighbour below is half as far.
    unsigned lopsided = fraction == 0 && biased > 1;
    if (biased > 0) {
        fraction |= UINT64_C(1) << FRACTION_BITS;
    } else {
        biased = 1;
    }
    int exponent = biased - EXPONENT_BIAS;
    unsigned up = exponent > 0 ? (unsigned)exponent : 0;
    unsigned down = exponent < 0 ? (unsigned)-exponent : 0;
    cki_big_set(&ratio->r, fraction);
    cki_big_shift(&ratio->r, up + 1 + lopsided);
    cki_big_set(&ratio->s, 1);
    cki_big_shift(&ratio->s, down + 1 + lopsided);
    cki_big_set(&ratio->above, 1);
    cki_big_shift(&ratio->above, up + lopsided);
    cki_big_set(&ratio->below, 1);
    cki_big_shift(&ratio->below, up);
    ratio->is_even = (fraction & 1) == 0;
    // floor(log10(number)) or up to two less, from the place of the leading bit.
    int log2 = exponent + 63 - __builtin_clzll(fraction);
    return (log2 * 1233 - (log2 < 0 ? 2 * 4095 : 0)) / 4096;
}

static void scale_by_ten(struct ratio *ratio)
{
    cki_big_mul_add(&ratio->r, 10, 0);
    cki_big_mul_add(&ratio->above, 10, 0);
    cki_big_mul_add(&ratio->below, 10, 0);
}

static bool reaches_above(const struct ratio *ratio)
{
    struct cki_big sum = ratio->r;
    cki_big_add(&sum, &ratio->above);
    int order = cki_big_compare(&sum, &ratio->s);
    return order > 0 || (order == 0 && ratio->is_even);
}

static bool reaches_below(const struct ratio *ratio)
{
    int order = cki_big_compare(&ratio->r, &ratio->below);
    return order < 0 || (order == 0 && ratio->is_even);
}

static bool is_nearer_above(const struct ratio *ratio, unsigned digit)
{
    struct cki_big twice = ratio->r;
    cki_big_shift(&twice, 1);
    int order = cki_big_compare(&twice, &ratio->s);
    return order > 0 || (order == 0 && (digit & 1) != 0);
}

// Digits until what is left is within a midpoint of the number.
static void generate(struct ratio *ratio, struct decimal *decimal)
{
    for (decimal->count = 0;;) {
        unsigned digit = 0;
        while (cki_big_compare(&ratio->r, &ratio->s) >= 0) {
            cki_big_sub(&ratio->r, &ratio->s);
            digit++;
        }
        bool low = reaches_below(ratio);
        bool high = reaches_above(ratio);
        if (high && (!low || is_nearer_above(ratio, digit))) {
            digit++;
        }
        decimal->digits[decimal->count++] = (char)('0' + digit);
        if (low || high) {
            return;
        }
        scale_by_ten(ratio);
    }
}

static void convert(double number, struct decimal *decimal)
{
    struct ratio ratio;
    int point = set_ratio(&ratio, number);
    if (point >= 0) {
        cki_big_mul_pow10(&ratio.s, (unsigned)point);
    } else {
        cki_big_mul_pow10(&ratio.r, (unsigned)-point);
        cki_big_mul_pow10(&ratio.above, (unsigned)-point);
        cki_big_mul_pow10(&ratio.below, (unsigned)-point);
    }
    // Here the ratio is at least one; bring it below.
    while (reaches_above(&ratio)) {
        cki_big_mul_add(&ratio.s, 10, 0);
        point++;
    }
    scale_by_ten(&ratio);
    decimal->point = point;
    generate(&ratio, decimal);
}

static char *put_digits(char *at, const char *digits, unsigned count)
{
    memcpy(at, digits, count);
    return at + count;
}

static char *put_zeros(char *at, int count)
{
    for (int i = 0; i < count; i++) {
        *at++ = '0';
    }
    return at;
}

static char *put_fixed(char *at, const struct decimal *decimal)
{
    int count = (int)decimal->count;
    if (decimal->point <= 0) {
        *at++ = '0';
        *at++ = '.';
        at = put_zeros(at, -decimal->point);
        return put_digits(at, decimal->digits, decimal->count);
    }
    int whole = count < decimal->point ? count : decimal->point;
    at = put_digits(at, decimal->digits, (unsigned)whole);
    at = put_zeros(at, decimal->point - whole);
    *at++ = '.';
    if (whole == count) {
        *at++ = '0';
    }
    return put_digits(at, decimal->digits + whole, (unsigned)(count - whole));
}

static char *put_exponent(char *at, const struct decimal *decimal)
{
    *at++ = decimal->digits[0];
    if (decimal->count > 1) {
        *at++ = '.';
        at = put_digits(at, decimal->digits + 1, decimal->count - 1);
    }
    *at++ = 'e';
    int exponent = decimal->point - 1;
    if (exponent < 0) {
        *at++ = '-';
        exponent = -exponent;
    }
    for (int unit = exponent >= 100 ? 100 : exponent >= 10 ? 10 : 1; unit > 0; unit /= 10) {
        *at++ = (char)('0' + exponent / unit % 10);
    }
    return at;
}

size_t cki_float_write(double number, char *out)
{
    char *at = out;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (bits >> 63 != 0) {
        *at++ = '-';
        number = -number;
    }
    struct decimal decimal;
    if (number == 0) {
        decimal = (struct decimal){1, 1, "0"};
    } else if (!shorten(number, &decimal)) {
        convert(number, &decimal);
    }
    bool is_fixed = decimal.point >= FIXED_MIN && decimal.point <= FIXED_MAX;
    at = is_fixed ? put_fixed(at, &decimal) : put_exponent(at, &decimal);
    return (size_t)(at - out);
}
