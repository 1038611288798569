// SPDX-License-Identifier: MIT
// Children under supervision: how they start, how they end, and that none is left.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "same.h"
#include "census.h"
#include "measure/proc.h"
#include "measure/scratch.h"

enum { HEARD_MAX = 64 * 1024, PATIENCE_MS = 120 * 1000, AT_ONCE_MS = 5000 };

struct ear {
    char heard[HEARD_MAX];
    size_t length;
    enum proc_word word;
};

static struct scratch scratch;
static struct ear ear;
static char marker[64];
static char out_path[512];
static char err_path[512];

static void open_scratch(void)
{
    struct fault fault;
    cr_assert(scratch_open(&scratch, &fault), "%s", fault.text);
    (void)snprintf(out_path, sizeof out_path, "%s/out", scratch.path);
    (void)snprintf(err_path, sizeof err_path, "%s/err", scratch.path);
    (void)snprintf(marker, sizeof marker, "MARK=%s", strrchr(scratch.path, '/') + 1);
    ear = (struct ear){.word = PROC_GO_ON};
}

static void close_scratch(void)
{
    scratch_close(&scratch);
}

TestSuite(test_proc, .init = open_scratch, .fini = close_scratch);

static enum proc_word hear(void *context, const char *line, size_t length)
{
    struct ear *to = context;
    if (to->length + length + 2 < HEARD_MAX) {
        memcpy(to->heard + to->length, line, length);
        to->length += length;
        to->heard[to->length++] = '\n';
        to->heard[to->length] = '\0';
    }
    return to->word;
}

static struct proc_result run_for(int64_t timeout_ms, const char *habit, const char *number)
{
    struct fault fault;
    struct proc_result result;
    const char *const argv[] = {PROC_FIXTURE, habit, number, NULL};
    const char *const env[] = {marker, "B=2", NULL};
    const struct proc_task task = {.spec = {.argv = argv,
                                            .env = env,
                                            .dir = scratch.path,
                                            .out_path = out_path,
                                            .err_path = err_path,
                                            .timeout_ms = timeout_ms},
                                   .on_line = hear,
                                   .context = &ear};
    cr_assert(proc_run(&task, &result, &fault), "%s", fault.text);
    return result;
}

static struct proc_result run(const char *habit, const char *number)
{
    return run_for(PATIENCE_MS, habit, number);
}

Test(test_proc, a_child_gets_what_it_is_given_and_nothing_else)
{
    char wanted[4096];
    // None of this may reach it.
    cr_assert(setenv("GITHUB_TOKEN", "secret", 1) == 0);
    cr_assert(fcntl(1, F_DUPFD, 3) > 3 && fcntl(1, F_DUPFD, 40) >= 40);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGCHLD, SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL);
    sigset_t some;
    (void)sigemptyset(&some);
    (void)sigaddset(&some, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &some, NULL);
    (void)umask(0);
    struct proc_result result = run("report", NULL);
    (void)snprintf(wanted, sizeof wanted,
                   "env %s\nenv B=2\nfd 0\nfd 1\nfd 2\nfd 3\ndir %s\numask 077\nstdin 0\nleader 1\n"
                   "tty 0\ncore 0\nfiles 1024\n",
                   marker, scratch.path);
    cr_assert(eq(int, (int)result.end, PROC_EXITED));
    SAME(ear.heard, wanted);
}

