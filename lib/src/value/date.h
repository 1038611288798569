// SPDX-License-Identifier: MIT
// The ISO 8601 texts that Python's isoformat() writes.
#ifndef CKI_DATE_H
#define CKI_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/value.h>

// What a text says. Fields that it does not have are 0.
struct date {
    int year, month, day;
    int hour, minute, second, microsecond;
    bool has_offset;
    int64_t offset_us; // east of UTC
};

// Whether `text` is a DATETIME, DATE or TIME as `type` says; `date` is written only then.
bool cki_date_parse(uint32_t type, const char *text, size_t len, struct date *date);

// Microseconds since 1970-01-01T00:00:00 of the same offset.
int64_t cki_date_us(const struct date *date);

#endif
