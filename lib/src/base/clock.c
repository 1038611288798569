// SPDX-License-Identifier: MIT
// The one place of the library that reads a clock. The coarse one costs a few nanoseconds where
// the fine one costs more than the rest of a hit.
#include "base/clock.h"

#include <stddef.h>
#include <time.h>

// POSIX has no coarse clock; Linux numbers it 6 and FreeBSD 12 (CLOCK_MONOTONIC_FAST).
#if defined(__linux__)
#    define COARSE_CLOCK 6
#elif defined(__FreeBSD__)
#    define COARSE_CLOCK 12
#else
#    define COARSE_CLOCK CLOCK_MONOTONIC
#endif

static int64_t as_ns(const struct timespec *now)
{
    return (int64_t)now->tv_sec * 1000000000 + now->tv_nsec;
}

// A kernel without the coarse clock still has the fine one, which POSIX requires. A function of its
// own: the way that is always gone saves no register for it.
__attribute__((noinline)) static int64_t fine_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return as_ns(&now);
}

int64_t cki_coarse_ns(void *context)
{
    struct timespec now;
    (void)context;
    return clock_gettime(COARSE_CLOCK, &now) == 0 ? as_ns(&now) : fine_ns();
}

int64_t cki_now_ns(const cachekit_clock *clock)
{
    if (clock == NULL) {
        return cki_coarse_ns(NULL);
    }
    return clock->now_ns != NULL ? clock->now_ns(clock->context) : cki_tick(clock->context);
}
