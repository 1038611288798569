// SPDX-License-Identifier: MIT
// The order of a count's answers, as a machine of three states: due, running, answered. A line out
// of that order is a fault of the subject and ends the process, for nothing after it can be
// pinned to a request.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "measure/count_inside.h"

struct count_result *attempt_current(const struct attempt *attempt)
{
    if (attempt->position >= attempt->size) {
        return NULL;
    }
    return &attempt->unit->results[attempt->indices[attempt->position]];
}

static bool same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

// The program that is counted must be the one that was listed.
static bool hear_subject(struct attempt *attempt)
{
    const struct answer *answer = &attempt->answer;
    const struct subject *subject = attempt->unit->subject;
    attempt->introduced = true;
    if (same(answer->kit, subject->kit) && same(answer->compiler, subject->compiler) &&
        same(answer->flags, subject->flags) && same(answer->commit, subject->commit) &&
        same(answer->build_id, subject->build_id)) {
        return true;
    }
    attempt->hopeless = true;
    return fault_set(&attempt->why, "%s changed while it was measured", subject->file);
}

static bool hear_guest(struct attempt *attempt)
{
    struct count_unit *unit = attempt->unit;
    if (unit->cpuid[0] != '\0' && strcmp(unit->cpuid, attempt->answer.cpuid) != 0) {
        return fault_set(&attempt->why, "it sees another processor than before");
    }
    (void)snprintf(unit->cpuid, sizeof unit->cpuid, "%s", attempt->answer.cpuid);
    return true;
}

static int64_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (int64_t)status.st_size : 0;
}

static bool is_about_current(const struct attempt *attempt)
{
    const struct count_result *result = attempt_current(attempt);
    const struct answer *answer = &attempt->answer;
    return result != NULL && strcmp(result->path, answer->path) == 0 &&
           result->layout == answer->layout;
}

static bool hear_start(struct attempt *attempt)
{
    if (attempt->running || !is_about_current(attempt)) {
        return fault_set(&attempt->why, "it started %s, layout %d, out of turn",
                         attempt->answer.path, (int)attempt->answer.layout);
    }
    struct count_result *result = attempt_current(attempt);
    for (size_t i = 0; i < attempt->position; i++) {
        if (attempt->unit->results[attempt->indices[i]].pid == attempt->answer.pid) {
            // The numbers have come round; the dump of this process would lie over the other's.
            attempt->apart = !attempt_is_single_path(attempt);
            return fault_set(&attempt->why, "it used process %d twice; run it again",
                             (int)attempt->answer.pid);
        }
    }
    attempt->running = true;
    attempt->counted = false;
    result->pid = (pid_t)attempt->answer.pid;
    return true;
}

static bool hear_counted(struct attempt *attempt)
{
    const struct answer *answer = &attempt->answer;
    struct count_result *result = attempt_current(attempt);
    if (!attempt->running || !is_about_current(attempt) || answer->pid != result->pid ||
        attempt->counted || result->state != COUNT_MISSING) {
        return fault_set(&attempt->why, "it answered `counted` out of turn");
    }
    if (answer->warmup != result->warmup || answer->n1 != result->n1 || answer->n2 != result->n2) {
        return fault_set(&attempt->why, "it did not run the loops that were asked for");
    }
    attempt->counted = true;
    (void)snprintf(result->digest, sizeof result->digest, "%s",
                   answer->digest != NULL ? answer->digest : "");
    result->clock_reads = answer->clock_reads;
    result->entropy_reads = answer->entropy_reads;
    result->pid_reads = answer->pid_reads;
    return true;
}

static void report_progress(struct count_plan *plan, const struct attempt *attempt,
                            const struct count_result *result)
{
    char label[128];
    if (plan->settled < plan->total) {
        plan->settled++;
    }
    if (plan->progress != NULL) {
        (void)snprintf(label, sizeof label, "%.30s %s %d", attempt->unit->label, result->path,
                       result->layout);
        plan->progress(plan->progress_context, plan->settled, plan->total, label);
    }
}

