// SPDX-License-Identifier: MIT
// One run of the gate: pilot, then one plan with everything in it, side by side. A side's paths are
// dealt out to as many valgrind processes as there are jobs for it, so that all cores work.
#include "measure/gate_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/gate_inside.h"

static size_t unit_index(const struct gate_run *run, size_t repeat, size_t name)
{
    return repeat * run->chunks + name % run->chunks;
}

const struct count_result *gate_result_of(const struct gate_run *run, size_t side, size_t repeat,
                                          size_t index, int layout)
{
    const struct gate_side *s = &run->sides[side];
    const struct count_unit *unit = s->units[unit_index(run, repeat, index)];
    return count_unit_find(unit, run->in->names[index], layout + s->input->shift.layout);
}

static struct count_settings settings_of(const struct gate_run *run, const struct gate_side *side)
{
    return (struct count_settings){
        .valgrind = {.cache_sim = run->in->settings.cache_sim,
                     .pad_bytes = side->input->shift.env_bytes},
        .path_pad_bytes = side->input->shift.path_bytes,
    };
}

static bool add_layouts(struct gate_run *run, size_t s, struct count_unit *unit, size_t name,
                        struct fault *fault)
{
    for (int layout = 0; layout < run->in->settings.layouts; layout++) {
        int64_t n2 = run->ops[name], n1 = gate_n1(n2);
        const struct count_request request = {
            run->in->names[name], layout + run->sides[s].input->shift.layout, n1, n1, n2};
        if (!count_unit_add(unit, &request, fault)) {
            return false;
        }
    }
    return true;
}

// A path is counted where head has it: what is gone is not worth the time.
static bool is_counted(const struct gate_run *run, size_t s, size_t name)
{
    return gate_has(&run->sides[GATE_HEAD], run->in->names[name]) &&
           gate_has(&run->sides[s], run->in->names[name]);
}

static bool plan_side(struct gate_run *run, size_t s, struct fault *fault)
{
    struct gate_side *side = &run->sides[s];
    size_t repeats = (size_t)run->in->settings.repeat;
    const struct count_settings settings = settings_of(run, side);
    // One more, for a run without names must not look like one without memory.
    side->units = calloc(repeats * run->chunks + 1, sizeof(struct count_unit *));
    if (side->units == NULL) {
        return fault_set(fault, "out of memory");
    }
    for (size_t u = 0; u < repeats * run->chunks; u++) {
        side->units[u] =
            count_plan_unit(run->plan, side->input->label, side->input->subject, &settings, fault);
        if (side->units[u] == NULL) {
            return false;
        }
        for (size_t i = 0; i < run->in->name_count; i++) {
            if (i % run->chunks == u % run->chunks && is_counted(run, s, i) &&
                !add_layouts(run, s, side->units[u], i, fault)) {
                return false;
            }
        }
    }
    return true;
}

static size_t sides_measured(const struct gate_run *run)
{
    return run->in->base.subject != NULL ? 2 : 1;
}

static bool plan_all(struct gate_run *run, struct fault *fault)
{
    size_t per_side = (size_t)run->in->settings.jobs / sides_measured(run);
    run->chunks = per_side == 0 ? 1 : per_side;
    if (run->chunks > run->in->name_count) {
        run->chunks = run->in->name_count;
    }
    for (size_t s = 0; s < sides_measured(run); s++) {
        if (!plan_side(run, s, fault)) {
            return false;
        }
    }
    return gate_proof_plan(run, fault);
}

static bool take_conditions(struct gate_run *run, struct fault *fault)
{
    for (size_t s = 0; s < sides_measured(run); s++) {
        struct gate_side *side = &run->sides[s];
        struct fingerprint *print = &side->fingerprint;
        if (!gate_proof_empty(side, fault)) {
            return false;
        }
        (void)snprintf(print->valgrind, sizeof print->valgrind, "%s", run->in->valgrind->version);
        (void)snprintf(print->tunables, sizeof print->tunables, "%s", valgrind_tunables());
        (void)snprintf(print->cpuid, sizeof print->cpuid, "%s", count_unit_cpuid(side->proof));
    }
    return true;
}

