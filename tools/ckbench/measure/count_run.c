// SPDX-License-Identifier: MIT
// Queues one process for each unit; all that follows from how they end is count_judge.c.
#include "measure/count_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "measure/count_inside.h"

static bool queue_unit(struct count_unit *unit, struct fault *fault)
{
    size_t *indices = calloc(unit->size, sizeof *indices);
    if (indices == NULL) {
        return fault_set(fault, "out of memory");
    }
    for (size_t i = 0; i < unit->size; i++) {
        indices[i] = i;
    }
    bool queued = attempt_queue(unit, indices, unit->size, fault);
    free(indices);
    return queued;
}

static bool queue_all(struct count_plan *plan, struct fault *fault)
{
    plan->settled = 0;
    plan->total = 0;
    for (size_t i = 0; i < plan->unit_count; i++) {
        struct count_unit *unit = plan->units[i];
        if (unit->ran || unit->size == 0) {
            continue;
        }
        unit->ran = true;
        plan->total += unit->size;
        if (!queue_unit(unit, fault)) {
            return false;
        }
    }
    return true;
}

// A run that failed leaves no request without a word.
static void explain_missing(struct count_plan *plan, const char *reason)
{
    for (size_t i = 0; i < plan->unit_count; i++) {
        for (size_t k = 0; k < plan->units[i]->size; k++) {
            struct count_result *result = &plan->units[i]->results[k];
            if (result->state == COUNT_MISSING && result->reason[0] == '\0') {
                result_fail(result, COUNT_MISSING, "protocol", "%s", reason);
            }
        }
    }
}

// What one process may fill while `jobs` of them run: what this machine has, dealt to all, but not
// so little that an ordinary path is refused. 0: unknown.
static uint64_t share_of_memory(size_t jobs)
{
    static const uint64_t least = (uint64_t)2 << 30;
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_bytes <= 0) {
        return 0;
    }
    uint64_t share = (uint64_t)pages * (uint64_t)page_bytes / (jobs > 0 ? jobs : 1);
    return share > least ? share : least;
}

bool count_run(struct count_plan *plan, size_t jobs, int64_t timeout_ms, count_progress progress,
               void *context, struct fault *fault)
{
    struct fault why = {.text = ""};
    plan->timeout_ms = timeout_ms;
    plan->data_bytes = share_of_memory(jobs);
    plan->progress = progress;
    plan->progress_context = context;
    plan->pool = proc_pool_new(jobs);
    if (plan->pool == NULL) {
        return fault_set(fault, "out of memory");
    }
    bool ok = queue_all(plan, &why) && proc_pool_run(plan->pool, &why);
    proc_pool_free(plan->pool);
    plan->pool = NULL;
    while (plan->attempts != NULL) {
        attempt_free(plan->attempts); // queued, never started
    }
    if (!ok) {
        explain_missing(plan, why.text);
        return fault_set(fault, "%s", why.text);
    }
    return true;
}
