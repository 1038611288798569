// SPDX-License-Identifier: MIT
// Foreign text (file names, a subject's last words) ends up in faults, so everything that is not
// printable ASCII is replaced here, once, before it can reach a terminal.
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Two paths of the longest kind and words around them.
enum { WHOLE_BYTES = 3 * 4096 };

// A text that is too long loses its middle: the cause and the cure stand at its end.
static void shorten(char *out, size_t size, const char *whole)
{
    static const char gap[] = " ... ";
    size_t length = strlen(whole);
    size_t start = size / 3;
    size_t end = size - 1 - start - (sizeof gap - 1);
    if (length < size) {
        memcpy(out, whole, length + 1);
    } else {
        memcpy(out, whole, start);
        memcpy(out + start, gap, sizeof gap - 1);
        memcpy(out + start + sizeof gap - 1, whole + length - end, end + 1);
    }
}

#undef fault_set
bool fault_set(struct fault *fault, const char *format, ...)
{
    if (fault != NULL) {
        struct fault fresh;
        char whole[WHOLE_BYTES];
        va_list args;
        va_start(args, format);
        (void)vsnprintf(whole, sizeof whole, format, args);
        va_end(args);
        shorten(fresh.text, sizeof fresh.text, whole);
        for (char *c = fresh.text; *c != '\0'; c++) {
            if (*c < 0x20 || *c > 0x7e) {
                *c = '?';
            }
        }
        *fault = fresh;
    }
    return false;
}