static bool count_all(struct gate_run *run, struct fault *fault)
{
    const struct gate_settings *settings = &run->in->settings;
    return gate_sizes(run, fault) && plan_all(run, fault) &&
           count_run(run->plan, (size_t)settings->jobs, settings->child_timeout_ms,
                     run->in->progress, run->in->context, fault) &&
           take_conditions(run, fault) && gate_rows(run, fault);
}

static bool open_sides(struct gate_run *run, struct fault *fault)
{
    const struct gate_side_input *inputs[GATE_SIDES] = {&run->in->head, &run->in->base};
    for (size_t s = 0; s < GATE_SIDES; s++) {
        struct gate_side *side = &run->sides[s];
        side->input = inputs[s];
        side->own = inputs[s]->own;
        side->objects = objects_new();
        if (side->objects == NULL) {
            return fault_set(fault, "out of memory");
        }
        if (inputs[s]->subject == NULL) {
            continue;
        }
        const struct elf_image *image =
            objects_image(side->objects, inputs[s]->subject->file, fault);
        if (image == NULL || !snapshot_add(&side->snapshot, inputs[s]->subject->file, fault)) {
            return false;
        }
        side->own.by_source = image->kind == ELF_IMAGE_STATIC;
        (void)snprintf(side->fingerprint.arch, sizeof side->fingerprint.arch, "%s", image->arch);
    }
    return true;
}

static bool open_result(struct gate_run *run, struct fault *fault)
{
    const struct gate_input *in = run->in;
    run->result->paths = calloc(in->name_count, sizeof *run->result->paths);
    run->ops = calloc(in->name_count, sizeof *run->ops);
    if (run->result->paths == NULL || run->ops == NULL) {
        return fault_set(fault, "out of memory");
    }
    run->result->path_count = in->name_count;
    for (size_t i = 0; i < in->name_count; i++) {
        (void)snprintf(run->result->paths[i].name, GATE_NAME, "%s", in->names[i]);
    }
    return true;
}

bool gate_run_new(const struct gate_input *input, struct gate_result *result, struct gate_run **out,
                  struct fault *fault)
{
    bool ok = false;
    *out = NULL;
    struct gate_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return fault_set(fault, "out of memory");
    }
    run->input = *input;
    run->in = &run->input;
    run->result = result;
    run->plan = count_plan_new(input->scratch, input->valgrind, fault);
    if (run->plan == NULL || !open_result(run, fault) || !open_sides(run, fault) ||
        !count_all(run, fault)) {
        goto done;
    }
    result->fingerprint = run->sides[GATE_HEAD].fingerprint;
    result->is_proven = gate_proof_check(run, &result->unproven);
    *out = run;
    ok = true;
done:
    if (!ok) {
        gate_run_free(run);
    }
    return ok;
}

void gate_run_free(struct gate_run *run)
{
    if (run == NULL) {
        return;
    }
    for (size_t s = 0; s < GATE_SIDES; s++) {
        free(run->sides[s].units);
        objects_free(run->sides[s].objects);
        snapshot_release(&run->sides[s].snapshot);
    }
    count_plan_free(run->plan);
    free(run->ops);
    free(run);
}

static bool has_shared(const struct gate_run *run)
{
    for (size_t i = 0; i < run->in->name_count; i++) {
        if (is_counted(run, GATE_BASE_SIDE, i)) {
            return true;
        }
    }
    return false;
}

bool gate_run_comparable(const struct gate_run *run, bool accept_flags, struct fault *difference)
{
    return !has_shared(run) ||
           fingerprint_agrees(&run->sides[GATE_HEAD].fingerprint,
                              &run->sides[GATE_BASE_SIDE].fingerprint, accept_flags, difference);
}
