// SPDX-License-Identifier: MIT
// Elements of a set and pairs of a map, as stretches of bytes that are being packed, and their
// order: by rank and number where keys are numbers, by bytes otherwise, a prefix first.
#ifndef CKI_SPANS_H
#define CKI_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cki_span {
    size_t at, len;         // all of it
    size_t key_at, key_len; // what it is ordered by
    uint64_t number;        // before the bytes of the key
    uint8_t rank;           // before the number
    uint8_t sort;           // a cki_key_sort
};

// Whether each comes after the one before it, and is not equal to it.
bool cki_spans_ascend(const uint8_t *bytes, const struct cki_span *spans, size_t count);

void cki_spans_sort(const uint8_t *bytes, struct cki_span *spans, size_t count);

// Of equal ones among sorted spans only the first is kept; returns how many are left.
size_t cki_spans_distinct(const uint8_t *bytes, struct cki_span *spans, size_t count);

#endif
