// SPDX-License-Identifier: MIT
// The timed loop and what is read around it. The CPU clock is read last before the loop and first
// behind it: whatever else is read costs the loop nothing. This file is compiled with -O2 in every
// build, as loop.c is.
#include "kit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_BYTES = 4096, SETTLE_CALLS = 1000, SETTLE_PERCENT = 10 };

static uint64_t ckbench_clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

// The peak starts anew from here. False where the kernel does not offer that.
static bool ckbench_peak_reset(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    bool is_reset = fd >= 0 && write(fd, "5", 1) == 1;
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_reset;
}

static uint64_t ckbench_peak_kib(void)
{
    char text[STATUS_BYTES];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) {
        (void)close(fd);
    }
    text[len > 0 ? len : 0] = '\0';
    const char *line = strstr(text, "VmHWM:");
    return line != NULL ? strtoull(line + strlen("VmHWM:"), NULL, 10) : 0;
}

// One batch after the other; each by the wall clock, one reading between two.
CKBENCH_KEPT static void ckbench_batches(struct ckbench_bracket *b)
{
    uint64_t before = ckbench_clock_ns(CLOCK_MONOTONIC);
    for (uint64_t i = 0; i < b->batches; i++) {
        ckbench_loop(b->op, b->state, b->calls);
        uint64_t after = ckbench_clock_ns(CLOCK_MONOTONIC);
        b->samples_ns[i] = after - before;
        before = after;
    }
}

// Until the last thousand calls vary by less than a tenth, `warmup` of them at least and twice that
// at most: never adapted to what is being compared, since both bounds are the asker's.
static uint64_t ckbench_settle(const struct ckbench_bracket *b)
{
    uint64_t done = 0, last_ns = 0;
    while (done < 2 * b->warmup) {
        uint64_t before = ckbench_clock_ns(CLOCK_MONOTONIC);
        ckbench_loop(b->op, b->state, SETTLE_CALLS);
        uint64_t took = ckbench_clock_ns(CLOCK_MONOTONIC) - before;
        uint64_t gap = took > last_ns ? took - last_ns : last_ns - took;
        done += SETTLE_CALLS;
        if (done >= b->warmup && gap * 100 < took * SETTLE_PERCENT) {
            break;
        }
        last_ns = took;
    }
    return done;
}

void ckbench_bracket(void *context)
{
    struct ckbench_bracket *b = context;
    struct rusage before, after;
    if (b->is_settling) {
        b->warmup = ckbench_settle(b);
    } else {
        ckbench_loop(b->op, b->state, b->warmup);
    }
    b->has_peak = ckbench_peak_reset();
    b->allocations = ckbench_allocations();
    (void)getrusage(RUSAGE_SELF, &before);
    uint64_t wall_ns = ckbench_clock_ns(CLOCK_MONOTONIC);
    uint64_t cpu_ns = ckbench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (b->crowd != NULL) {
        b->is_short = !ckbench_crowd_calls(b->crowd);
    } else if (b->samples_ns != NULL) {
        ckbench_batches(b);
    } else {
        ckbench_loop(b->op, b->state, b->calls);
    }
    b->cpu_ns = ckbench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
    b->wall_ns = ckbench_clock_ns(CLOCK_MONOTONIC) - wall_ns;
    (void)getrusage(RUSAGE_SELF, &after);
    b->allocations = ckbench_allocations() - b->allocations;
    b->peak_kib = b->has_peak ? ckbench_peak_kib() : 0;
    b->minor_faults = (uint64_t)(after.ru_minflt - before.ru_minflt);
    b->major_faults = (uint64_t)(after.ru_majflt - before.ru_majflt);
    b->voluntary_switches = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw);
    b->involuntary_switches = (uint64_t)(after.ru_nivcsw - before.ru_nivcsw);
}
