// SPDX-License-Identifier: MIT
// A supervisor is killed, politely and not, at random moments and with full trees below it: all of
// it is gone soon after, and so is its scratch directory unless it was SIGKILL. CKBENCH_KILLS says
// how often (12).
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "census.h"
#include "measure/interrupt.h"
#include "measure/scratch.h"

enum { PATIENCE_MS = 60 * 1000, GONE_MS = 2000, SLACK_MS = 8000 };

static struct scratch scratch;
static char marker[64];

static void open_scratch(void)
{
    struct fault fault;
    cr_assert(scratch_open(&scratch, &fault), "%s", fault.text);
    (void)snprintf(marker, sizeof marker, "MARK=%s", strrchr(scratch.path, '/') + 1);
}

static void close_scratch(void)
{
    scratch_close(&scratch);
}

TestSuite(test_interrupt, .init = open_scratch, .fini = close_scratch);

// Starts a supervisor whose own environment and whose children's have the marker; its scratch goes
// below ours. `ready` is the read end of its stdout.
static pid_t start(const char *habit, int *ready)
{
    int ends[2];
    cr_assert(pipe(ends) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        char tmpdir[600];
        char path[] = "PATH=/usr/bin:/bin";
        char *const argv[] = {(char[]){SUPERVISOR}, (char[]){PROC_FIXTURE}, (char *)habit, marker,
                              NULL};
        char *const env[] = {path, marker, tmpdir, NULL};
        (void)snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", scratch.path);
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)signal(SIGINT, SIG_DFL);
        (void)signal(SIGHUP, SIG_DFL);
        (void)execve(argv[0], argv, env);
        _exit(127);
    }
    (void)close(ends[1]);
    *ready = ends[0];
    return pid;
}

static void await_ready(int ready)
{
    struct pollfd wait = {.fd = ready, .events = POLLIN};
    char text[8] = "";
    cr_assert(eq(int, poll(&wait, 1, PATIENCE_MS), 1));
    cr_assert(read(ready, text, 6) == 6 && strcmp(text, "ready\n") == 0);
}

// The exit status, or 1000 plus the signal.
static int await_end(pid_t pid, int64_t timeout_ms)
{
    int status = 0;
    int64_t end = census_now_ms() + timeout_ms;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        cr_assert(census_now_ms() < end, "the supervisor does not end");
        (void)poll(NULL, 0, 2);
    }
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int count_entries(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(dir);
    return count;
}

Test(test_interrupt, a_signal_ends_all_children_and_the_scratch)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int ready;
        pid_t pid = start("tree-hang", &ready);
        await_ready(ready);
        cr_assert(census_count(marker) >= 3 * 5, "trees stand");
        cr_assert(kill(pid, signals[i]) == 0);
        cr_assert(eq(int, await_end(pid, GONE_MS + SLACK_MS), 100 + signals[i]));
        cr_assert(eq(int, census_await(marker, 0, GONE_MS + SLACK_MS), 0));
        cr_assert(eq(int, count_entries(scratch.path), 0));
        (void)close(ready);
    }
}

Test(test_interrupt, a_second_signal_is_taken_while_deaf_children_are_ended)
{
    int ready;
    pid_t pid = start("tree-stop", &ready);
    await_ready(ready);
    cr_assert(kill(pid, SIGINT) == 0);
    cr_assert(kill(pid, SIGTERM) == 0 && kill(pid, SIGINT) == 0);
    int end = await_end(pid, GONE_MS + SLACK_MS);
    cr_assert(end == 100 + SIGINT || end == 100 + SIGTERM, "%d", end);
    cr_assert(eq(int, census_await(marker, 0, GONE_MS + SLACK_MS), 0));
    cr_assert(eq(int, count_entries(scratch.path), 0));
    (void)close(ready);
}

Test(test_interrupt, not_even_sigkill_leaves_a_descendant)
{
    static const char *const habits[] = {"tree-hang", "tree-stop"};
    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++) {
        int ready;
        pid_t pid = start(habits[i], &ready);
        await_ready(ready);
        cr_assert(census_count(marker) >= 3 * 5, "trees stand");
        cr_assert(kill(pid, SIGKILL) == 0);
        cr_assert(eq(int, await_end(pid, SLACK_MS), 1000 + SIGKILL));
        cr_assert(eq(int, census_await(marker, 0, GONE_MS + SLACK_MS), 0));
        (void)close(ready);
    }
}

Test(test_interrupt, at_any_moment)
{
    static const int signals[] = {SIGKILL, SIGINT, SIGTERM, SIGHUP};
    const char *wanted = getenv("CKBENCH_KILLS");
    int kills = wanted != NULL ? atoi(wanted) : 12;
    unsigned seed = (unsigned)census_now_ms();
    cr_log_info("seed %u", seed);
    srand(seed);
    for (int i = 0; i < kills; i++) {
        int ready;
        int number = signals[i % 4];
        pid_t pid = start(i % 2 == 0 ? "tree-hang" : "tree-stop", &ready);
        (void)usleep((useconds_t)(rand() % 60000));
        cr_assert(kill(pid, number) == 0);
        // Before its handlers stand, and for SIGKILL always, a signal kills it.
        int end = await_end(pid, GONE_MS + SLACK_MS);
        cr_assert(end == 100 + number || end == 1000 + number, "seed %u: %d", seed, end);
        cr_assert(eq(int, census_await(marker, 0, GONE_MS + SLACK_MS), 0), "seed %u", seed);
        (void)close(ready);
    }
}

Test(test_interrupt, the_first_signal_is_remembered_and_the_pipe_stays_readable)
{
    struct fault fault;
    cr_assert(eq(int, interrupt_fd(), -1));
    cr_assert(interrupt_install(&fault), "%s", fault.text);
    cr_assert(eq(int, interrupt_seen(), 0));
    (void)raise(SIGHUP);
    (void)raise(SIGTERM);
    struct pollfd wait = {.fd = interrupt_fd(), .events = POLLIN};
    cr_assert(eq(int, poll(&wait, 1, 0), 1));
    cr_assert(eq(int, interrupt_seen(), SIGHUP));
    cr_assert(eq(int, interrupt_count(), 2));
    interrupt_remove();
    cr_assert(eq(int, interrupt_seen(), 0));
    cr_assert(eq(int, interrupt_fd(), -1));
}

Test(test_interrupt, what_was_ignored_stays_ignored)
{
    struct fault fault;
    (void)signal(SIGHUP, SIG_IGN);
    cr_assert(interrupt_install(&fault), "%s", fault.text);
    (void)raise(SIGHUP);
    cr_assert(eq(int, interrupt_seen(), 0));
    interrupt_remove();
}
