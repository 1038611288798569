// SPDX-License-Identifier: MIT
// Ends of children in words, for faults and reports.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "measure/proc.h"

const char *proc_signal_text(int signal, char *buffer, size_t size)
{
    const char *name = sigabbrev_np(signal);
    if (name != NULL) {
        (void)snprintf(buffer, size, "SIG%s", name);
    } else {
        (void)snprintf(buffer, size, "signal %d", signal);
    }
    return buffer;
}

const char *proc_end_text(const struct proc_result *result, char *buffer, size_t size)
{
    char name[16];
    static const char *const texts[] = {
        [PROC_TALKED] = "printed more than 64 MiB and was ended",
        [PROC_BAD_LINE] = "answered with a line that is cut or longer than 4,096 bytes",
        [PROC_STOPPED] = "was ended because of its answers",
        [PROC_INTERRUPTED] = "was ended by an interruption",
        [PROC_LOST] = "was lost: its keeper was killed from outside",
    };
    if (result->end == PROC_EXITED) {
        (void)snprintf(buffer, size, "ended with exit status %d", result->status);
    } else if (result->end == PROC_SIGNALLED) {
        (void)snprintf(buffer, size, "was killed by %s",
                       proc_signal_text(result->signal, name, sizeof name));
    } else if (result->end == PROC_NOT_STARTED) {
        (void)snprintf(buffer, size, "could not be started: %s", strerror(result->error));
    } else if (result->end == PROC_TIMED_OUT) {
        (void)snprintf(buffer, size, "was silent for %g s and was ended",
                       (double)result->timeout_ms / 1000);
    } else {
        (void)snprintf(buffer, size, "%s", texts[result->end]);
    }
    return buffer;
}
