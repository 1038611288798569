// SPDX-License-Identifier: MIT
// The first process that fails ends the run: an arm that crashes once in ten times has no figure.
#include "measure/ab_run.h"

#include <stdio.h>
#include <string.h>

#include "measure/timed_run.h"
#include "stats/ab_order.h"

enum { DOZEN = 12, PILOT_NS = 1000000, CALLS_MAX = 1200000000 };

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static struct timed_request request_of(const struct ab_run *run, const struct ab_cell *cell,
                                       size_t arm, int64_t calls)
{
    const struct ab_starter *starter = &run->starters[arm];
    return (struct timed_request){.subject = starter->subject,
                                  .env = starter->env,
                                  .path = cell->path,
                                  .shape = or_null(cell->shape),
                                  .operation = or_null(cell->operation),
                                  .bytes = cell->bytes,
                                  .calls = calls,
                                  .warmup = cell->warmup,
                                  .timeout_ms = run->timeout_ms};
}

static enum ab_run_end run_one(const struct ab_run *run, const struct timed_request *request,
                               size_t arm, struct timed *timed, struct fault *fault)
{
    bool is_interrupted = false;
    struct fault why;
    if (timed_run(request, run->scratch, timed, &is_interrupted, &why)) {
        return AB_RUN_DONE;
    }
    (void)fault_set(fault, "arm %s: %s", run->experiment->arms[arm].name, why.text);
    return is_interrupted ? AB_RUN_INTERRUPTED : AB_RUN_FAILED;
}

static int64_t dozens(double calls)
{
    double whole = calls < CALLS_MAX ? calls : CALLS_MAX;
    int64_t count = (int64_t)(whole / DOZEN + 0.5);
    return DOZEN * (count > 0 ? count : 1);
}

static enum ab_run_end calibrate(const struct ab_run *run, struct ab_cell *cell,
                                 struct fault *fault)
{
    struct timed timed;
    enum ab_run_end end;
    cell->calls = cell->warmup = DOZEN;
    for (;;) {
        const struct timed_request request = request_of(run, cell, AB_BASE, cell->calls);
        end = run_one(run, &request, AB_BASE, &timed, fault);
        if (end != AB_RUN_DONE || timed.cpu_ns >= PILOT_NS || cell->calls >= CALLS_MAX / 10) {
            break;
        }
        timed_release(&timed);
        cell->calls *= 10;
    }
    if (end == AB_RUN_DONE) {
        double call_ns = (double)timed.cpu_ns / (double)cell->calls;
        int64_t loop_ns = cell->loop_ns > 0 ? cell->loop_ns : run->loop_ns;
        cell->calls = dozens((double)loop_ns / (call_ns > 0.0 ? call_ns : 1.0));
        cell->warmup = cell->calls;
        timed_release(&timed);
    }
    return end;
}

enum ab_run_end ab_run_calibrate(const struct ab_run *run, struct fault *fault)
{
    enum ab_run_end end = AB_RUN_DONE;
    const struct ab_experiment *e = run->experiment;
    for (size_t i = 0; i < e->cell_count && end == AB_RUN_DONE; i++) {
        if (e->cells[i].calls == 0) {
            end = calibrate(run, &e->cells[i], fault);
        }
    }
    return end;
}

static enum ab_run_end count_one(const struct ab_run *run, size_t cell, size_t arm,
                                 struct fault *fault)
{
    struct timed timed;
    struct ab_cell *c = &run->experiment->cells[cell];
    struct timed_request request = request_of(run, c, arm, ab_calls_of(run->experiment, cell, arm));
    request.is_counting = true;
    enum ab_run_end end = run_one(run, &request, arm, &timed, fault);
    if (end == AB_RUN_DONE) {
        c->allocations[arm] = timed.allocations;
    }
    timed_release(&timed);
    return end == AB_RUN_FAILED && timed.is_refused ? AB_RUN_DONE : end;
}

enum ab_run_end ab_run_count_allocations(const struct ab_run *run, struct fault *fault)
{
    enum ab_run_end end = AB_RUN_DONE;
    const struct ab_experiment *e = run->experiment;
    for (size_t cell = 0; cell < e->cell_count; cell++) {
        ab_forget_allocations(&e->cells[cell]);
        for (size_t arm = 0; arm < e->arm_count && end == AB_RUN_DONE; arm++) {
            if (arm != AB_AA && !run->starters[arm].has_preload) {
                end = count_one(run, cell, arm, fault);
            }
        }
        e->cells[cell].allocations[AB_AA] = e->cells[cell].allocations[AB_BASE];
    }
    return end;
}

