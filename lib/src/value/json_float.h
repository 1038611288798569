// SPDX-License-Identifier: MIT
// Doubles as decimal text and back, exactly and whatever the locale.
#ifndef CKI_JSON_FLOAT_H
#define CKI_JSON_FLOAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CKI_FLOAT_TEXT_MAX = 32 };

// The shortest text that reads back as `number` (finite), and of those the nearest; it always has
// a point or an exponent. Returns its length; there is no NUL behind it.
size_t cki_float_write(double number, char *out);

// Reads a text of JSON's number grammar (it is not checked again), rounded to nearest even.
// False when that would be an infinity.
bool cki_float_read(const uint8_t *text, size_t len, double *out);

#endif
