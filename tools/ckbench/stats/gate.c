// SPDX-License-Identifier: MIT
#include "stats/gate.h"

#include <stdarg.h>
#include <stdio.h>

void gate_reason(struct gate_path *path, const char *format, ...)
{
    if (path->reason_count < GATE_REASONS) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(path->reasons[path->reason_count++], GATE_REASON, format, args);
        va_end(args);
    }
}
