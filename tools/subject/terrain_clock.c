// SPDX-License-Identifier: MIT
// The run's clock: the monotonic one of the system, measured before it is used, or a number that
// moves when a call, a wait or a simulated answer says so.
#include "terrain_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { CHUNKS = 300, CHUNK_READS = 1024, FLOOR_CALLS = 8192 };

static const int64_t SPIN_NS = 100000, NAP_NS = 50000000, APART_NS = 500000;

volatile sig_atomic_t ckbench_is_stopped;

static void ckbench_on_stop(int number)
{
    ckbench_is_stopped = number;
}

void ckbench_stop_on_signals(void)
{
    struct sigaction action = {.sa_handler = ckbench_on_stop};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
}

int64_t ckbench_monotonic_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * CKBENCH_NS_PER_S + now.tv_nsec;
}

static int ckbench_by_value(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

static int ckbench_no_call(void *state, const struct ckbench_ask *ask)
{
    (void)state;
    (void)ask;
    return 0;
}

// What a call that does nothing reads as.
static void ckbench_clock_floor(struct ckbench_clock *clock)
{
    static int64_t took[FLOOR_CALLS];
    int (*volatile call)(void *, const struct ckbench_ask *) = ckbench_no_call;
    for (size_t i = 0; i < FLOOR_CALLS; i++) {
        int64_t start = ckbench_monotonic_ns();
        (void)call(NULL, NULL);
        took[i] = ckbench_monotonic_ns() - start;
    }
    qsort(took, FLOOR_CALLS, sizeof *took, ckbench_by_value);
    clock->floor_p50_ns = (uint64_t)took[FLOOR_CALLS / 2 - 1];
    clock->floor_p99_ns = (uint64_t)took[(FLOOR_CALLS * 99 + 99) / 100 - 1];
}

static void ckbench_sleep_until(int64_t until_ns)
{
    struct timespec until = {until_ns / CKBENCH_NS_PER_S, until_ns % CKBENCH_NS_PER_S};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

// The least of many short chunks, over a fifth of a second: what else runs here only ever adds.
void ckbench_clock_calibrate(struct ckbench_clock *clock)
{
    if (clock->is_virtual) {
        clock->granule_ns = 1;
        return;
    }
    uint64_t least_ps = UINT64_MAX, granule = UINT64_MAX;
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        int64_t first = ckbench_monotonic_ns(), last = first;
        for (int i = 0; i < CHUNK_READS; i++) {
            int64_t now = ckbench_monotonic_ns();
            if (now > last && (uint64_t)(now - last) < granule) {
                granule = (uint64_t)(now - last);
            }
            last = now;
        }
        uint64_t ps = (uint64_t)(last - first) * 1000 / CHUNK_READS;
        least_ps = ps < least_ps ? ps : least_ps;
        ckbench_sleep_until(last + APART_NS);
    }
    clock->cost_ps = least_ps;
    clock->granule_ns = granule;
    ckbench_clock_floor(clock);
}

// Sleeps end late by more than some answers take, so the last part is spun.
void ckbench_clock_wait(struct ckbench_clock *clock, int64_t until_ns)
{
    if (clock->is_virtual) {
        clock->tick_ns = until_ns > clock->tick_ns ? until_ns : clock->tick_ns;
        return;
    }
    for (int64_t now = ckbench_monotonic_ns(); now < until_ns && !ckbench_is_stopped;
         now = ckbench_monotonic_ns()) {
        if (until_ns - now > SPIN_NS + SPIN_NS / 2) {
            int64_t wake = until_ns - SPIN_NS;
            ckbench_sleep_until(wake < now + NAP_NS ? wake : now + NAP_NS);
        }
    }
}

void ckbench_clock_pass(struct ckbench_clock *clock, int64_t ns)
{
    if (clock->is_virtual) {
        clock->tick_ns += ns;
        return;
    }
    int64_t until = ckbench_monotonic_ns() + ns;
    while (ns > 0 && ckbench_monotonic_ns() < until) {
        ckbench_sleep_until(until);
    }
}
