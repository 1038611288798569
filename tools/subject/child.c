// SPDX-License-Identifier: MIT
// One measurement, in a process of its own: whatever the path does to it, the next measurement
// starts from the same parent. The step it is in stands in memory shared with the parent, so that
// a child which cannot answer any more is still reported with the place where it ended.
#include "kit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const ckbench_step_names[] = {
    [CKBENCH_STEP_LAYOUT] = "layout",     [CKBENCH_STEP_SETUP] = "setup",
    [CKBENCH_STEP_CALL] = "call",         [CKBENCH_STEP_VERIFY] = "verify",
    [CKBENCH_STEP_TEARDOWN] = "teardown", [CKBENCH_STEP_CHILDREN] = "children",
    [CKBENCH_STEP_ANSWER] = "answer",
};

static const char *ckbench_step_name(uint32_t step)
{
    // The note is memory that a path can reach.
    return step <= CKBENCH_STEP_ANSWER ? ckbench_step_names[step] : "unknown";
}

static void ckbench_line_measurement(struct ckbench_line *line, const struct ckbench_job *job,
                                     pid_t pid)
{
    ckbench_line_text(line, "path", job->path->name);
    ckbench_line_number(line, "layout", job->layout);
    ckbench_line_number(line, "pid", (uint64_t)pid);
}

void ckbench_send_start(const struct ckbench_job *job, pid_t pid)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "start");
    ckbench_line_measurement(&line, job, pid);
    (void)ckbench_line_send(&line);
}

void ckbench_send_exit(const struct ckbench_job *job, pid_t pid, int status, int signal)
{
    struct ckbench_line line;
    ckbench_line_begin(&line, "exit");
    ckbench_line_measurement(&line, job, pid);
    ckbench_line_number(&line, "status", (uint64_t)status);
    ckbench_line_number(&line, "signal", (uint64_t)signal);
    (void)ckbench_line_send(&line);
}

int ckbench_send_failed(const struct ckbench_job *job, pid_t pid)
{
    struct ckbench_line line;
    char reason[CKBENCH_REASON_BYTES];
    memcpy(reason, job->note->reason, sizeof reason);
    reason[sizeof reason - 1] = '\0';
    ckbench_line_begin(&line, "failed");
    ckbench_line_measurement(&line, job, pid);
    ckbench_line_text(&line, "step", ckbench_step_name(job->note->failed_step));
    ckbench_line_text(&line, "reason", reason);
    return ckbench_line_send(&line);
}

static int ckbench_send_counted(const struct ckbench_job *job, pid_t pid)
{
    struct ckbench_line line;
    const struct ckbench_extra *extra = job->path->extra;
    ckbench_line_begin(&line, "counted");
    ckbench_line_measurement(&line, job, pid);
    ckbench_line_number(&line, "warmup", job->warmup);
    ckbench_line_number(&line, "n1", job->n1);
    ckbench_line_number(&line, "n2", job->n2);
    if (extra != NULL && extra->digest != NULL) {
        ckbench_line_hex(&line, "digest", job->digest);
    } else {
        ckbench_line_text(&line, "digest", NULL);
    }
    ckbench_line_number(&line, "clock_reads", job->after.clock - job->before.clock);
    ckbench_line_number(&line, "entropy_reads", job->after.entropy - job->before.entropy);
    ckbench_line_number(&line, "pid_reads", job->after.pid - job->before.pid);
    return ckbench_line_send(&line);
}

void ckbench_fail(struct ckbench_note *note, uint32_t step, const char *reason)
{
    if (note->reason[0] == '\0') {
        note->failed_step = step;
        snprintf(note->reason, sizeof note->reason, "%s", reason);
    }
}

static void ckbench_run_calls(struct ckbench_job *job)
{
    const struct ckbench_extra *extra = job->path->extra;
    uint64_t children = ckbench_children_mark();
    job->note->step = CKBENCH_STEP_CALL;
    if (job->is_pinned) {
        ckbench_stack_pin(ckbench_windows, job);
    } else {
        ckbench_windows(job);
    }
    if (ckbench_children_mark() != children) {
        ckbench_fail(job->note, CKBENCH_STEP_CHILDREN,
                     "the calls started or ended other processes, whose work is not counted");
    }
    if (extra != NULL && extra->digest != NULL) {
        job->digest = extra->digest(job->state);
    }
}

static void ckbench_run_path(struct ckbench_job *job)
{
    const struct ckbench_path *path = job->path;
    job->note->step = CKBENCH_STEP_SETUP;
    if (path->setup != NULL && (job->state = path->setup()) == NULL) {
        ckbench_fail(job->note, CKBENCH_STEP_SETUP, "setup returned NULL");
        return;
    }
    ckbench_run_calls(job);
    job->note->step = CKBENCH_STEP_VERIFY;
    int verdict = path->verify != NULL ? path->verify(job->state) : 0;
    if (verdict != 0) {
        char reason[CKBENCH_REASON_BYTES];
        snprintf(reason, sizeof reason, "verify returned %d", verdict);
        ckbench_fail(job->note, CKBENCH_STEP_VERIFY, reason);
    }
    job->note->step = CKBENCH_STEP_TEARDOWN;
    if (path->teardown != NULL) {
        path->teardown(job->state);
    }
}

static void ckbench_run_steps(void *context)
{
    struct ckbench_job *job = context;
    ckbench_pins_start();
    ckbench_heap_layout(job->layout);
    ckbench_run_path(job);
    job->note->step = CKBENCH_STEP_CHILDREN;
    if (ckbench_end_leftovers()) {
        ckbench_fail(job->note, CKBENCH_STEP_CHILDREN,
                     "a process that the path started was still alive");
    }
}

static void ckbench_answer(struct ckbench_job *job, pid_t pid)
{
    bool has_failed = job->note->reason[0] != '\0';
    job->note->step = CKBENCH_STEP_ANSWER;
    int error = has_failed ? ckbench_send_failed(job, pid) : ckbench_send_counted(job, pid);
    if (error == 0) {
        job->note->is_answered = 1;
    } else {
        char reason[CKBENCH_REASON_BYTES];
        snprintf(reason, sizeof reason, "the answer could not be written: error %d", error);
        ckbench_fail(job->note, CKBENCH_STEP_ANSWER, reason);
    }
}

_Noreturn void ckbench_child(struct ckbench_job *job, pid_t parent, int go)
{
    char byte;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1L);
    // Ends when the parent has told who we are, or has died.
    while (read(go, &byte, 1) < 0 && errno == EINTR) {
    }
    (void)close(go);
    if (getppid() == parent) {
        if (job->is_pinned) {
            ckbench_stack_pin(ckbench_run_steps, job);
        } else {
            ckbench_run_steps(job);
        }
        ckbench_answer(job, (pid_t)syscall(SYS_getpid));
    }
    _exit(0);
}
