// SPDX-License-Identifier: MIT
// `time` with threads: calls of one path by several threads, at instants that are set beforehand. A
// call that no thread was free for starts late, and what it waited is seen. This file is compiled
// with -O2 in every build, as loop.c is.
#include "terrain_parts.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { CALLS_PER_LINE = 75, SEED = 1, HEAD_START_NS = 2000000 };

struct ckbench_crowd {
    const struct ckbench_wish *wish;
    struct ckbench_bracket *bracket;
    uint64_t next; // call to be taken
    int64_t origin_ns;
    struct ckbench_clock clock;
    int64_t (*calls)[3]; // intended, started, ended
};

enum { INTENDED, STARTED, ENDED };

CKBENCH_KEPT static void *ckbench_crowd_member(void *context)
{
    struct ckbench_crowd *c = context;
    void (*op)(void *) = c->bracket->op;
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
    for (;;) {
        uint64_t i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED);
        if (i >= c->wish->batches) {
            return NULL;
        }
        ckbench_clock_wait(&c->clock, c->origin_ns + c->calls[i][INTENDED]);
        c->calls[i][STARTED] = ckbench_monotonic_ns() - c->origin_ns;
        op(c->bracket->state);
        c->calls[i][ENDED] = ckbench_monotonic_ns() - c->origin_ns;
    }
}

static void ckbench_crowd_plan(struct ckbench_crowd *c)
{
    struct ckbench_arrivals arrivals = {.kind = CKBENCH_POISSON,
                                        .gap_ns = 1e9 / (double)c->wish->rate};
    ckbench_random_start(&arrivals.random, SEED, 0);
    for (uint64_t i = 0; i < c->wish->batches; i++) {
        c->calls[i][INTENDED] = ckbench_arrivals_next(&arrivals);
    }
}

// How many threads ran; the others were not to be had.
static uint64_t ckbench_crowd_run(struct ckbench_crowd *c)
{
    pthread_t threads[CKBENCH_CALLERS_MAX];
    uint64_t count = 0;
    c->origin_ns = ckbench_monotonic_ns() + HEAD_START_NS;
    while (count < c->wish->threads &&
           pthread_create(&threads[count], NULL, ckbench_crowd_member, c) == 0) {
        count++;
    }
    for (uint64_t i = 0; i < count; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    return count;
}

bool ckbench_crowd_open(const struct ckbench_wish *wish, struct ckbench_bracket *bracket,
                        struct ckbench_crowd **out)
{
    struct ckbench_crowd *c = calloc(1, sizeof *c);
    *out = c;
    if (c == NULL) {
        return false;
    }
    c->wish = wish;
    c->bracket = bracket;
    c->calls = mmap(NULL, wish->batches * sizeof *c->calls, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (c->calls == MAP_FAILED) {
        return false;
    }
    ckbench_crowd_plan(c);
    return true;
}

bool ckbench_crowd_calls(struct ckbench_crowd *c)
{
    return ckbench_crowd_run(c) == c->wish->threads;
}

static void ckbench_line_calls(struct ckbench_line *line, const struct ckbench_crowd *c,
                               const char *key, int since, uint64_t first, uint64_t end)
{
    ckbench_line_list_begin(line, key);
    for (uint64_t i = first; i < end; i++) {
        ckbench_line_list_number(line, (uint64_t)(c->calls[i][ENDED] - c->calls[i][since]));
    }
    ckbench_line_list_end(line);
}

uint64_t ckbench_crowd_send(const struct ckbench_crowd *c)
{
    uint64_t lines = 0;
    for (uint64_t first = 0; first < c->wish->batches; first += CALLS_PER_LINE, lines++) {
        struct ckbench_line line;
        uint64_t left = c->wish->batches - first;
        uint64_t end = first + (left < CALLS_PER_LINE ? left : CALLS_PER_LINE);
        ckbench_line_begin(&line, "samples");
        ckbench_line_number(&line, "first", first);
        ckbench_line_calls(&line, c, "wall_ns", STARTED, first, end);
        ckbench_line_calls(&line, c, "latency_ns", INTENDED, first, end);
        (void)ckbench_line_send(&line);
    }
    return lines;
}

void ckbench_crowd_close(struct ckbench_crowd *c)
{
    if (c != NULL) {
        if (c->calls != MAP_FAILED) {
            (void)munmap(c->calls, c->wish->batches * sizeof *c->calls);
        }
        free(c);
    }
}
