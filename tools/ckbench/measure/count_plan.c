// SPDX-License-Identifier: MIT
// The plan as data: units, their requests and results. Nothing is run here.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include "measure/count_inside.h"

struct count_plan *count_plan_new(const struct scratch *scratch, const struct valgrind *valgrind,
                                  struct fault *fault)
{
    struct count_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL || asprintf(&plan->dir, "%s/plan-XXXXXX", scratch->path) < 0) {
        free(plan);
        (void)fault_set(fault, "out of memory");
        return NULL;
    }
    if (mkdtemp(plan->dir) == NULL) {
        (void)fault_set(fault, "cannot make %s: %s", plan->dir, strerror(errno));
        free(plan->dir);
        free(plan);
        return NULL;
    }
    plan->scratch = scratch;
    plan->valgrind = valgrind;
    return plan;
}

void result_clear(struct count_result *result)
{
    free(result->out_file);
    free(result->tail);
    result->out_file = NULL;
    result->tail = NULL;
    result->state = COUNT_MISSING;
    result->step[0] = '\0';
    result->reason[0] = '\0';
    result->digest[0] = '\0';
    result->signal = 0;
    result->pid = 0;
    result->clock_reads = 0;
    result->entropy_reads = 0;
    result->pid_reads = 0;
}

void result_fail(struct count_result *result, enum count_state state, const char *step,
                 const char *format, ...)
{
    char text[sizeof result->reason];
    struct fault clean;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)fault_set(&clean, "%s", text);
    result->state = state;
    (void)snprintf(result->step, sizeof result->step, "%s", step);
    (void)snprintf(result->reason, sizeof result->reason, "%s", clean.text);
}

static void free_unit(struct count_unit *unit)
{
    for (size_t i = 0; i < unit->size; i++) {
        result_clear(&unit->results[i]);
    }
    free(unit->results);
    free(unit->label);
    free(unit);
}

void count_plan_free(struct count_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    for (size_t i = 0; i < plan->unit_count; i++) {
        free_unit(plan->units[i]);
    }
    scratch_remove(plan->dir);
    free(plan->units);
    free(plan->dir);
    free(plan);
}

static bool has_control(const char *path)
{
    for (; *path != '\0'; path++) {
        if ((unsigned char)*path < 0x20 || *path == 0x7f) {
            return true;
        }
    }
    return false;
}

struct count_unit *count_plan_unit(struct count_plan *plan, const char *label,
                                   const struct subject *subject,
                                   const struct count_settings *settings, struct fault *fault)
{
    if (!subject->is_elf) {
        (void)fault_set(fault, "%s is a script: its interpreter would be counted, not its work",
                        subject->file);
        return NULL;
    }
    if (has_control(subject->file)) {
        (void)fault_set(fault,
                        "%s: valgrind writes lines, and this path has control "
                        "characters; rename it",
                        subject->file);
        return NULL;
    }
    struct count_unit **units = realloc(plan->units, (plan->unit_count + 1) * sizeof *units);
    struct count_unit *unit = calloc(1, sizeof *unit);
    char *copy = strdup(label);
    if (units != NULL) {
        plan->units = units;
    }
    if (units == NULL || unit == NULL || copy == NULL) {
        free(unit);
        free(copy);
        (void)fault_set(fault, "out of memory");
        return NULL;
    }
    *unit =
        (struct count_unit){.plan = plan, .label = copy, .subject = subject, .settings = *settings};
    units[plan->unit_count++] = unit;
    return unit;
}

static bool grow(struct count_unit *unit)
{
    if (unit->size < unit->room) {
        return true;
    }
    size_t room = unit->room == 0 ? 32 : 2 * unit->room;
    struct count_result *results = realloc(unit->results, room * sizeof *results);
    if (results == NULL) {
        return false;
    }
    unit->results = results;
    unit->room = room;
    return true;
}

bool count_unit_add(struct count_unit *unit, const struct count_request *request,
                    struct fault *fault)
{
    if (!answer_is_name(request->path) || request->layout < 0 || request->warmup < 0 ||
        request->n1 < 1 || request->n2 < 1) {
        return fault_set(fault, "%s: no such count: path \"%.80s\", layout %d", unit->label,
                         request->path, request->layout);
    }
    if (unit->ran || count_unit_find(unit, request->path, request->layout) != NULL) {
        return fault_set(fault, "%s: %s, layout %d, is asked for twice", unit->label, request->path,
                         request->layout);
    }
    if (!grow(unit)) {
        return fault_set(fault, "out of memory");
    }
    struct count_result *result = &unit->results[unit->size++];
    *result = (struct count_result){
        .layout = request->layout, .warmup = request->warmup, .n1 = request->n1, .n2 = request->n2};
    (void)snprintf(result->path, sizeof result->path, "%s", request->path);
    return true;
}

size_t count_unit_size(const struct count_unit *unit)
{
    return unit->size;
}

const struct count_result *count_unit_result(const struct count_unit *unit, size_t index)
{
    return index < unit->size ? &unit->results[index] : NULL;
}

const struct count_result *count_unit_find(const struct count_unit *unit, const char *path,
                                           int layout)
{
    for (size_t i = 0; i < unit->size; i++) {
        if (unit->results[i].layout == layout && strcmp(unit->results[i].path, path) == 0) {
            return &unit->results[i];
        }
    }
    return NULL;
}

const char *count_unit_cpuid(const struct count_unit *unit)
{
    return unit->cpuid;
}

int count_unit_processes(const struct count_unit *unit)
{
    return unit->processes;
}