// A process that was never had (pid 0) fails without a start.
static bool hear_failed(struct attempt *attempt)
{
    const struct answer *answer = &attempt->answer;
    struct count_result *result = attempt_current(attempt);
    if (!is_about_current(attempt) || result->state != COUNT_MISSING ||
        (answer->pid == 0 ? attempt->running : !attempt->running || answer->pid != result->pid)) {
        return fault_set(&attempt->why, "it answered `failed` out of turn");
    }
    result_fail(result, COUNT_FAILED, answer->step, "%s", answer->reason);
    if (answer->pid == 0) {
        attempt->position++;
        report_progress(attempt->unit->plan, attempt, result);
    }
    return true;
}

// Whoever sends SIGKILL has a reason that the subject may know.
static void note_death(struct attempt *attempt, struct count_result *result)
{
    char name[16];
    char place[320];
    const struct count_result said = *result;
    bool told = said.state == COUNT_FAILED && attempt->answer.signal == SIGKILL;
    result->signal = (int)attempt->answer.signal;
    evidence_death(attempt, result->pid, place, sizeof place);
    result_fail(result, COUNT_CRASHED, said.step[0] != '\0' ? said.step : "call",
                "killed by %s%s%s%s", proc_signal_text(result->signal, name, sizeof name), place,
                told ? ": " : "", told ? said.reason : "");
}

static void settle(struct attempt *attempt, struct count_result *result)
{
    const struct answer *answer = &attempt->answer;
    if (answer->signal != 0) {
        note_death(attempt, result);
    } else if (result->state == COUNT_FAILED) {
        // Its own words stand; it cannot know what valgrind could not do.
        size_t said = strlen(result->reason);
        (void)snprintf(result->reason + said, sizeof result->reason - said, "%s",
                       evidence_unwritten(attempt, result->pid));
    } else if (!attempt->counted || answer->status != 0) {
        result_fail(result, COUNT_FAILED, "protocol", "its process ended with exit status %d %s",
                    (int)answer->status,
                    attempt->counted ? "after its answer" : "and without an answer");
    } else {
        result->state = COUNT_COUNTED;
    }
    if (result->state != COUNT_COUNTED) {
        result->tail = evidence_tail(attempt, result->pid, attempt->err_from);
    }
}

static bool hear_exit(struct attempt *attempt)
{
    struct count_result *result = attempt_current(attempt);
    if (!attempt->running || !is_about_current(attempt) || attempt->answer.pid != result->pid) {
        return fault_set(&attempt->why, "it answered `exit` out of turn");
    }
    settle(attempt, result);
    // What is printed from here on is the next one's.
    attempt->err_from = size_of(attempt->err_path);
    attempt->running = false;
    attempt->position++;
    report_progress(attempt->unit->plan, attempt, result);
    return true;
}

static bool hear_end(struct attempt *attempt)
{
    return attempt->position == attempt->size ||
           fault_set(&attempt->why, "it ended before all counts were answered");
}

static bool hear(struct attempt *attempt)
{
    enum answer_kind kind = attempt->answer.kind;
    if (attempt->introduced == (kind == ANSWER_SUBJECT)) {
        attempt->hopeless = !attempt->introduced;
        return fault_set(&attempt->why, "its first answer, and no other, must be a `subject` line");
    }
    switch (kind) {
    case ANSWER_SUBJECT:
        return hear_subject(attempt);
    case ANSWER_GUEST:
        return hear_guest(attempt);
    case ANSWER_START:
        return hear_start(attempt);
    case ANSWER_COUNTED:
        return hear_counted(attempt);
    case ANSWER_FAILED:
        return hear_failed(attempt);
    case ANSWER_EXIT:
        return hear_exit(attempt);
    case ANSWER_END:
        return hear_end(attempt);
    default:
        return true;
    }
}

enum proc_word attempt_hear(void *context, const char *line, size_t length)
{
    struct attempt *attempt = context;
    if (!answer_next(&attempt->stream, line, length, &attempt->answer, &attempt->why) ||
        !hear(attempt)) {
        attempt->broken = true;
        return PROC_STOP;
    }
    return attempt->answer.kind == ANSWER_START ? PROC_FRESH : PROC_GO_ON;
}
