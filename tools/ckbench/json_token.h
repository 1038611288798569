// SPDX-License-Identifier: MIT
// Strings and numbers of JSON by the letter of RFC 8259, for the two readers that there are: files
// (store/json.h) and lines of subjects (measure/flat_json.h). Nothing is allocated. Beside fault.h;
// store and measure may include it.
#ifndef CKBENCH_JSON_TOKEN_H
#define CKBENCH_JSON_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

// The string at `*at` (its opening quote), decoded to `*to` with a NUL behind it; both move on.
// What is written is never longer than what was read. NULL, or what is wrong.
const char *json_token_text(const char **at, const char *end, char **to);

// Finds the end of the number at `*at`, which is before `end`. `*is_decimal`: it has a fraction or
// an exponent. NULL, or what is wrong.
const char *json_token_number(const char **at, const char *end, bool *is_decimal);

// Bytes of the well-formed sequence of more than one byte at `text`, 0 when it is none. `room` is
// what may be looked at; behind a terminated text it is as good as endless.
size_t json_token_utf8(const char *text, size_t room);

#endif
