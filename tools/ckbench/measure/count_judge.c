// SPDX-License-Identifier: MIT
// After a process ended: which request is to blame, what can be believed, what must run again.
// Each further process covers fewer requests than the one before, so this ends.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/count_inside.h"

static struct count_result *result_at(const struct attempt *attempt, size_t i)
{
    return &attempt->unit->results[attempt->indices[i]];
}

bool attempt_is_single_path(const struct attempt *attempt)
{
    for (size_t i = 1; i < attempt->size; i++) {
        if (strcmp(result_at(attempt, i)->path, result_at(attempt, 0)->path) != 0) {
            return false;
        }
    }
    return true;
}

static bool ended_well(const struct attempt *attempt, const struct proc_result *result)
{
    return !attempt->broken && attempt->stream.ended && result->end == PROC_EXITED &&
           result->status == 0;
}

// Exit status 2 before a word is the subject's; valgrind itself uses 1, and 127 for no program.
static bool was_not_understood(const struct attempt *attempt, const struct proc_result *result)
{
    return !attempt->introduced && result->end == PROC_EXITED && result->status == 2;
}

// In words: why the process is no use any more.
static void say_why(const struct attempt *attempt, const struct proc_result *result, char *text,
                    size_t size)
{
    if (attempt->broken) {
        (void)snprintf(text, size, "%s", attempt->why.text);
    } else if (result->end == PROC_EXITED && result->status == 0) {
        (void)snprintf(text, size, "the subject ended before it had answered everything");
    } else {
        char how[128];
        bool is_subject = attempt->introduced || was_not_understood(attempt, result);
        char *said = attempt->introduced ? NULL : evidence_tail(attempt, 0, 0);
        size_t length = said != NULL ? strcspn(said, "\n") : 0;
        (void)snprintf(text, size, "%s %s%s%.*s", is_subject ? "the subject" : "valgrind",
                       proc_end_text(result, how, sizeof how), length > 0 ? ": " : "", (int)length,
                       said != NULL ? said : "");
        free(said);
    }
}

// Fails every request from the current one on that has not failed in its own way.
static void fail_rest(struct attempt *attempt, enum count_state state, const char *reason)
{
    for (size_t i = attempt->position; i < attempt->size; i++) {
        struct count_result *result = result_at(attempt, i);
        if (result->state != COUNT_MISSING && result->state != COUNT_COUNTED) {
            continue;
        }
        result_fail(result, state, "protocol", "%s", reason);
        if (result->tail == NULL) {
            result->tail = evidence_tail(attempt, result->pid, 0);
        }
    }
    attempt->position = attempt->size;
}

static void blame_current(struct attempt *attempt, const struct proc_result *result,
                          const char *reason)
{
    struct count_result *current = attempt_current(attempt);
    bool timed_out = result->end == PROC_TIMED_OUT;
    bool crashed = result->end == PROC_SIGNALLED;
    if (timed_out) {
        result_fail(current, COUNT_TIMEOUT, "call", "no end within %g s",
                    (double)result->timeout_ms / 1000);
    } else if (crashed) {
        current->signal = result->signal;
        result_fail(current, COUNT_CRASHED, "call", "%s", reason);
    } else {
        result_fail(current, COUNT_FAILED, "protocol", "%s", reason);
    }
    if (current->tail == NULL) {
        current->tail = evidence_tail(attempt, current->pid, attempt->err_from);
    }
    attempt->running = false;
    attempt->position++;
}

// The process died or had to be ended: pins that to a request where one was under way.
static void blame(struct attempt *attempt, const struct proc_result *result)
{
    char reason[sizeof attempt->why.text];
    if (attempt->apart) {
        return;
    }
    say_why(attempt, result, reason, sizeof reason);
    if (was_not_understood(attempt, result) && !attempt_is_single_path(attempt)) {
        attempt->apart = true;
    } else if (attempt->hopeless || result->end == PROC_NOT_STARTED) {
        fail_rest(attempt, COUNT_MISSING, reason);
    } else if (attempt->running || (attempt->broken && attempt->position < attempt->size)) {
        blame_current(attempt, result, reason);
    } else if (attempt->position == 0) {
        fail_rest(attempt, result->end == PROC_TIMED_OUT ? COUNT_TIMEOUT : COUNT_MISSING, reason);
    } else if (attempt->position == attempt->size && !attempt_is_single_path(attempt)) {
        attempt->apart = true;
    } else if (attempt->position == attempt->size) {
        attempt->position = 0;
        fail_rest(attempt, COUNT_FAILED, reason);
    }
}

