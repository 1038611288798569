// SPDX-License-Identifier: MIT
// `phases`: rounds of calls, taken as a whole and then step by step, in turns and in one process:
// so the steps meet the heap, and the addresses, that the call leaves behind. This file is compiled
// with -O2 in every build, as loop.c is.
#include "kit.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>

enum { STEPS_MAX = 16, ROUNDS_MAX = 64, CHUNKS = 50, CHUNK_READS = 1024, PAGE = 4096 };

struct ckbench_steps {
    const struct ckbench_wish *wish;
    void *state;
    size_t count;
    uint64_t whole_ns[ROUNDS_MAX];
    uint64_t step_ns[STEPS_MAX][ROUNDS_MAX];
    uint64_t from[STEPS_MAX][ROUNDS_MAX], to[STEPS_MAX][ROUNDS_MAX];
    bool has_places[STEPS_MAX];
};

static uint64_t ckbench_now_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

// The least of many chunks: what else runs here only ever adds.
static uint64_t ckbench_reading_ps(void)
{
    uint64_t least = UINT64_MAX;
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        uint64_t first = ckbench_now_ns(), last = first;
        for (int i = 0; i < CHUNK_READS; i++) {
            last = ckbench_now_ns();
        }
        uint64_t ps = (last - first) * 1000 / CHUNK_READS;
        least = ps < least ? ps : least;
    }
    return least;
}

static void ckbench_note_places(struct ckbench_steps *s, size_t step, uint64_t round)
{
    const void *from = NULL, *to = NULL;
    if (s->wish->path->extra->phase_buffers != NULL) {
        s->wish->path->extra->phase_buffers(s->state, step, &from, &to);
    }
    s->has_places[step] = s->has_places[step] && from != NULL && to != NULL;
    s->from[step][round] = (uintptr_t)from % PAGE;
    s->to[step][round] = (uintptr_t)to % PAGE;
}

// One reading between two steps. One call more is not timed but looked at.
CKBENCH_KEPT static void ckbench_step_round(struct ckbench_steps *s, uint64_t round)
{
    const struct ckbench_phase *phases = s->wish->path->extra->phases;
    for (uint64_t call = 0; call < s->wish->calls; call++) {
        uint64_t before = ckbench_now_ns();
        for (size_t i = 0; i < s->count; i++) {
            phases[i].run(s->state);
            uint64_t now = ckbench_now_ns();
            s->step_ns[i][round] += now - before;
            before = now;
        }
    }
    for (size_t i = 0; i < s->count; i++) {
        phases[i].run(s->state);
        ckbench_note_places(s, i, round);
    }
}

static void ckbench_rounds(void *context)
{
    struct ckbench_steps *s = context;
    void (*op)(void *) = s->wish->path->op;
    ckbench_loop(op, s->state, s->wish->warmup);
    for (uint64_t round = 0; round < s->wish->batches; round++) {
        uint64_t before = ckbench_now_ns();
        ckbench_loop(op, s->state, s->wish->calls);
        s->whole_ns[round] = ckbench_now_ns() - before;
        ckbench_loop(op, s->state, 1);
        ckbench_step_round(s, round);
    }
}

static void ckbench_line_series(struct ckbench_line *line, const char *key, const uint64_t *series,
                                uint64_t count)
{
    ckbench_line_list_begin(line, key);
    for (uint64_t i = 0; i < count; i++) {
        ckbench_line_list_number(line, series[i]);
    }
    ckbench_line_list_end(line);
}

static void ckbench_send_steps(const struct ckbench_steps *s)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "phases");
    ckbench_line_wish(&line, s->wish);
    ckbench_line_number(&line, "calls", s->wish->calls);
    ckbench_line_number(&line, "clock_ps", ckbench_reading_ps());
    ckbench_line_series(&line, "wall_ns", s->whole_ns, s->wish->batches);
    (void)ckbench_line_send(&line);
    for (size_t i = 0; i < s->count; i++) {
        ckbench_line_begin(&line, "phase");
        ckbench_line_text(&line, "name", s->wish->path->extra->phases[i].name);
        ckbench_line_series(&line, "wall_ns", s->step_ns[i], s->wish->batches);
        if (s->has_places[i]) {
            ckbench_line_series(&line, "from", s->from[i], s->wish->batches);
            ckbench_line_series(&line, "to", s->to[i], s->wish->batches);
        }
        (void)ckbench_line_send(&line);
    }
}

static uint64_t ckbench_run_phases(const struct ckbench_wish *wish)
{
    static struct ckbench_steps s;
    s.wish = wish;
    for (; s.count < STEPS_MAX && wish->path->extra->phases[s.count].name != NULL; s.count++) {
        s.has_places[s.count] = true;
    }
    if (!ckbench_wish_set_up(wish, &s.state)) {
        return ckbench_send_untimed(wish, "setup", "setup returned NULL");
    }
    ckbench_stack_pin(ckbench_rounds, &s);
    uint64_t faults = ckbench_wish_check(wish, s.state);
    if (faults > 0) {
        return faults;
    }
    ckbench_send_steps(&s);
    if (wish->path->teardown != NULL) {
        wish->path->teardown(s.state);
    }
    return 1 + s.count;
}

int ckbench_phases(int argc, char **argv, const char *compiler)
{
    struct ckbench_wish wish;
    if (!ckbench_wish_take("phases", argc, argv, &wish)) {
        return CKBENCH_EXIT_USAGE;
    }
    bool has_phases = wish.path->extra != NULL && wish.path->extra->phases != NULL;
    if (!has_phases || wish.batches < 1 || wish.batches > ROUNDS_MAX) {
        fprintf(stderr, "subject: phases needs a path that has them, and "
                        "--batches from 1 to 64\n");
        return CKBENCH_EXIT_USAGE;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    ckbench_send_subject(compiler);
    ckbench_send_end(1 + ckbench_run_phases(&wish));
    return CKBENCH_EXIT_OK;
}
