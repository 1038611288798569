// SPDX-License-Identifier: MIT
// Counts exceed 2^31 within a second of valgrind and must be exact to the last digit, so no figure
// passes through a floating-point number.
#include "render/figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t size_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static const char *group(char *out, const char *sign, uint64_t value)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, value);
    size_t at = strlen(sign);
    memcpy(out, sign, at);
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) {
            out[at++] = ',';
        }
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

const char *figure_grouped(char out[FIGURE_SIZE], int64_t value)
{
    return group(out, value < 0 ? "-" : "", size_of(value));
}

const char *figure_signed(char out[FIGURE_SIZE], int64_t value)
{
    return group(out, value < 0 ? "-" : value > 0 ? "+" : "", size_of(value));
}

const char *figure_fixed(char out[FIGURE_SIZE], int64_t scaled, unsigned decimals)
{
    uint64_t unit = 1;
    for (unsigned i = 0; i < decimals; i++) {
        unit *= 10;
    }
    const char *sign = scaled < 0 ? "-" : scaled > 0 ? "+" : "";
    uint64_t size = size_of(scaled);
    (void)group(out, sign, size / unit);
    if (decimals > 0) {
        size_t len = strlen(out);
        (void)snprintf(out + len, FIGURE_SIZE - len, ".%0*" PRIu64, (int)decimals, size % unit);
    }
    return out;
}

const char *figure_per(char out[FIGURE_SIZE], int64_t numerator, int64_t denominator)
{
    if (denominator <= 0) {
        (void)snprintf(out, FIGURE_SIZE, "-");
        return out;
    }
    uint64_t size = size_of(numerator);
    uint64_t by = (uint64_t)denominator;
    const char *sign = numerator < 0 ? "-" : "";
    uint64_t whole = size / by;
    uint64_t rest = size % by;
    if (rest == 0) {
        return group(out, sign, whole);
    }
    // Tenths of the rest alone, so that nothing overflows below 2^63 / 20.
    uint64_t tenths = by <= UINT64_MAX / 40 ? (rest * 20 + by) / (by * 2) : rest / (by / 10);
    whole += tenths / 10;
    (void)group(out, sign, whole);
    size_t len = strlen(out);
    (void)snprintf(out + len, FIGURE_SIZE - len, ".%" PRIu64, tenths % 10);
    return out;
}
