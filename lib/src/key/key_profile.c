// SPDX-License-Identifier: MIT
// The three profiles as a table of small writers. Moments are microseconds everywhere; only the
// last step makes them a float of seconds, a text or a marked integer.
#include "key/key_profile.h"

#include <string.h>

#include <cachekit/value.h>

#include "key/key_hex.h"
#include "key/put.h"
#include "value/date.h"

#define SECOND_US INT64_C(1000000)
#define DAY_US    (86400 * SECOND_US)

// Of year 1 and of year 9999, the years that Python has.
#define CALENDAR_FIRST_US (-62135596800 * SECOND_US)
#define CALENDAR_END_US   (253402300800 * SECOND_US)

static bool is_finite(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits << 1 < UINT64_C(0xffe0000000000000);
}

// Both bounds are exact: casting what lies outside them would be undefined.
uint8_t *cki_put_collapsed(uint8_t *at, double number)
{
    if (!is_finite(number)) {
        return NULL;
    }
    if (number >= 0 && number < 18446744073709551616.0) {
        uint64_t whole = (uint64_t)number;
        return (double)whole == number ? cki_put_u64(at, whole) : cki_put_f64(at, number);
    }
    if (number < 0 && number >= -9223372036854775808.0) {
        int64_t whole = (int64_t)number;
        return (double)whole == number ? cki_put_i64(at, whole) : cki_put_f64(at, number);
    }
    return cki_put_f64(at, number);
}

// As cachekit_f64() makes them; a value tree may hold others.
static uint8_t *put_float(uint8_t *at, double number)
{
    return cki_put_f64(at, cachekit_f64(number).as.f64);
}

static uint8_t *put_seconds(uint8_t *at, const struct cki_moment *moment)
{
    return cki_put_collapsed(at, (double)moment->unix_us / 1e6);
}

static uint8_t *put_digits(uint8_t *at, int64_t number, int digits)
{
    for (int i = digits; i-- > 0; number /= 10) {
        at[i] = (uint8_t)('0' + number % 10);
    }
    return at + digits;
}

static uint8_t *put_clock(uint8_t *at, int64_t us, bool has_seconds)
{
    int64_t seconds = us / SECOND_US;
    at = put_digits(at, seconds / 3600, 2);
    *at++ = ':';
    at = put_digits(at, seconds / 60 % 60, 2);
    if (has_seconds || us % (60 * SECOND_US) != 0) {
        *at++ = ':';
        at = put_digits(at, seconds % 60, 2);
    }
    if (us % SECOND_US != 0) {
        *at++ = '.';
        at = put_digits(at, us % SECOND_US, 6);
    }
    return at;
}

// Days since 0000-03-01 to year, month and day; counting from March puts the leap day last.
static uint8_t *put_day(uint8_t *at, int64_t days)
{
    int64_t era = days / 146097, in_era = days % 146097; // eras of 400 years
    int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * in_year + 2) / 153; // 0 is March
    int64_t day = in_year - (153 * month + 2) / 5 + 1;
    at = put_digits(at, era * 400 + year + (month >= 10), 4);
    *at++ = '-';
    at = put_digits(at, month < 10 ? month + 3 : month - 9, 2);
    *at++ = '-';
    return put_digits(at, day, 2);
}

// As Python's isoformat().
static uint8_t *put_iso(uint8_t *at, const struct cki_moment *moment)
{
    uint8_t text[CKI_FIXED_MAX], *end = text;
    if (moment->unix_us < CALENDAR_FIRST_US - DAY_US ||
        moment->unix_us >= CALENDAR_END_US + DAY_US) {
        return NULL;
    }
    int64_t us = moment->unix_us + moment->offset_us, offset = moment->offset_us;
    if (us < CALENDAR_FIRST_US || us >= CALENDAR_END_US) {
        return NULL;
    }
    int64_t in_day = us % DAY_US, days = us / DAY_US;
    if (in_day < 0) { // C rounds toward zero, the calendar does not
        in_day += DAY_US;
        days--;
    }
    end = put_day(end, days + 719468);
    *end++ = 'T';
    end = put_clock(end, in_day, true);
    *end++ = offset < 0 ? '-' : '+';
    end = put_clock(end, offset < 0 ? -offset : offset, false);
    size_t len = (size_t)(end - text);
    return cki_put_body(cki_put_str(at, len), text, len);
}

