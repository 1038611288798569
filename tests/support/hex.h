// SPDX-License-Identifier: MIT
// Bytes written as hexadecimal text in tests and vectors.
#ifndef TESTS_HEX_H
#define TESTS_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline unsigned hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (unsigned)(c - 'a') + 10;
    }
    abort(); // a test's own typing error
}

// Appends what `text` says at `out + at`; blanks are skipped. Returns the new end.
static inline size_t hex_append(uint8_t *out, size_t at, size_t room, const char *text)
{
    for (const char *p = text; *p != '\0';) {
        if (*p == ' ') {
            p++;
            continue;
        }
        if (at == room) {
            abort();
        }
        out[at++] = (uint8_t)(hex_digit(p[0]) << 4 | hex_digit(p[1]));
        p += 2;
    }
    return at;
}

#endif
