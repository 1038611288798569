// SPDX-License-Identifier: MIT
// Numbers. The spelling decides the type: no point and no exponent is an integer, which is exact
// or refused.
#include <string.h>

#include "value/json_float.h"
#include "value/json_reader.h"

static size_t digits_len(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *start = at;
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return (size_t)(at - start);
}

size_t cki_json_number_len(const uint8_t *text, size_t len, bool *is_float)
{
    const uint8_t *at = text;
    const uint8_t *end = text + len;
    *is_float = false;
    at += at < end && *at == '-';
    size_t whole = digits_len(at, end);
    if (whole == 0 || (whole > 1 && *at == '0')) {
        return 0;
    }
    at += whole;
    if (at < end && *at == '.') {
        *is_float = true;
        size_t fraction = digits_len(at + 1, end);
        if (fraction == 0) {
            return 0;
        }
        at += 1 + fraction;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        *is_float = true;
        at++;
        at += at < end && (*at == '-' || *at == '+');
        size_t exponent = digits_len(at, end);
        if (exponent == 0) {
            return 0;
        }
        at += exponent;
    }
    return (size_t)(at - text);
}

bool cki_json_integer(const uint8_t *text, size_t len, cachekit_value *out)
{
    bool is_negative = text[0] == '-';
    uint64_t number = 0;
    for (size_t i = is_negative; i < len; i++) {
        if (__builtin_mul_overflow(number, UINT64_C(10), &number) ||
            __builtin_add_overflow(number, (uint64_t)(text[i] - '0'), &number)) {
            return false;
        }
    }
    uint64_t least = UINT64_C(1) << 63;
    if (!is_negative) {
        *out = cachekit_value_u64(number);
        return true;
    }
    *out = cachekit_value_i64(number == least ? INT64_MIN : -(int64_t)number);
    return number <= least;
}

cachekit_status cki_json_read_number(struct cki_json_reader *reader, cachekit_value *out)
{
    const uint8_t *text = reader->at;
    bool is_float;
    size_t len = cki_json_number_len(text, (size_t)(reader->end - text), &is_float);
    if (len == 0) {
        return cki_json_refuse(reader, CACHEKIT_E_DECODE, text, "malformed number");
    }
    reader->at += len;
    if (!is_float) {
        return cki_json_integer(text, len, out)
                   ? CACHEKIT_OK
                   : cki_json_refuse(reader, CACHEKIT_E_VALUE, text, "integer beyond 64 bits");
    }
    double number;
    if (!cki_float_read(text, len, &number)) {
        return cki_json_refuse(reader, CACHEKIT_E_VALUE, text, "float beyond binary64");
    }
    *out = cachekit_value_f64(number);
    return CACHEKIT_OK;
}