Test(test_proc, an_end_is_told_as_it_was)
{
    static const struct {
        const char *habit;
        const char *number;
        enum proc_end end;
        int status;
        int signal;
        const char *text;
    } rows[] = {
        {"exit", "0", PROC_EXITED, 0, 0, "ended with exit status 0"},
        {"exit", "7", PROC_EXITED, 7, 0, "ended with exit status 7"},
        {"signal", "9", PROC_SIGNALLED, 0, 9, "was killed by SIGKILL"},
        {"signal", "14", PROC_SIGNALLED, 0, 14, "was killed by SIGALRM"},
        {"signal", "40", PROC_SIGNALLED, 0, 40, "was killed by signal 40"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        struct proc_result result = run(rows[i].habit, rows[i].number);
        cr_expect(eq(int, (int)result.end, (int)rows[i].end));
        cr_expect(eq(int, result.status, rows[i].status));
        cr_expect(eq(int, result.signal, rows[i].signal));
        cr_expect(eq(int, result.survivors, 0));
        SAME(proc_end_text(&result, text, sizeof text), rows[i].text);
    }
}

Test(test_proc, what_cannot_be_started_says_why)
{
    char script[600];
    static const struct {
        const char *file;
        int error;
    } rows[] = {{"/nonexistent/program", ENOENT}, {"/etc/passwd", EACCES}, {NULL, ENOEXEC}};
    (void)snprintf(script, sizeof script, "%s/none", scratch.path);
    FILE *file = fopen(script, "w");
    cr_assert(file != NULL && fputs("words\n", file) >= 0 && fclose(file) == 0);
    cr_assert(chmod(script, 0700) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *const argv[] = {rows[i].file != NULL ? rows[i].file : script, NULL};
        const char *const env[] = {NULL};
        const struct proc_task task = {.spec = {.argv = argv,
                                                .env = env,
                                                .dir = scratch.path,
                                                .out_path = out_path,
                                                .err_path = err_path}};
        struct proc_result result;
        struct fault fault;
        cr_assert(proc_run(&task, &result, &fault));
        cr_expect(eq(int, (int)result.end, PROC_NOT_STARTED));
        cr_expect(eq(int, result.error, rows[i].error));
    }
}

Test(test_proc, a_place_for_output_that_is_gone_is_named)
{
    const char *const argv[] = {"/bin/true", NULL};
    const char *const env[] = {NULL};
    const char *const places[][2] = {{"/nonexistent/out", err_path},
                                     {out_path, "/nonexistent/err"}};
    for (size_t i = 0; i < 2; i++) {
        const struct proc_task task = {.spec = {.argv = argv,
                                                .env = env,
                                                .dir = scratch.path,
                                                .out_path = places[i][0],
                                                .err_path = places[i][1]}};
        struct proc_result result;
        struct fault fault = {.text = ""};
        cr_assert(not(proc_run(&task, &result, &fault)));
        cr_expect(strstr(fault.text, places[i][i]) != NULL, "%s", fault.text);
    }
}

Test(test_proc, lines_are_whole_or_a_fault)
{
    struct proc_result result = run("line", "4096");
    cr_assert(eq(int, (int)result.end, PROC_EXITED));
    cr_assert(eq(sz, ear.length, 4096));
    ear.length = 0;
    result = run("line", "4097");
    cr_assert(eq(int, (int)result.end, PROC_BAD_LINE));
    cr_assert(eq(sz, ear.length, 0));
    result = run("cut", NULL);
    cr_assert(eq(int, (int)result.end, PROC_BAD_LINE));
    cr_assert(eq(sz, result.line_count, 1));
    SAME(ear.heard, "whole\n");
}

Test(test_proc, limits_on_memory_reach_the_child_and_it_is_the_first_to_go)
{
    char text[64] = "";
    struct fault fault;
    struct proc_result result;
    const char *const argv[] = {
        "/bin/sh", "-c", "echo $(ulimit -v) $(ulimit -d) $(cat /proc/self/oom_score_adj)", NULL};
    const char *const env[] = {NULL};
    const struct proc_task task = {.spec = {.argv = argv,
                                            .env = env,
                                            .dir = scratch.path,
                                            .out_path = out_path,
                                            .err_path = err_path,
                                            .address_space_bytes = 4ULL << 30,
                                            .data_bytes = 1ULL << 30}};
    cr_assert(proc_run(&task, &result, &fault), "%s", fault.text);
    FILE *file = fopen(out_path, "r");
    cr_assert(file != NULL && fgets(text, sizeof text, file) != NULL && fclose(file) == 0);
    SAME(text, "4194304 1048576 1000\n");
}

static off_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_size : -1;
}

Test(test_proc, both_ends_of_a_long_output_are_kept_and_no_more)
{
    char start[8] = "";
    char end[8] = "";
    struct proc_result result = run("flood", "5000000");
    cr_assert(eq(int, (int)result.end, PROC_EXITED));
    cr_assert(size_of(out_path) > 900000 && size_of(out_path) <= PROC_OUTPUT_KEPT);
    cr_assert(size_of(err_path) > 900000 && size_of(err_path) <= PROC_OUTPUT_KEPT);
    FILE *file = fopen(out_path, "r");
    cr_assert(file != NULL && fread(start, 1, 6, file) == 6);
    cr_assert(fseek(file, -5, SEEK_END) == 0 && fread(end, 1, 5, file) == 5 && fclose(file) == 0);
    SAME(start, "first\n");
    SAME(end, "last\n");
    result = run("flood", "100000");
    cr_assert(eq(int, (int)size_of(out_path), 100012));
}

Test(test_proc, a_gigabyte_of_output_ends_the_child)
{
    struct proc_result result = run("flood", "1073741824");
    cr_assert(eq(int, (int)result.end, PROC_TALKED));
    cr_assert(size_of(out_path) <= PROC_OUTPUT_KEPT);
}

Test(test_proc, only_a_fresh_word_puts_the_deadline_off)
{
    ear.word = PROC_FRESH;
    struct proc_result result = run_for(2000, "tick", "30");
    cr_assert(eq(int, (int)result.end, PROC_EXITED));
    cr_assert(eq(sz, result.line_count, 30));
    ear.word = PROC_GO_ON;
    result = run_for(2000, "tick", "300");
    cr_assert(eq(int, (int)result.end, PROC_TIMED_OUT));
    ear.word = PROC_STOP;
    result = run("tick", "300");
    cr_assert(eq(int, (int)result.end, PROC_STOPPED));
    cr_assert(eq(sz, result.line_count, 1));
}

