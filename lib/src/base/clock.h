// SPDX-License-Identifier: MIT
// The time through the caller's hook. A NULL clock is the coarse monotonic one.
#ifndef CKI_CLOCK_H
#define CKI_CLOCK_H

#include <cachekit/clock.h>

int64_t cki_now_ns(const cachekit_clock *clock);

// The coarse monotonic clock as a function of a clock.
int64_t cki_coarse_ns(void *context);

// What a clock without a function points to.
static inline int64_t cki_tick(const void *tick)
{
    return __atomic_load_n((const int64_t *)tick, __ATOMIC_ACQUIRE);
}

#endif