static uint8_t *put_marked_moment(uint8_t *at, const struct cki_moment *moment)
{
    return cki_put_i64(cki_put_byte(at, CKI_LOCAL_MARK), moment->unix_us);
}

static uint8_t *put_uuid_text(uint8_t *at, const uint8_t *uuid)
{
    static const uint8_t ends[] = {4, 6, 8, 10, 16};
    char text[36], *end = text;
    for (size_t i = 0, from = 0; i < sizeof ends; from = ends[i++]) {
        if (from > 0) {
            *end++ = '-';
        }
        end = cki_put_hex(end, uuid + from, ends[i] - from);
    }
    return cki_put_body(cki_put_str(at, sizeof text), text, sizeof text);
}

static uint8_t *put_marked_uuid(uint8_t *at, const uint8_t *uuid)
{
    return cki_put_body(cki_put_bin(cki_put_byte(at, CKI_LOCAL_MARK), 16), uuid, 16);
}

const struct cki_profile cki_profile_interop = {
    .refusal = CACHEKIT_E_VALUE,
    .is_strict = true,
    .has_sets = true,
    .orders_by_value = true,
    .key_sorts = 1U << CKI_KEY_STR,
    .put_float = cki_put_collapsed,
    .put_moment = put_seconds,
    .put_uuid = put_uuid_text,
};

const struct cki_profile cki_profile_auto = {
    .refusal = CACHEKIT_E_VALUE,
    .is_strict = true,
    .orders_by_value = true,
    .wants_one_key_sort = true,
    .key_sorts = ~(1U << CKI_KEY_OTHER),
    .put_float = put_float,
    .put_moment = put_iso,
    .put_uuid = put_uuid_text,
};

const struct cki_profile cki_profile_local = {
    .refusal = CACHEKIT_E_INVALID,
    .has_sets = true,
    .marks_sets = true,
    .key_sorts = ~0U,
    .put_float = put_float,
    .put_moment = put_marked_moment,
    .put_uuid = put_marked_uuid,
};

static uint8_t *put_moment_text(const struct cki_profile *profile, uint8_t *at,
                                const cachekit_arg *arg)
{
    struct date date;
    if (!cki_date_parse(CACHEKIT_DATETIME, arg->as.data, arg->len, &date) || !date.has_offset) {
        return NULL;
    }
    const struct cki_moment moment = {cki_date_us(&date) - date.offset_us, date.offset_us};
    return profile->put_moment(at, &moment);
}

uint8_t *cki_put_fixed(const struct cki_profile *profile, uint8_t *at, const cachekit_arg *arg)
{
    const struct cki_moment moment = {arg->as.i64, 0};
    switch ((cachekit_arg_type)arg->type) {
    case CACHEKIT_ARG_NULL:
        return cki_put_byte(at, 0xc0);
    case CACHEKIT_ARG_BOOL:
        return cki_put_byte(at, arg->as.bits != 0 ? 0xc3 : 0xc2);
    case CACHEKIT_ARG_I64:
        return cki_put_i64(at, arg->as.i64);
    case CACHEKIT_ARG_U64:
        return cki_put_u64(at, arg->as.u64);
    case CACHEKIT_ARG_F64:
        return profile->put_float(at, arg->as.f64);
    case CACHEKIT_ARG_DATETIME_US:
        return profile->put_moment(at, &moment);
    case CACHEKIT_ARG_DATETIME_TEXT:
        return put_moment_text(profile, at, arg);
    default:
        return profile->put_uuid(at, arg->as.data);
    }
}
