// SPDX-License-Identifier: MIT
// `count`: reads the measurements asked for, forks one child for each, waits for it and says what
// became of it. Every child gets exactly one `counted` or `failed` line: the parent writes the
// latter for a child that ended without a word. The parent never allocates, so that the heap its
// children inherit does not hang on what is asked.
#include "kit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STOP_CHECKS = 20, STOP_CHECK_MS = 50, NUMBERS = 4 };

static bool ckbench_read_number(const char **at, uint64_t *number)
{
    const char *digit = *at;
    *number = 0;
    while (*digit >= '0' && *digit <= '9') {
        if (__builtin_mul_overflow(*number, 10U, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*digit - '0'), number)) {
            return false;
        }
        digit++;
    }
    bool is_read = digit != *at;
    *at = digit;
    return is_read;
}

// NAME,LAYOUT,WARMUP,N1,N2
static bool ckbench_read_job(const char *text, struct ckbench_job *job)
{
    uint64_t *const numbers[NUMBERS] = {&job->layout, &job->warmup, &job->n1, &job->n2};
    size_t len = strcspn(text, ",");
    const char *at = text + len;
    job->path = ckbench_registry_find(text, len);
    for (size_t i = 0; i < NUMBERS; i++) {
        if (*at != ',' || !(at++, ckbench_read_number(&at, numbers[i]))) {
            return false;
        }
    }
    job->is_pinned = job->path != NULL && !ckbench_self_is_unpinned(job->path);
    return job->path != NULL && *at == '\0' && job->n1 > 0 && job->n2 > 0;
}

// A child that stopped itself would hold up all that follow. One that was stopped together with
// this process, from a terminal, goes on together with it.
static bool ckbench_goes_on(pid_t pid)
{
    for (int check = 0; check < STOP_CHECKS; check++) {
        const struct timespec pause = {0, STOP_CHECK_MS * 1000000L};
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)pid, &info, WCONTINUED | WNOHANG) == 0 && info.si_pid == pid) {
            return true;
        }
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

static void ckbench_note_end(struct ckbench_note *note, int status, bool was_stopped)
{
    char reason[CKBENCH_REASON_BYTES];
    if (was_stopped) {
        snprintf(reason, sizeof reason, "stopped itself");
    } else if (WIFSIGNALED(status)) {
        const char *name = sigdescr_np(WTERMSIG(status));
        snprintf(reason, sizeof reason, "ended by signal %d (%.40s)", WTERMSIG(status),
                 name != NULL ? name : "unknown");
    } else {
        snprintf(reason, sizeof reason, "ended with status %d before it could answer",
                 WEXITSTATUS(status));
    }
    ckbench_fail(note, note->step, reason);
}

static int ckbench_wait(struct ckbench_note *note, pid_t pid)
{
    int status = 0;
    bool was_stopped = false;
    for (;;) {
        pid_t got = waitpid(pid, &status, WUNTRACED);
        if (got == pid && !WIFSTOPPED(status)) {
            break;
        }
        if (got == pid && !ckbench_goes_on(pid)) {
            was_stopped = true;
            (void)kill(pid, SIGKILL);
        }
        if (got < 0 && errno != EINTR) {
            break;
        }
    }
    if (!note->is_answered) {
        ckbench_note_end(note, status, was_stopped);
    }
    return status;
}

static pid_t ckbench_fork(struct ckbench_job *job)
{
    int go[2];
    if (pipe(go) != 0) {
        return -1;
    }
    pid_t parent = (pid_t)syscall(SYS_getpid);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(go[1]);
        ckbench_child(job, parent, go[0]);
    }
    // The child waits for the end of this pipe: its lines never come before its `start`.
    if (pid > 0) {
        ckbench_send_start(job, pid);
    }
    (void)close(go[0]);
    (void)close(go[1]);
    return pid;
}

static uint64_t ckbench_measure(struct ckbench_job *job)
{
    memset(job->note, 0, sizeof *job->note);
    pid_t pid = ckbench_fork(job);
    if (pid < 0) {
        ckbench_fail(job->note, CKBENCH_STEP_LAYOUT, "no process to be had");
        (void)ckbench_send_failed(job, 0);
        return 1;
    }
    int status = ckbench_wait(job->note, pid);
    (void)ckbench_end_leftovers();
    if (!job->note->is_answered) {
        (void)ckbench_send_failed(job, pid);
    }
    ckbench_send_exit(job, pid, WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                      WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return 3;
}

int ckbench_count(int argc, char **argv, const char *compiler)
{
    for (int i = 0; i < argc; i++) {
        struct ckbench_job job = {0};
        if (!ckbench_read_job(argv[i], &job)) {
            fprintf(stderr, "subject: no such measurement: '%.100s'\n", argv[i]);
            return CKBENCH_EXIT_USAGE;
        }
    }
    struct ckbench_note *note =
        mmap(NULL, sizeof *note, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc == 0 || note == MAP_FAILED) {
        fprintf(stderr, "subject: %s\n", argc == 0 ? "count of what?" : "no memory to share");
        return CKBENCH_EXIT_USAGE;
    }
    // Whoever started us may have had it ignored, and then no child could be waited for.
    (void)signal(SIGCHLD, SIG_DFL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1L);
    uint64_t lines = 2;
    ckbench_send_subject(compiler);
    ckbench_send_guest();
    for (int i = 0; i < argc; i++) {
        struct ckbench_job job = {.note = note};
        (void)ckbench_read_job(argv[i], &job);
        lines += ckbench_measure(&job);
    }
    ckbench_send_end(lines);
    return CKBENCH_EXIT_OK;
}