static void take(const struct timed *t, size_t position, struct ab_sample *s)
{
    *s = (struct ab_sample){.is_there = true,
                            .position = (int64_t)position,
                            .calls = t->calls,
                            .cpu_ns = t->cpu_ns,
                            .wall_ns = t->wall_ns,
                            .minor_faults = t->minor_faults,
                            .major_faults = t->major_faults,
                            .voluntary_switches = t->voluntary_switches,
                            .involuntary_switches = t->involuntary_switches,
                            .peak_rss_kib = t->peak_rss_kib,
                            .whole_cpu_us = t->whole.cpu_us,
                            .whole_minor_faults = t->whole.minor_faults,
                            .whole_peak_rss_kib = t->whole.peak_rss_kib,
                            .spawner_peak_rss_kib = t->whole.spawner_peak_rss_kib};
    (void)snprintf(s->digest, sizeof s->digest, "%s", t->digest);
}

static bool is_like_first(const struct ab_experiment *e, size_t cell, const struct ab_sample *s,
                          size_t block)
{
    for (size_t b = 0; b <= block; b++) {
        for (size_t arm = 0; arm < e->arm_count; arm++) {
            const struct ab_sample *other = ab_at(e, b, cell, arm);
            if (other->is_there) {
                return strcmp(other->digest, s->digest) == 0;
            }
        }
    }
    return true;
}

static enum ab_run_end run_cell(const struct ab_run *run, size_t block, size_t cell,
                                struct fault *fault)
{
    size_t order[ORDER_ITEMS_MAX];
    const struct ab_experiment *e = run->experiment;
    const struct ab_cell *c = &e->cells[cell];
    order_of_block(e->seed, cell, block, e->arm_count, order);
    for (size_t i = 0; i < e->arm_count; i++) {
        struct timed timed;
        struct ab_sample *sample = ab_at(e, block, cell, order[i]);
        const struct timed_request request =
            request_of(run, c, order[i], ab_calls_of(e, cell, order[i]));
        enum ab_run_end end = run_one(run, &request, order[i], &timed, fault);
        if (end != AB_RUN_DONE) {
            return end;
        }
        take(&timed, i, sample);
        timed_release(&timed);
        if (sample->cpu_ns == 0) {
            (void)fault_set(fault, "arm %s: %s: its loop took no CPU time at all",
                            e->arms[order[i]].name, c->path);
            return AB_RUN_FAILED;
        }
        if (!is_like_first(e, cell, sample, block)) {
            (void)fault_set(fault, "arm %s: %s put out something else than the base did",
                            e->arms[order[i]].name, c->path);
            return AB_RUN_FAILED;
        }
        if (run->on_sample != NULL && !run->on_sample(run->context, block, cell, order[i], fault)) {
            return AB_RUN_FAILED;
        }
    }
    return AB_RUN_DONE;
}

enum ab_run_end ab_run(const struct ab_run *run, struct fault *fault)
{
    size_t cells[ORDER_ITEMS_MAX];
    const struct ab_experiment *e = run->experiment;
    for (size_t block = 0; block < e->blocks; block++) {
        order_of_cells(e->seed, block, e->cell_count, cells);
        for (size_t i = 0; i < e->cell_count; i++) {
            enum ab_run_end end = run_cell(run, block, cells[i], fault);
            if (end != AB_RUN_DONE) {
                return end;
            }
        }
        if (block > 0 && run->is_enough != NULL && run->is_enough(run->context, block)) {
            break;
        }
    }
    return AB_RUN_DONE;
}

enum ab_run_end ab_run_phases(const struct ab_run *run, const struct ab_cell *cell, size_t arm,
                              struct ab_rounds rounds, struct phased *out, struct fault *fault)
{
    struct timed timed;
    struct timed_request request = request_of(run, cell, arm, rounds.calls);
    request.batches = rounds.count;
    request.phased = out;
    enum ab_run_end end = run_one(run, &request, arm, &timed, fault);
    timed_release(&timed);
    return end;
}
