// SPDX-License-Identifier: MIT
// Foreign text (file names, a subject's last words) ends up in faults, so everything that is not
// printable ASCII is replaced here, once, before it can reach a terminal.
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

#undef fault_set
bool fault_set(struct fault *fault, const char *format, ...)
{
    if (fault != NULL) {
        struct fault fresh;
        va_list args;
        va_start(args, format);
        (void)vsnprintf(fresh.text, sizeof fresh.text, format, args);
        va_end(args);
        for (char *c = fresh.text; *c != '\0'; c++) {
            if (*c < 0x20 || *c > 0x7e) {
                *c = '?';
            }
        }
        *fault = fresh;
    }
    return false;
}
