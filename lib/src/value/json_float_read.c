// SPDX-License-Identifier: MIT
// The short way is for numbers of at most 15 digits, which most are: an integer below 2^53 times or
// over an exact power of ten is correctly rounded. The rest is a long division of big integers.
#include "value/json_float.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "value/json_big.h"
#include "value/json_double.h"

enum { DIGITS_KEPT = 768 }; // read exactly; a longer tail can only break a tie

// A number as digits * 10^exponent, with the digits both as an integer, if it is one of at most
// 19 digits, and as text.
struct literal {
    bool is_negative;
    bool has_tail;    // digits behind those kept, not all 0
    unsigned count;   // digits kept, without leading zeros
    int64_t exponent; // of the last digit kept
    uint64_t number;
    const uint8_t *first; // of the kept digits; a point may stand among them
};

static void take_digit(struct literal *literal, uint8_t digit, bool is_fraction, const uint8_t *at)
{
    if (literal->count == 0 && digit == 0) {
        literal->exponent -= is_fraction;
        return;
    }
    if (literal->count == DIGITS_KEPT) {
        literal->has_tail = literal->has_tail || digit != 0;
        literal->exponent += !is_fraction;
        return;
    }
    if (literal->count++ == 0) {
        literal->first = at;
    }
    literal->number = literal->number * 10 + digit; // meaningful up to 19 digits
    literal->exponent -= is_fraction;
}

static void scan(const uint8_t *at, const uint8_t *end, struct literal *literal)
{
    *literal = (struct literal){.is_negative = *at == '-'};
    at += literal->is_negative;
    bool is_fraction = false;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            is_fraction = true;
        } else {
            take_digit(literal, (uint8_t)(*at - '0'), is_fraction, at);
        }
    }
    if (at == end) {
        return;
    }
    at++;
    bool is_negative = *at == '-';
    at += *at == '-' || *at == '+';
    int64_t exponent = 0;
    for (; at < end; at++) {
        // No input is long enough for its digits to make up for more than this.
        if (exponent < INT64_C(1) << 40) {
            exponent = exponent * 10 + (*at - '0');
        }
    }
    literal->exponent += is_negative ? -exponent : exponent;
}

static void set_big(struct cki_big *big, const struct literal *literal)
{
    cki_big_set(big, 0);
    unsigned count = 0;
    for (const uint8_t *at = literal->first; count < literal->count; at++) {
        if (*at != '.') {
            cki_big_mul_add(big, 10, (uint32_t)(*at - '0'));
            count++;
        }
    }
}

// `top` * 2^exponent, and a bit more if `has_tail`, to the nearest double; bit 63 of `top` is set.
static double round_to_double(uint64_t top, int exponent, bool has_tail)
{
    int drop = 63 - FRACTION_BITS;
    int lowest = 1 - EXPONENT_BIAS;
    if (exponent + drop < lowest) {
        drop = lowest - exponent;
    }
    if (drop > 64) {
        return 0; // below half of the smallest subnormal
    }
    uint64_t kept = drop == 64 ? 0 : top >> drop;
    uint64_t rest = drop == 64 ? top : top << (64 - drop);
    uint64_t half = UINT64_C(1) << 63;
    if (rest > half || (rest == half && (has_tail || (kept & 1) != 0))) {
        kept++;
    }
    uint64_t hidden = UINT64_C(1) << FRACTION_BITS;
    int biased = exponent + drop + EXPONENT_BIAS;
    if (biased >= EXPONENT_FULL) {
        return (double)INFINITY;
    }
    // A carry out of the fraction raises the exponent by itself, up to infinity.
    uint64_t bits = kept >= hidden ? ((uint64_t)biased << FRACTION_BITS) + (kept - hidden) : kept;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// Divides with 64 bits of quotient, by shifting and subtracting.
static double divide(const struct literal *literal)
{
    struct cki_big n, d;
    set_big(&n, literal);
    cki_big_set(&d, 1);
    if (literal->exponent >= 0) {
        cki_big_mul_pow10(&n, (unsigned)literal->exponent);
    } else {
        cki_big_mul_pow10(&d, (unsigned)-literal->exponent);
    }
    int exponent = (int)cki_big_bits(&n) - (int)cki_big_bits(&d);
    if (exponent >= 0) {
        cki_big_shift(&d, (unsigned)exponent);
    } else {
        cki_big_shift(&n, (unsigned)-exponent);
    }
    if (cki_big_compare(&n, &d) < 0) {
        cki_big_shift(&n, 1);
        exponent--;
    }
    // Now d <= n < 2 d: the first bit of the quotient is 1.
    uint64_t quotient = 0;
    for (int i = 0; i < 64; i++) {
        quotient <<= 1;
        if (cki_big_compare(&n, &d) >= 0) {
            cki_big_sub(&n, &d);
            quotient |= 1;
        }
        cki_big_shift(&n, 1);
    }
    return round_to_double(quotient, exponent - 63, n.len > 0 || literal->has_tail);
}

static double magnitude(const struct literal *literal)
{
    if (literal->count == 0) {
        return 0;
    }
    int64_t point = literal->exponent + (int64_t)literal->count;
    if (point > 310) {
        return (double)INFINITY;
    }
    if (point < -330) {
        return 0;
    }
    int exponent = (int)literal->exponent;
    if (literal->count <= 15 && exponent >= -POWER_MAX && exponent <= POWER_MAX) {
        double number = (double)literal->number;
        return exponent < 0 ? number / powers[-exponent] : number * powers[exponent];
    }
    return divide(literal);
}

bool cki_float_read(const uint8_t *text, size_t len, double *out)
{
    struct literal literal;
    scan(text, text + len, &literal);
    double number = magnitude(&literal);
    *out = literal.is_negative ? -number : number;
    return number <= DBL_MAX;
}