static void check_dumps(struct attempt *attempt, pid_t main)
{
    for (size_t i = 0; i < attempt->size; i++) {
        struct count_result *result = result_at(attempt, i);
        struct fault why;
        if (result->state != COUNT_COUNTED) {
            continue;
        }
        if (result->pid == main) {
            result_fail(result, COUNT_FAILED, "protocol", "it had no process of its own");
            continue;
        }
        result->out_file = evidence_dump(attempt, result->pid, &why);
        if (result->out_file == NULL) {
            result_fail(result, COUNT_FAILED, "protocol", "%s", why.text);
        }
    }
}

static void queue_again(struct attempt *attempt, const size_t *indices, size_t size)
{
    struct fault why;
    if (size == 0 || attempt_queue(attempt->unit, indices, size, &why)) {
        return;
    }
    for (size_t i = 0; i < size; i++) {
        result_fail(&attempt->unit->results[indices[i]], COUNT_MISSING, "protocol", "%s", why.text);
    }
}

// Runs again, in one process, what was not reached, and with `counted` also what was counted.
static void rerun(struct attempt *attempt, bool counted)
{
    size_t size = 0;
    for (size_t i = 0; i < attempt->size; i++) {
        bool unreached = i >= attempt->position;
        if (unreached || (counted && result_at(attempt, i)->state == COUNT_COUNTED)) {
            attempt->again[size++] = attempt->indices[i];
        }
    }
    queue_again(attempt, attempt->again, size);
}

static bool is_seen_before(const struct attempt *attempt, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (strcmp(result_at(attempt, i)->path, result_at(attempt, at)->path) == 0) {
            return true;
        }
    }
    return false;
}

// Runs each path in a process of its own.
static void rerun_apart(struct attempt *attempt)
{
    for (size_t i = 0; i < attempt->size; i++) {
        size_t size = 0;
        for (size_t k = i; k < attempt->size && !is_seen_before(attempt, i); k++) {
            if (strcmp(result_at(attempt, k)->path, result_at(attempt, i)->path) == 0) {
                attempt->again[size++] = attempt->indices[k];
            }
        }
        queue_again(attempt, attempt->again, size);
    }
}

static void fail_counted(struct attempt *attempt, size_t strays, int survivors)
{
    for (size_t i = 0; i < attempt->size; i++) {
        struct count_result *result = result_at(attempt, i);
        if (result->state != COUNT_COUNTED) {
            continue;
        }
        if (survivors > 0) {
            result_fail(result, COUNT_FAILED, "children",
                        "it left %d process%s alive, whose work is not counted", survivors,
                        survivors == 1 ? "" : "es");
        } else {
            result_fail(result, COUNT_FAILED, "children",
                        "it started %zu process%s, whose work is not counted", strays,
                        strays == 1 ? "" : "es");
        }
        free(result->out_file);
        result->out_file = NULL;
    }
}

static size_t count_failures(const struct attempt *attempt)
{
    size_t failures = 0;
    for (size_t i = 0; i < attempt->position; i++) {
        failures += result_at(attempt, i)->state != COUNT_COUNTED;
    }
    return failures;
}

// Processes that nobody asked for: whose they were is found by running less beside them.
static void find_culprit(struct attempt *attempt, size_t strays, int survivors)
{
    if (count_failures(attempt) > 0) {
        rerun(attempt, true);
    } else if (!attempt_is_single_path(attempt)) {
        rerun_apart(attempt);
    } else {
        fail_counted(attempt, strays, survivors);
        rerun(attempt, false);
    }
}

void attempt_end(void *context, const struct proc_result *result)
{
    struct attempt *attempt = context;
    bool well = ended_well(attempt, result);
    if (result->end == PROC_INTERRUPTED) {
        fail_rest(attempt, COUNT_MISSING, "interrupted");
    } else if (!well) {
        blame(attempt, result);
    }
    check_dumps(attempt, result->pid);
    size_t strays = evidence_strays(attempt, result->pid);
    int survivors = well ? result->survivors : 0;
    if (result->end == PROC_INTERRUPTED) {
        // Nothing is started any more.
    } else if (attempt->apart) {
        rerun_apart(attempt);
    } else if (strays > 0 || survivors > 0) {
        find_culprit(attempt, strays, survivors);
    } else if (attempt->position < attempt->size) {
        rerun(attempt, false);
    }
    attempt_free(attempt);
}