Test(test_proc, no_descendant_outlives_a_child)
{
    static const struct {
        const char *habit;
        enum proc_end end;
        int survivors;
    } rows[] = {
        {"tree", PROC_EXITED, 4},
        {"tree-hang", PROC_TIMED_OUT, 0},
        {"tree-stop", PROC_TIMED_OUT, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ear.length = 0;
        struct proc_result result = run_for(1500, rows[i].habit, NULL);
        cr_expect(eq(int, (int)result.end, (int)rows[i].end));
        cr_expect(eq(int, result.survivors, rows[i].survivors));
        cr_expect(eq(sz, result.line_count, 1), "the tree was grown");
        cr_expect(eq(int, census_count(marker), 0));
    }
}

Test(test_proc, a_process_that_hops_from_pid_to_pid_is_caught)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/hops", scratch.path);
    struct proc_result result = run("hop", NULL);
    off_t hops = size_of(path);
    int64_t end = census_now_ms() + 300;
    cr_assert(eq(int, (int)result.end, PROC_EXITED));
    while (census_now_ms() < end) {
        (void)poll(NULL, 0, 20);
        cr_assert(size_of(path) == hops, "it goes on");
    }
}

Test(test_proc, a_child_that_kills_its_keeper_is_lost_with_all_it_started)
{
    struct proc_result result = run("kill-keeper", NULL);
    cr_assert(eq(int, (int)result.end, PROC_LOST));
    cr_assert(eq(sz, result.line_count, 1));
    cr_assert(eq(int, census_await(marker, 0, AT_ONCE_MS), 0));
}

// Stops its parent for a while.
static void pause_parent(unsigned after_ms, unsigned for_ms)
{
    pid_t parent = getpid();
    if (fork() == 0) {
        (void)usleep(after_ms * 1000);
        (void)kill(parent, SIGSTOP);
        (void)usleep(for_ms * 1000);
        (void)kill(parent, SIGCONT);
        _exit(0);
    }
}

Test(test_proc, a_pause_of_ones_own_is_no_silence_of_the_child)
{
    const char *const argv[] = {"/bin/sleep", "4", NULL};
    const char *const env[] = {marker, NULL};
    struct fault fault;
    struct proc_result result;
    const struct proc_task task = {.spec = {.argv = argv,
                                            .env = env,
                                            .dir = scratch.path,
                                            .out_path = out_path,
                                            .err_path = err_path,
                                            .timeout_ms = 2500},
                                   .on_line = hear,
                                   .context = &ear};
    pause_parent(300, 3000);
    cr_assert(proc_run(&task, &result, &fault), "%s", fault.text);
    cr_assert(eq(int, (int)result.end, PROC_EXITED));
    cr_assert(eq(int, result.status, 0));
}

struct series {
    struct proc_pool *pool;
    struct proc_task task;
    int to_add;
    int ended;
    int running_max;
};

// Counts who is alive besides the keepers: those have the test's own environment.
static enum proc_word look_around(void *context, const char *line, size_t length)
{
    struct series *series = context;
    (void)line;
    (void)length;
    int running = census_count(marker);
    series->running_max = running > series->running_max ? running : series->running_max;
    return PROC_GO_ON;
}

static void add_another(void *context, const struct proc_result *result)
{
    struct series *series = context;
    struct fault fault;
    series->ended += result->end == PROC_EXITED;
    if (series->to_add > 0) {
        series->to_add--;
        cr_assert(proc_pool_add(series->pool, &series->task, &fault));
    }
}

Test(test_proc, a_pool_runs_so_many_at_once_and_takes_more_on_the_way)
{
    const char *const argv[] = {PROC_FIXTURE, "tick", "3", NULL};
    const char *const env[] = {marker, NULL};
    struct fault fault;
    struct series series = {.pool = proc_pool_new(3), .to_add = 4};
    series.task = (struct proc_task){.spec = {.argv = argv,
                                              .env = env,
                                              .dir = scratch.path,
                                              .out_path = out_path,
                                              .err_path = err_path,
                                              .timeout_ms = PATIENCE_MS},
                                     .on_line = look_around,
                                     .on_end = add_another,
                                     .context = &series};
    for (int i = 0; i < 5; i++) {
        cr_assert(proc_pool_add(series.pool, &series.task, &fault));
    }
    cr_assert(proc_pool_run(series.pool, &fault), "%s", fault.text);
    proc_pool_free(series.pool);
    cr_assert(eq(int, series.ended, 9));
    cr_assert(series.running_max == 2 || series.running_max == 3, "%d at once", series.running_max);
}
