// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_CLOCK_H
#define CACHEKIT_CLOCK_H

#include <stdint.h>

#include <cachekit/export.h>

CACHEKIT_BEGIN_DECLS

/**
 * Where the time comes from. Where a function or an option takes a clock, NULL means the coarse
 * monotonic clock of the system: steps of 1 to 4 ms, no system call, does not count suspension.
 * The struct is borrowed and must outlive whatever was made with it; `now_ns` may be called from
 * every thread that calls the library, and must never run backwards.
 */
typedef struct cachekit_clock {
    /**
     * Nanoseconds since any fixed start. NULL: a tick. Then `context` points to an int64_t that the
     * program stores atomically as time goes by, and a look at the clock is one load.
     */
    int64_t (*now_ns)(void *context);
    void *context;
} cachekit_clock;

CACHEKIT_END_DECLS

#endif
