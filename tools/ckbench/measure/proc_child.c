// SPDX-License-Identifier: MIT
// From fork to last byte: one child's pipes, lines and end. A child is done when its keeper says so
// or is gone; nothing waits for an end of file, for a stranger may hold the other end.
#include "measure/proc_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/sweep.h"

enum {
    // Beyond the keeper's own limits something holds the keeper itself.
    KEEPER_PATIENCE_MS = KEEPER_GRACE_MS + KEEPER_SWEEP_MS + 1000,
    // Answers that are read in one turn, so that a flood cannot keep the loop from its deadlines.
    READS_A_TURN = 64,
};

static void close_all(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            (void)close(fds[i]);
        }
    }
}

// Ends 0 to 3 of `ours` stay here, those of `theirs` go to the keeper: control, answers, out, err.
static bool make_ends(int ours[4], int theirs[4])
{
    for (int i = 0; i < 4; i++) {
        ours[i] = -1;
        theirs[i] = -1;
    }
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return false;
    }
    ours[0] = pair[0];
    theirs[0] = pair[1];
    for (int i = 1; i < 4; i++) {
        if (pipe2(pair, O_CLOEXEC) != 0) {
            return false;
        }
        ours[i] = pair[0];
        theirs[i] = pair[1];
        (void)fcntl(ours[i], F_SETFL, O_NONBLOCK);
    }
    return true;
}

static pid_t fork_keeper(const struct proc_spec *spec, const int theirs[4])
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        const struct keeper_fds fds = {
            .control = theirs[0], .answers = theirs[1], .out = theirs[2], .err = theirs[3]};
        keeper_main(spec, &fds);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

static void set_deadline(struct child *child)
{
    int64_t timeout_ms = child->task.spec.timeout_ms;
    child->deadline_ms = timeout_ms == 0 ? INT64_MAX : sweep_now_ms() + timeout_ms;
}

struct child *child_start(const struct proc_task *task, struct fault *fault)
{
    int ours[4];
    int theirs[4];
    struct child *child = calloc(1, sizeof *child);
    const char *missing = NULL;
    bool made = make_ends(ours, theirs) && child != NULL;
    if (made) {
        child->task = *task;
        made = sink_open(&child->out, ours[2], task->spec.out_path);
        ours[2] = made ? -1 : ours[2];
        missing = made ? NULL : task->spec.out_path;
        made = made && sink_open(&child->err, ours[3], task->spec.err_path);
        ours[3] = made ? -1 : ours[3];
        missing = made || missing != NULL ? missing : task->spec.err_path;
    }
    pid_t keeper = made ? fork_keeper(&task->spec, theirs) : -1;
    int error = errno;
    close_all(theirs, 4);
    if (keeper < 0) {
        close_all(ours, 4);
        if (child != NULL) {
            sink_close(&child->out);
            sink_close(&child->err);
            free(child);
        }
        (void)fault_set(fault, "cannot start %s: %s%s%s", task->spec.argv[0],
                        missing != NULL ? missing : "", missing != NULL ? ": " : "",
                        strerror(error));
        return NULL;
    }
    child->keeper = keeper;
    child->control = ours[0];
    child->answers = ours[1];
    child->started_ms = sweep_now_ms();
    child->result.end = PROC_LOST;
    child->result.timeout_ms = task->spec.timeout_ms;
    set_deadline(child);
    return child;
}

