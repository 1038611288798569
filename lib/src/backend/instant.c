// SPDX-License-Identifier: MIT
// The fine monotonic clock and what is left until a deadline.
#include "backend/instant.h"

#include <limits.h>
#include <time.h>

int64_t cki_instant_ns(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int cki_instant_left_ms(int64_t deadline_ns)
{
    int64_t now = cki_instant_ns();
    if (deadline_ns <= now) {
        return 0;
    }
    int64_t left_ms = (deadline_ns - now - 1) / 1000000 + 1;
    return left_ms < INT_MAX ? (int)left_ms : INT_MAX;
}
