// SPDX-License-Identifier: MIT
// Many counts at once: which (path, layout) of which side to count, and what became of each.
// Layer: measure. A unit is one side's list, run in one valgrind process that forks a child per
// request; units run side by side. Whatever goes wrong is pinned to the request that caused it,
// and the others are run again without it.
#ifndef CKBENCH_COUNT_RUN_H
#define CKBENCH_COUNT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault.h"
#include "measure/answers.h"
#include "measure/scratch.h"
#include "measure/subject_list.h"
#include "measure/valgrind.h"

struct count_request {
    const char *path; // copied; may be a self-test path
    int layout;
    int64_t warmup;
    int64_t n1;
    int64_t n2;
};

enum count_state {
    COUNT_MISSING, // not run: the plan was interrupted, or its unit could not start; see reason
    COUNT_COUNTED, // the only state with figures: an out file and answers
    COUNT_FAILED,  // the subject said so, or broke the protocol; see step and reason
    COUNT_CRASHED, // killed by `signal`
    COUNT_TIMEOUT, // silent for the timeout
};

// One request's outcome. Strings are the plan's. Text is printable ASCII.
struct count_result {
    char path[ANSWER_NAME_MAX + 1];
    int layout;
    int64_t warmup;
    int64_t n1;
    int64_t n2;
    enum count_state state;
    char step[16];    // failed: setup, call, verify, children, protocol
    char reason[512]; // why it is not counted, one line; empty when counted
    int signal;
    pid_t pid;
    char *out_file;      // <pid>.out when counted, else NULL
    char *tail;          // last lines of stderr and log when not counted; NULL: said nothing
    char digest[17];     // empty: the path has none
    int64_t clock_reads; // within the n2 window
    int64_t entropy_reads;
    int64_t pid_reads;
};

// How a unit's valgrind is run.
struct count_settings {
    struct valgrind_settings valgrind;
    size_t path_pad_bytes; // start the subject through a link whose path is that much longer
};

struct count_plan;
struct count_unit;

// Called after each settled request: `done` of `total`, and a label such as "head parse_small 3".
typedef void (*count_progress)(void *context, size_t done, size_t total, const char *label);

// An empty plan whose files lie in `scratch` until it is freed. Scratch and valgrind must outlive
// it. NULL: failed, with the fault filled.
struct count_plan *count_plan_new(const struct scratch *scratch, const struct valgrind *valgrind,
                                  struct fault *fault);

// Removes the plan's files. NULL allowed.
void count_plan_free(struct count_plan *plan);

// Adds a unit that counts `subject`, which must outlive the plan. `label` names the side in
// progress and reasons. NULL: failed; a subject that is no ELF is refused here.
struct count_unit *count_plan_unit(struct count_plan *plan, const char *label,
                                   const struct subject *subject,
                                   const struct count_settings *settings, struct fault *fault);

// Adds a request at the end of the unit's list. A (path, layout) twice in a unit is refused.
bool count_unit_add(struct count_unit *unit, const struct count_request *request,
                    struct fault *fault);

// Counts every unit that was not run yet, `jobs` at once; `timeout_ms` is the silence allowed to
// one request. False: interrupted, or the machine gave no process or disk; then what is not settled
// is COUNT_MISSING. A request that fails is a result, not a failure.
bool count_run(struct count_plan *plan, size_t jobs, int64_t timeout_ms, count_progress progress,
               void *context, struct fault *fault);

size_t count_unit_size(const struct count_unit *unit);

// Results in the order of the requests; valid until the plan is freed.
const struct count_result *count_unit_result(const struct count_unit *unit, size_t index);

// The result of (path, layout), or NULL.
const struct count_result *count_unit_find(const struct count_unit *unit, const char *path,
                                           int layout);

// The guest CPUID digest that the subject reported under this valgrind; empty when it did not.
const char *count_unit_cpuid(const struct count_unit *unit);

// How many valgrind processes the unit took: 1 when nothing went wrong.
int count_unit_processes(const struct count_unit *unit);

#endif