void child_stop(struct child *child, enum proc_end why, char command)
{
    if (!child->stopping) {
        child->stopping = true;
        child->result.end = why;
        child->give_up_ms = sweep_now_ms() + KEEPER_PATIENCE_MS;
    }
    (void)send(child->control, &command, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void take_line(struct child *child, size_t length)
{
    if (child->stopping) {
        return;
    }
    child->result.line_count++;
    if (child->task.on_line == NULL) {
        return;
    }
    enum proc_word word = child->task.on_line(child->task.context, child->line, length);
    if (word == PROC_FRESH) {
        set_deadline(child);
    } else if (word == PROC_STOP) {
        child_stop(child, PROC_STOPPED, KEEPER_STOP);
    }
}

// Hands out the whole lines of the buffer and keeps the rest.
static void split_lines(struct child *child)
{
    for (char *end; (end = memchr(child->line, '\n', child->line_length)) != NULL;) {
        size_t length = (size_t)(end - child->line);
        take_line(child, length);
        child->line_length -= length + 1;
        memmove(child->line, end + 1, child->line_length);
    }
    if (child->line_length == sizeof child->line) {
        child->line_length = 0;
        child_stop(child, PROC_BAD_LINE, KEEPER_STOP);
    }
}

void child_read_output(struct child *child)
{
    (void)sink_drain(&child->out);
    (void)sink_drain(&child->err);
    if (child->out.total > PROC_OUTPUT_MAX || child->err.total > PROC_OUTPUT_MAX) {
        child_stop(child, PROC_TALKED, KEEPER_STOP);
    }
}

void child_read_answers(struct child *child)
{
    for (int i = 0; i < READS_A_TURN && child->answers >= 0; i++) {
        ssize_t got = read(child->answers, child->line + child->line_length,
                           sizeof child->line - child->line_length);
        if (got > 0) {
            child->line_length += (size_t)got;
            // What was printed before these answers is in its pipe by now: into the file with it.
            child_read_output(child);
            split_lines(child);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            (void)close(child->answers);
            child->answers = -1;
        } else {
            break;
        }
    }
}

static void note_end(struct child *child, const struct keeper_message *message)
{
    struct proc_result *result = &child->result;
    if (child->stopping) {
        return;
    }
    result->survivors = message->survivors;
    result->whole = message->whole;
    if (WIFSIGNALED(message->wait_status)) {
        result->end = PROC_SIGNALLED;
        result->signal = WTERMSIG(message->wait_status);
    } else {
        result->end = PROC_EXITED;
        result->status = WEXITSTATUS(message->wait_status);
    }
}

void child_read_news(struct child *child)
{
    struct keeper_message message;
    ssize_t got = recv(child->control, &message, sizeof message, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got != (ssize_t)sizeof message) {
        child->finished = true; // the keeper is gone without a word: PROC_LOST, or as we stopped it
        return;
    }
    if (message.news == KEEPER_STARTED) {
        child->result.pid = message.pid;
    } else if (message.news == KEEPER_NOT_STARTED) {
        child->result.end = PROC_NOT_STARTED;
        child->result.error = message.error;
        child->finished = true;
    } else {
        note_end(child, &message);
        child->finished = true;
    }
}

// Every writer is dead, so what the pipes hold is all there will be.
static void read_rest(struct child *child)
{
    size_t before;
    do {
        before = child->result.line_count + child->line_length;
        child_read_answers(child);
    } while (child->answers >= 0 && before != child->result.line_count + child->line_length);
    while (sink_drain(&child->out) && child->out.total < PROC_OUTPUT_MAX) {
        int64_t total = child->out.total;
        if (!sink_drain(&child->out) || child->out.total == total) {
            break;
        }
    }
    (void)sink_drain(&child->err);
    if (child->result.end == PROC_EXITED && child->line_length > 0) {
        child->result.end = PROC_BAD_LINE;
    }
}

void child_finish(struct child *child, const pid_t *spared, size_t spared_count)
{
    int status = 0;
    (void)close(child->control);
    // A keeper that ended by its own will has swept; one that was killed left that to us.
    if (waitpid(child->keeper, &status, 0) != child->keeper || !WIFEXITED(status)) {
        (void)sweep_kill(spared, spared_count, KEEPER_SWEEP_MS);
    }
    read_rest(child);
    if (child->answers >= 0) {
        (void)close(child->answers);
    }
    sink_close(&child->out);
    sink_close(&child->err);
    child->result.wall_ms = sweep_now_ms() - child->started_ms;
    if (child->task.on_end != NULL) {
        child->task.on_end(child->task.context, &child->result);
    }
    free(child);
}

void child_check_clock(struct child *child)
{
    int64_t now = sweep_now_ms();
    if (!child->stopping && now >= child->deadline_ms) {
        child_stop(child, PROC_TIMED_OUT, KEEPER_STOP);
    } else if (child->stopping && now >= child->give_up_ms) {
        (void)kill(child->keeper, SIGKILL);
        child->give_up_ms = INT64_MAX;
    }
}
