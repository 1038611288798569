// SPDX-License-Identifier: MIT
// The clock of a measured child: every read is one microsecond later than the one before, on all
// clocks together. They start low on purpose: a deadline taken from one of them lies in the past
// of the kernel's clock, so waiting for it ends at once instead of after days.
#include "kit.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { REAL_START_S = 1000000000, MONOTONIC_START_S = 100, US_PER_S = 1000000, NS_PER_US = 1000 };

static uint64_t ckbench_now_us;

static uint64_t ckbench_tick(void)
{
    (void)__atomic_fetch_add(&ckbench_read_counts.clock, 1, __ATOMIC_RELAXED);
    return __atomic_add_fetch(&ckbench_now_us, 1, __ATOMIC_RELAXED);
}

static int64_t ckbench_clock_start(clockid_t id)
{
    switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        return REAL_START_S;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return 0;
    default:
        return MONOTONIC_START_S;
    }
}

static int ckbench_pinned_clock_gettime(clockid_t id, struct timespec *now)
{
    // CPU clocks of other processes and clocks of devices have negative numbers.
    if (id > CLOCK_TAI || now == NULL) {
        errno = now == NULL ? EFAULT : EINVAL;
        return -1;
    }
    uint64_t us = ckbench_tick();
    now->tv_sec = (time_t)(ckbench_clock_start(id) + (int64_t)(us / US_PER_S));
    now->tv_nsec = (long)(us % US_PER_S * NS_PER_US);
    return 0;
}

static int ckbench_pinned_gettimeofday(struct timeval *now, void *zone)
{
    (void)zone;
    if (now != NULL) {
        uint64_t us = ckbench_tick();
        now->tv_sec = (time_t)(REAL_START_S + (int64_t)(us / US_PER_S));
        now->tv_usec = (suseconds_t)(us % US_PER_S);
    }
    return 0;
}

static time_t ckbench_pinned_time(time_t *now)
{
    time_t seconds = (time_t)(REAL_START_S + (int64_t)(ckbench_tick() / US_PER_S));
    if (now != NULL) {
        *now = seconds;
    }
    return seconds;
}

static int ckbench_pinned_timespec_get(struct timespec *now, int base)
{
    if (base != TIME_UTC) {
        return 0;
    }
    (void)ckbench_pinned_clock_gettime(CLOCK_REALTIME, now);
    return base;
}

static clock_t ckbench_pinned_clock(void)
{
    return (clock_t)ckbench_tick();
}

// For a program without a C library behind it to ask: a static one.
static int ckbench_raw_clock_gettime(clockid_t id, struct timespec *now)
{
    return (int)syscall(SYS_clock_gettime, id, now);
}

static int ckbench_raw_gettimeofday(struct timeval *now, void *zone)
{
    return (int)syscall(SYS_gettimeofday, now, zone);
}

static time_t ckbench_raw_time(time_t *now)
{
    struct timespec at = {0, 0};
    (void)ckbench_raw_clock_gettime(CLOCK_REALTIME, &at);
    if (now != NULL) {
        *now = at.tv_sec;
    }
    return at.tv_sec;
}

static int ckbench_raw_timespec_get(struct timespec *now, int base)
{
    return base == TIME_UTC && ckbench_raw_clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

static clock_t ckbench_raw_clock(void)
{
    struct timespec at = {0, 0};
    (void)ckbench_raw_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (clock_t)(at.tv_sec * US_PER_S + at.tv_nsec / NS_PER_US);
}

static int (*ckbench_to_clock_gettime)(clockid_t, struct timespec *);
static int (*ckbench_to_gettimeofday)(struct timeval *, void *);
static time_t (*ckbench_to_time)(time_t *);
static int (*ckbench_to_timespec_get)(struct timespec *, int);
static clock_t (*ckbench_to_clock)(void);

#define CKBENCH_PIN(name)                                                                          \
    {                                                                                              \
#        name, 0, &ckbench_to_##name, (ckbench_any)ckbench_raw_##name,                             \
            (ckbench_any)ckbench_pinned_##name                                                     \
    }

const struct ckbench_pin ckbench_clock_pins[] = {
    CKBENCH_PIN(clock_gettime), CKBENCH_PIN(gettimeofday), CKBENCH_PIN(time),
    CKBENCH_PIN(timespec_get),  CKBENCH_PIN(clock),        {NULL, 0, NULL, NULL, NULL},
};

CKBENCH_SEEN int clock_gettime(clockid_t id, struct timespec *now)
{
    return CKBENCH_READY(clock_gettime)(id, now);
}

CKBENCH_SEEN int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    return CKBENCH_READY(gettimeofday)(now, zone);
}

CKBENCH_SEEN time_t time(time_t *now)
{
    return CKBENCH_READY(time)(now);
}

CKBENCH_SEEN int timespec_get(struct timespec *now, int base)
{
    return CKBENCH_READY(timespec_get)(now, base);
}

CKBENCH_SEEN clock_t clock(void)
{
    return CKBENCH_READY(clock)();
}
