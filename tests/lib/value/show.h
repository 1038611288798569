// SPDX-License-Identifier: MIT
// A tree as one line of text, so that tables of tests can say what they expect: nil, true, -1,
// 18446744073709551615u, 0x1p+0, 'text', x'00ff', [1, 2], {'k': 1}, datetime'...'.
#ifndef TESTS_SHOW_H
#define TESTS_SHOW_H

#include <stddef.h>

#include <cachekit/value.h>

enum { SHOW_MAX = 4096 };

// Recursive: for shallow trees. Returns `out`; a line that does not fit is cut.
const char *show(const cachekit_value *value, char out[SHOW_MAX]);

#endif
