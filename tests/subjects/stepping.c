// SPDX-License-Identifier: MIT
// Paths whose steps are known: they spin for so long, and say how their buffers lie. `steps` adds
// up to its call, `hides` does more than its steps; `shared` may be called by several threads.
#include <ckbench/subject.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <time.h>

enum { SHORT_NS = 20000, LONG_NS = 60000, PAGE = 4096, FROM = 100, TO = 350 };

static alignas(PAGE) char pages[4 * PAGE];
static struct {
    atomic_ullong calls, opened;
} state;

static void *setup(void)
{
    return &state;
}

static int verify(void *given)
{
    return given == &state && state.calls == state.opened && state.calls > 0 ? 0 : 1;
}

static void spin(long long ns)
{
    struct timespec start, now;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000000000LL + now.tv_nsec - start.tv_nsec < ns);
}

static void begin(void *given)
{
    (void)given;
    state.opened++;
    spin(SHORT_NS);
}

static void end(void *given)
{
    (void)given;
    state.calls++;
    spin(LONG_NS);
}

static void both(void *given)
{
    begin(given);
    end(given);
}

static void more(void *given)
{
    both(given);
    spin(LONG_NS);
}

static void places(void *given, size_t phase, const void **from, const void **to)
{
    (void)given;
    if (phase == 1) {
        *from = pages + FROM;
        *to = pages + 2 * PAGE + TO;
    }
}

static const struct ckbench_phase phases[] = {{"begin", begin}, {"end", end}, {NULL, NULL}};
static const struct ckbench_extra stepped = {.phases = phases, .phase_buffers = places};
static const struct ckbench_extra shared = {.threads = 1};

CKBENCH_PATH_EX(steps, "20 and 60 us", setup, both, verify, NULL, &stepped)
CKBENCH_PATH_EX(hides, "20 and 60 us, and 60 more", setup, more, verify, NULL, &stepped)
CKBENCH_PATH_EX(shared, "80 us, by any thread", setup, both, verify, NULL, &shared)
CKBENCH_PATH(alone, "80 us", setup, both, verify, NULL)
CKBENCH_MAIN
