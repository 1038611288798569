// SPDX-License-Identifier: MIT
// Figures are the lower quartile of the rounds of all processes: they are by the wall clock, and
// what else runs here only ever adds. A round is whole dozens of calls, so costs that repeat are in
// it with their mean.
#include "measure/ab_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/timed_run.h"
#include "stats/bands.h"

enum { PROCESSES = 3, ROUNDS = 12, DOZEN = 12 };

static const double SUM_SLACK = 0.10;

// Dozens, for costs that repeat; a twelfth of the cell's loop, because there are twelve rounds.
static int64_t calls_of(const struct ab_cell *cell)
{
    int64_t dozens = cell->calls / (DOZEN * ROUNDS);
    return DOZEN * (dozens > 0 ? dozens : 1);
}

static void note_places(const struct phased *runs, size_t step, size_t side, struct ab_step *out)
{
    const struct phased_step *first = &runs[0].steps[step];
    out->has_places[side] = first->has_places;
    out->apart[side] =
        first->has_places ? (first->to[0] - first->from[0] + PHASED_PAGE) % PHASED_PAGE : -1;
    for (size_t i = 0; first->has_places && i < PROCESSES * ROUNDS; i++) {
        const struct phased_step *s = &runs[i / ROUNDS].steps[step];
        size_t round = i % ROUNDS;
        if ((s->to[round] - s->from[round] + PHASED_PAGE) % PHASED_PAGE != out->apart[side]) {
            out->apart[side] = -1;
        }
    }
}

static double quartile_of(double *values)
{
    (void)median_of(values, PROCESSES * ROUNDS); // sorts
    return nearest_rank(values, PROCESSES * ROUNDS, 0.25);
}

static void take_side(const struct phased *runs, size_t side, struct ab_steps *out)
{
    double values[PROCESSES * ROUNDS], sum = 0.0;
    for (size_t i = 0; i < PROCESSES * ROUNDS; i++) {
        values[i] = phased_whole_ns(&runs[i / ROUNDS], i % ROUNDS);
    }
    out->whole_ns[side] = quartile_of(values);
    for (size_t step = 0; step < out->count; step++) {
        for (size_t i = 0; i < PROCESSES * ROUNDS; i++) {
            values[i] = phased_step_ns(&runs[i / ROUNDS], step, i % ROUNDS);
        }
        out->items[step].ns[side] = quartile_of(values);
        sum += out->items[step].ns[side];
        note_places(runs, step, side, &out->items[step]);
    }
    out->sum[side] = out->whole_ns[side] > 0.0 ? sum / out->whole_ns[side] : 0.0;
}

static bool are_alike(const struct phased *a, const struct phased *b)
{
    bool is_alike = a->step_count == b->step_count;
    for (size_t i = 0; is_alike && i < a->step_count; i++) {
        is_alike = strcmp(a->steps[i].name, b->steps[i].name) == 0;
    }
    return is_alike;
}

static void take_all(const struct phased *runs, struct ab_steps *out)
{
    for (size_t i = 1; i < AB_STEP_SIDES * PROCESSES; i++) {
        if (!are_alike(&runs[0], &runs[i])) {
            (void)fault_set(&out->why, "the arm has other steps than the base");
            return;
        }
    }
    out->count = runs[0].step_count;
    for (size_t i = 0; i < out->count; i++) {
        memcpy(out->items[i].name, runs[0].steps[i].name, sizeof out->items[i].name);
    }
    for (size_t side = 0; side < AB_STEP_SIDES; side++) {
        take_side(&runs[side * PROCESSES], side, out);
    }
}

static enum ab_run_end run_all(const struct ab_run *run, const struct ab_steps *steps,
                               struct phased *runs, struct fault *fault)
{
    enum ab_run_end end = AB_RUN_DONE;
    const struct ab_cell *cell = &run->experiment->cells[steps->cell];
    for (size_t i = 0; i < AB_STEP_SIDES * PROCESSES && end == AB_RUN_DONE; i++) {
        size_t side = (i + i / AB_STEP_SIDES) % AB_STEP_SIDES; // base first, then the arm first
        size_t arm = side == 0 ? AB_BASE : steps->arm;
        end = ab_run_phases(run, cell, arm, (struct ab_rounds){calls_of(cell), ROUNDS},
                            &runs[side * PROCESSES + i / AB_STEP_SIDES], fault);
    }
    return end;
}

bool ab_steps_measure(const struct ab_run *run, size_t cell, size_t arm, struct ab_steps *out)
{
    struct phased *runs = calloc(AB_STEP_SIDES * PROCESSES, sizeof *runs);
    *out = (struct ab_steps){.cell = cell, .arm = arm};
    if (runs == NULL) {
        (void)fault_set(&out->why, "out of memory");
        return true;
    }
    enum ab_run_end end = run_all(run, out, runs, &out->why);
    if (end == AB_RUN_DONE) {
        take_all(runs, out);
    }
    free(runs);
    return end != AB_RUN_INTERRUPTED;
}

bool ab_steps_add_up(const struct ab_steps *steps)
{
    return fabs(steps->sum[0] - 1.0) <= SUM_SLACK && fabs(steps->sum[1] - 1.0) <= SUM_SLACK;
}
