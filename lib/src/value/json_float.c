// SPDX-License-Identifier: MIT
// Both directions have a short way for numbers of at most 15 digits, which most are: a double
// below 2^53 divided by an exact power of ten is correctly rounded. The rest goes through exact
// big integers: Steele and White's free-format output (as in Burger and Dybvig, "Printing
// floating-point numbers quickly and accurately", 1996), and long division for input.
#include "value/json_float.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "value/json_big.h"

enum {
    DIGITS_MAX = 17,   // a double never needs more
    DIGITS_KEPT = 768, // read exactly; a longer tail can only break a tie
    FRACTION_BITS = 52,
    EXPONENT_BIAS = 1075, // of the fraction as an integer
    EXPONENT_FULL = 2047,
    POWER_MAX = 22, // 10^22 is the last power of ten that a double holds
    FIXED_MIN = -3, // point positions that are written without an exponent
    FIXED_MAX = 16,
};

#define SHORT_LIMIT 1e15

_Static_assert(FLT_EVAL_METHOD == 0, "the short ways need arithmetic in double itself");

static const double powers[POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

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
