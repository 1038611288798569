// SPDX-License-Identifier: MIT
// A cursor over the text, where each piece either moves on or says no. Ranges are those of
// Python's datetime: years 1 to 9999, no leap second, an offset of less than a day.
#include "value/date.h"

#include <string.h>

#define SECOND_US INT64_C(1000000)
#define DAY_US    (86400 * SECOND_US)

struct cursor {
    const char *at;
    const char *end;
};

static bool take(struct cursor *cursor, char c)
{
    if (cursor->at == cursor->end || *cursor->at != c) {
        return false;
    }
    cursor->at++;
    return true;
}

static bool is_digit(const struct cursor *cursor)
{
    return cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
}

// Exactly `digits` digits whose number lies in [low, high].
static bool number(struct cursor *cursor, int digits, int low, int high, int *out)
{
    int sum = 0;
    for (int i = 0; i < digits; i++) {
        if (!is_digit(cursor)) {
            return false;
        }
        sum = sum * 10 + (*cursor->at++ - '0');
    }
    *out = sum;
    return sum >= low && sum <= high;
}

// isoformat() writes six digits or none; other writers of the protocol drop trailing zeros.
static bool fraction(struct cursor *cursor, int *microsecond)
{
    *microsecond = 0;
    if (!take(cursor, '.')) {
        return true;
    }
    int unit = 100000;
    for (; unit > 0 && is_digit(cursor); unit /= 10) {
        *microsecond += unit * (*cursor->at++ - '0');
    }
    return unit < 100000;
}

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

static bool calendar(struct cursor *cursor, struct date *date)
{
    return number(cursor, 4, 1, 9999, &date->year) && take(cursor, '-') &&
           number(cursor, 2, 1, 12, &date->month) && take(cursor, '-') &&
           number(cursor, 2, 1, days_in(date->year, date->month), &date->day);
}

static bool offset(struct cursor *cursor, struct date *date)
{
    date->has_offset = true;
    if (take(cursor, 'Z') || take(cursor, 'z')) {
        return true;
    }
    bool is_west = take(cursor, '-');
    int hour, minute, second = 0, microsecond = 0;
    if ((!is_west && !take(cursor, '+')) || !number(cursor, 2, 0, 23, &hour) ||
        !take(cursor, ':') || !number(cursor, 2, 0, 59, &minute)) {
        return false;
    }
    if (take(cursor, ':') &&
        (!number(cursor, 2, 0, 59, &second) || !fraction(cursor, &microsecond))) {
        return false;
    }
    int64_t us = ((hour * 60 + minute) * 60 + second) * SECOND_US + microsecond;
    date->offset_us = is_west ? -us : us;
    return true;
}

static bool clock_time(struct cursor *cursor, struct date *date)
{
    if (!number(cursor, 2, 0, 23, &date->hour) || !take(cursor, ':') ||
        !number(cursor, 2, 0, 59, &date->minute) || !take(cursor, ':') ||
        !number(cursor, 2, 0, 59, &date->second) || !fraction(cursor, &date->microsecond)) {
        return false;
    }
    return cursor->at == cursor->end || offset(cursor, date);
}

bool cki_date_parse(uint32_t type, const char *text, size_t len, struct date *date)
{
    struct cursor cursor = {text, text + len};
    struct date found = {0};
    bool has_day = type == CACHEKIT_DATETIME || type == CACHEKIT_DATE;
    bool has_time = type == CACHEKIT_DATETIME || type == CACHEKIT_TIME;
    if ((!has_day && !has_time) || len == 0 || (has_day && !calendar(&cursor, &found)) ||
        (has_day && has_time && !take(&cursor, 'T')) ||
        (has_time && !clock_time(&cursor, &found)) || cursor.at != cursor.end) {
        return false;
    }
    *date = found;
    return true;
}

// Days since 1970-01-01 in the proleptic Gregorian calendar, counting years from March so that
// the leap day comes last.
static int64_t days_since_epoch(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t m = month <= 2 ? month + 9 : month - 3;
    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

int64_t cki_date_us(const struct date *date)
{
    int64_t seconds = (date->hour * 60 + date->minute) * 60 + date->second;
    return days_since_epoch(date->year, date->month, date->day) * DAY_US + seconds * SECOND_US +
           date->microsecond;
}
