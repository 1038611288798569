// SPDX-License-Identifier: MIT
// Counting under the real valgrind: good paths beside every bad one. Whatever a path does, it is
// named, its neighbours are counted, and no process is left.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "census.h"
#include "measure/count_run.h"
#include "measure/interrupt.h"
#include "program.h"
#include "same.h"

enum { SHORT_MS = 3000, LONG_MS = 120 * 1000, JOBS = 2 };

static struct scratch scratch;
static struct valgrind valgrind;
static struct subject subject;
static struct fault fault;
static struct count_plan *plan;

static void open_all(void)
{
    cr_assert(scratch_open(&scratch, &fault), "%s", fault.text);
    cr_assert(valgrind_find(NULL, &scratch, &valgrind, &fault), "%s", fault.text);
    plan = count_plan_new(&scratch, &valgrind, &fault);
    cr_assert(plan != NULL, "%s", fault.text);
}

static void close_all(void)
{
    count_plan_free(plan);
    subject_close(&subject);
    valgrind_release(&valgrind);
    scratch_close(&scratch);
}

TestSuite(test_count_run, .init = open_all, .fini = close_all);

static void open_subject(const char *file)
{
    cr_assert(subject_open(file, &scratch, &subject, &fault), "%s", fault.text);
}

static struct count_unit *add_unit(const struct count_settings *settings)
{
    static const struct count_settings plain = {.path_pad_bytes = 0};
    struct count_unit *unit =
        count_plan_unit(plan, "head", &subject, settings != NULL ? settings : &plain, &fault);
    cr_assert(unit != NULL, "%s", fault.text);
    return unit;
}

static void add(struct count_unit *unit, const char *path, int layout)
{
    const struct count_request request = {
        .path = path, .layout = layout, .warmup = 2, .n1 = 4, .n2 = 8};
    cr_assert(count_unit_add(unit, &request, &fault), "%s", fault.text);
}

static void run(int64_t timeout_ms)
{
    cr_assert(count_run(plan, JOBS, timeout_ms, NULL, NULL, &fault), "%s", fault.text);
}

// Its path is in every command line of valgrind's.
static void expect_nobody(void)
{
    cr_expect(eq(int, census_await(scratch.path, 0, 5000), 0));
}

static bool dump_has(const struct count_result *result, const char *text)
{
    static char dump[256 * 1024];
    FILE *file = result->out_file != NULL ? fopen(result->out_file, "r") : NULL;
    size_t length = file != NULL ? fread(dump, 1, sizeof dump - 1, file) : 0;
    dump[length] = '\0';
    if (file != NULL) {
        (void)fclose(file);
    }
    return strstr(dump, text) != NULL;
}

static void expect_counted(const struct count_result *result)
{
    char pid[32];
    cr_assert(result != NULL);
    cr_expect(eq(int, (int)result->state, COUNT_COUNTED), "%s: %s", result->path, result->reason);
    (void)snprintf(pid, sizeof pid, "\npid: %d\n", (int)result->pid);
    cr_expect(dump_has(result, pid));
    cr_expect(dump_has(result, "\ndesc: Trigger: dump n1\n"));
    cr_expect(dump_has(result, "\ndesc: Trigger: dump n2\n"));
    cr_expect(eq(int, result->reason[0], '\0'));
    cr_expect(eq(ptr, result->tail, NULL));
}

Test(test_count_run, many_counts_in_one_process_and_units_side_by_side)
{
    open_subject(ODD_SUBJECT);
    struct count_unit *units[2] = {add_unit(NULL), add_unit(NULL)};
    for (int i = 0; i < 2; i++) {
        add(units[i], "good", 0);
        add(units[i], "good", 3);
        add(units[i], "fine", 0);
    }
    run(LONG_MS);
    for (int i = 0; i < 2; i++) {
        cr_expect(eq(sz, count_unit_size(units[i]), 3));
        cr_expect(eq(int, count_unit_processes(units[i]), 1));
        SAME(count_unit_cpuid(units[i]), "c0de");
        expect_counted(count_unit_find(units[i], "good", 0));
        expect_counted(count_unit_find(units[i], "good", 3));
        expect_counted(count_unit_find(units[i], "fine", 0));
        const struct count_result *result = count_unit_result(units[i], 1);
        SAME(result->digest, "00000000000000ff");
        cr_expect(eq(int, result->layout, 3));
        cr_expect(result->clock_reads == 1 && result->entropy_reads == 2 && result->pid_reads == 3);
    }
    expect_nobody();
}

struct row {
    const char *path;
    enum count_state state;
    const char *step;
    const char *reason;
    int processes;
};

static void expect_row(const struct row *row)
{
    struct count_unit *unit = add_unit(NULL);
    add(unit, "good", 0);
    add(unit, row->path, 1);
    add(unit, row->path, 2);
    add(unit, "fine", 0);
    run(row->state == COUNT_TIMEOUT ? SHORT_MS : LONG_MS);
    expect_counted(count_unit_find(unit, "good", 0));
    expect_counted(count_unit_find(unit, "fine", 0));
    for (int layout = 1; layout <= 2; layout++) {
        const struct count_result *result = count_unit_find(unit, row->path, layout);
        cr_expect(eq(int, (int)result->state, (int)row->state), "%s: %s", row->path,
                  result->reason);
        cr_expect(strstr(result->reason, row->reason) != NULL, "%s: %s", row->path, result->reason);
        cr_expect(strcmp(result->step, row->step) == 0, "%s: %s", row->path, result->step);
        cr_expect(result->out_file == NULL, "%s", row->path);
    }
    cr_expect(eq(int, count_unit_processes(unit), row->processes), "%s", row->path);
}

Test(test_count_run, a_stranger_that_misbehaves_is_named_and_its_neighbours_are_counted)
{
    static const struct row rows[] = {
        {"answers_nothing", COUNT_FAILED, "protocol", "exit status 0 and without an answer", 1},
        {"dies_after_answer", COUNT_CRASHED, "call", "killed by SIGSEGV", 1},
        {"counts_too_much", COUNT_FAILED, "protocol", "did not run the loops", 3},
        {"answers_twice", COUNT_FAILED, "protocol", "`counted` out of turn", 3},
        {"says_garbage", COUNT_FAILED, "protocol", "not a line of JSON (no object): garbage", 3},
        {"kills_parent", COUNT_CRASHED, "call", "killed by SIGKILL", 3},
        {"hangs", COUNT_TIMEOUT, "call", "no end within 3 s", 3},
        // Found by running each path alone.
        {"works_elsewhere", COUNT_FAILED, "children", "it started 2 processes", 4},
        {"runs_a_program", COUNT_FAILED, "children", "it started 2 processes", 4},
        {"leaves_daemon", COUNT_FAILED, "children", "it left 2 processes alive", 4},
    };
    open_subject(ODD_SUBJECT);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_row(&rows[i]);
    }
    expect_nobody();
}

Test(test_count_run, a_main_process_that_ends_takes_only_its_own_down)
{
    open_subject(ODD_SUBJECT);
    struct count_unit *unit = add_unit(NULL);
    add(unit, "good", 0);
    add(unit, "ends_main", 0);
    run(LONG_MS);
    expect_counted(count_unit_find(unit, "good", 0));
    const struct count_result *result = count_unit_find(unit, "ends_main", 0);
    cr_expect(eq(int, (int)result->state, COUNT_FAILED));
    SAME(result->reason, "the subject ended with exit status 5");
}

Test(test_count_run, a_process_number_that_comes_round_is_nobodys_fault)
{
    open_subject(ODD_SUBJECT);
    struct count_unit *unit = add_unit(NULL);
    add(unit, "good", 0);
    add(unit, "comes_round", 0);
    add(unit, "fine", 0);
    run(LONG_MS);
    expect_counted(count_unit_find(unit, "good", 0));
    expect_counted(count_unit_find(unit, "comes_round", 0));
    expect_counted(count_unit_find(unit, "fine", 0));
    cr_expect(eq(int, count_unit_processes(unit), 4));
    expect_nobody();
}

Test(test_count_run, last_words_are_kept_and_clean)
{
    open_subject(ODD_SUBJECT);
    struct count_unit *unit = add_unit(NULL);
    add(unit, "aborts", 0);
    run(LONG_MS);
    const struct count_result *result = count_unit_result(unit, 0);
    cr_assert(eq(int, (int)result->state, COUNT_CRASHED));
    cr_assert(eq(int, result->signal, SIGABRT));
    cr_assert(result->tail != NULL);
    cr_assert(strstr(result->tail, "assertion ?[31mfailed") != NULL, "%s", result->tail);
}

Test(test_count_run, nothing_that_ckbench_was_given_reaches_the_subject_or_valgrind)
{
    static const char *const known[] = {
        "PATH",
        "LC_ALL",
        "TZ",
        "CKBENCH_FD",
        "LD_BIND_NOW",
        "GLIBC_TUNABLES",
        "LD_PRELOAD", // valgrind's own
        "PWD",
        "LD_LIBRARY_PATH",
        "GLIBCPP_FORCE_NEW", // of Debian's wrapper script
        "GLIBCXX_FORCE_NEW",
        "_",
        "OLDPWD",
        "SHLVL",
    };
    free(program_write(scratch.path, ".valgrindrc", "--tool=none\n", 0600));
    cr_assert(setenv("HOME", scratch.path, 1) == 0);
    cr_assert(setenv("VALGRIND_OPTS", "--tool=none --toggle-collect=nothing", 1) == 0);
    cr_assert(setenv("GITHUB_TOKEN", "secret", 1) == 0);
    cr_assert(setenv("LD_AUDIT", "/nonexistent", 1) == 0);
    open_subject(ODD_SUBJECT);
    struct count_unit *unit = add_unit(NULL);
    add(unit, "good", 0);
    add(unit, "tells_environment", 0);
    run(LONG_MS);
    expect_counted(count_unit_find(unit, "good", 0));
    char names[512];
    (void)snprintf(names, sizeof names, "%s",
                   count_unit_find(unit, "tells_environment", 0)->reason);
    cr_assert(strstr(names, "GLIBC_TUNABLES") != NULL, "%s", names);
    for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
        bool expected = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            expected = expected || strcmp(name, known[i]) == 0;
        }
        cr_expect(expected, "%s", name);
    }
}

Test(test_count_run, a_path_that_is_not_understood_is_named)
{
    char *file = NULL;
    cr_assert(asprintf(&file, "%s/liar-absent/liar-absent", SUBJECTS_DIR) > 0);
    open_subject(file);
    struct count_unit *unit = add_unit(NULL);
    add(unit, "foreign_absent", 0);
    add(unit, "foreign_add", 0);
    run(LONG_MS);
    const struct count_result *result = count_unit_find(unit, "foreign_absent", 0);
    cr_expect(eq(int, (int)result->state, COUNT_MISSING));
    SAME(result->reason, "the subject ended with exit status 2");
    expect_counted(count_unit_find(unit, "foreign_add", 0));
    free(file);
}

Test(test_count_run, what_the_kit_reports_and_what_valgrind_cannot_run)
{
    static const struct {
        const char *path;
        enum count_state state;
        const char *step;
        const char *reason;
    } rows[] = {
        {"behaves", COUNT_COUNTED, "", ""},
        {"crashes", COUNT_CRASHED, "call", "killed by SIGSEGV at crash (misbehaving.c:"},
        {"crashes_in_setup", COUNT_CRASHED, "setup", "killed by SIGSEGV at crash"},
        {"daemonises", COUNT_FAILED, "children", ""},
        {"exits_early", COUNT_FAILED, "call", "status 0"},
        {"fails_setup", COUNT_FAILED, "setup", "setup returned NULL"},
        {"fails_verify", COUNT_FAILED, "verify", "verify returned 7"},
        {"forks_and_waits", COUNT_FAILED, "children", ""},
        {"prints_escapes", COUNT_COUNTED, "", ""},
        {"prints_gigabyte", COUNT_FAILED, "protocol", "printed more than 64 MiB"},
        {"sigill_sha", COUNT_CRASHED, "call", "does not know the instruction 0xF 0x38 0xCC 0xC0"},
        {"stops_itself", COUNT_CRASHED, "call", "killed by SIGKILL: stopped itself"},
        {"zz_behaves", COUNT_COUNTED, "", ""},
    };
    open_subject(SUBJECTS_DIR "/misbehaving/misbehaving");
    struct count_unit *unit = add_unit(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        add(unit, rows[i].path, 0);
    }
    run(LONG_MS);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct count_result *result = count_unit_find(unit, rows[i].path, 0);
        cr_expect(eq(int, (int)result->state, (int)rows[i].state), "%s: %s", rows[i].path,
                  result->reason);
        cr_expect(strstr(result->reason, rows[i].reason) != NULL, "%s: %s", rows[i].path,
                  result->reason);
        cr_expect(strcmp(result->step, rows[i].step) == 0, "%s: %s", rows[i].path, result->step);
    }
    expect_nobody();
}

Test(test_count_run, memory_is_dealt_to_all_who_run_at_once)
{
    const unsigned long long least = 2ULL << 30;
    unsigned long long share = (unsigned long long)sysconf(_SC_PHYS_PAGES) *
                               (unsigned long long)sysconf(_SC_PAGESIZE) / JOBS;
    char wanted[32];
    (void)snprintf(wanted, sizeof wanted, "%llu", share > least ? share : least);
    open_subject(ODD_SUBJECT);
    struct count_unit *unit = add_unit(NULL);
    add(unit, "tells_memory", 0);
    run(LONG_MS);
    SAME(count_unit_result(unit, 0)->reason, wanted);
}

Test(test_count_run, padding_reaches_the_subject)
{
    const struct count_settings padded = {.valgrind = {.pad_bytes = 8000}, .path_pad_bytes = 150};
    open_subject(ODD_SUBJECT);
    struct count_unit *unit = add_unit(&padded);
    add(unit, "good", 0);
    add(unit, "tells_environment", 0);
    run(LONG_MS);
    const struct count_result *good = count_unit_find(unit, "good", 0);
    expect_counted(good);
    cr_expect(dump_has(good, "pppppppppppppppppppppppppppppp/subject count good,0,2,4,8"));
    cr_expect(strstr(count_unit_find(unit, "tells_environment", 0)->reason, "CKBENCH_PAD") != NULL);
}

Test(test_count_run, a_valgrind_that_refuses_or_lies_is_no_figure)
{
    static const struct {
        const char *text;
        const char *reason;
    } rows[] = {
        {"echo 'valgrind: Unknown option: -x' >&2; exit 1",
         "valgrind ended with exit status 1: valgrind: Unknown option: -x"},
        {"exit 0", "the subject ended before it had answered everything"},
        {"kill -SEGV $$", "valgrind was killed by SIGSEGV"},
        {"while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"",
         "valgrind left no counts of it"},
    };
    open_subject(ODD_SUBJECT);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        struct valgrind stub;
        (void)snprintf(text, sizeof text,
                       "#!/bin/sh\n[ \"$1\" = --version ] && echo valgrind-3.19.0 && exit 0\n%s\n",
                       rows[i].text);
        char *file = program_write(scratch.path, "valgrind", text, 0700);
        cr_assert(valgrind_find(scratch.path, &scratch, &stub, &fault), "%s", fault.text);
        count_plan_free(plan);
        plan = count_plan_new(&scratch, &stub, &fault);
        struct count_unit *unit = add_unit(NULL);
        add(unit, "good", 0);
        run(LONG_MS);
        const struct count_result *result = count_unit_result(unit, 0);
        cr_expect(result->state != COUNT_COUNTED);
        cr_expect(strstr(result->reason, rows[i].reason) != NULL, "%s", result->reason);
        (void)unlink(file);
        free(file);
        count_plan_free(plan);
        plan = NULL;
        valgrind_release(&stub);
    }
}

Test(test_count_run, a_program_that_changes_meanwhile_is_refused)
{
    open_subject(ODD_SUBJECT);
    free(subject.build_id);
    subject.build_id = strdup("00");
    struct count_unit *unit = add_unit(NULL);
    add(unit, "good", 0);
    add(unit, "fine", 0);
    run(LONG_MS);
    const struct count_result *result = count_unit_result(unit, 0);
    cr_expect(eq(int, (int)result->state, COUNT_MISSING));
    cr_expect(strstr(result->reason, "changed while it was measured") != NULL, "%s",
              result->reason);
    cr_expect(eq(int, count_unit_processes(unit), 1));
}

static void tick(void *context, size_t done, size_t total, const char *label)
{
    size_t *last = context;
    cr_expect(done >= *last && done <= total);
    cr_expect(eq(sz, total, 2));
    cr_expect(strncmp(label, "head ", 5) == 0, "%s", label);
    *last = done;
}

Test(test_count_run, progress_is_told_and_bad_requests_are_refused)
{
    size_t done = 0;
    open_subject(ODD_SUBJECT);
    struct count_unit *unit = add_unit(NULL);
    add(unit, "good", 0);
    add(unit, "fine", 0);
    static const struct count_request bad[] = {
        {.path = "good", .layout = 0, .n1 = 1, .n2 = 1},
        {.path = "Good", .layout = 1, .n1 = 1, .n2 = 1},
        {.path = "good", .layout = -1, .n1 = 1, .n2 = 1},
        {.path = "good", .layout = 1, .n1 = 0, .n2 = 1},
        {.path = "good", .layout = 1, .warmup = -1, .n1 = 1, .n2 = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect(not(count_unit_add(unit, &bad[i], &fault)));
    }
    cr_assert(count_run(plan, JOBS, LONG_MS, tick, &done, &fault), "%s", fault.text);
    cr_expect(eq(sz, done, 2));
    subject_close(&subject);
    open_subject(SUBJECTS_DIR "/script/script");
    cr_expect(count_plan_unit(plan, "head", &subject, &(struct count_settings){0}, &fault) == NULL);
    cr_expect(strstr(fault.text, "is a script") != NULL, "%s", fault.text);
}

static void interrupt(void *context, size_t done, size_t total, const char *label)
{
    (void)context;
    (void)total;
    (void)label;
    if (done == 1) {
        (void)raise(SIGTERM);
    }
}

Test(test_count_run, an_interruption_ends_all_and_leaves_no_figure_for_the_rest)
{
    open_subject(ODD_SUBJECT);
    struct count_unit *units[3] = {add_unit(NULL), add_unit(NULL), add_unit(NULL)};
    for (int i = 0; i < 3; i++) {
        add(units[i], "good", 0);
        add(units[i], "hangs", 0);
    }
    cr_assert(interrupt_install(&fault), "%s", fault.text);
    cr_assert(not(count_run(plan, JOBS, LONG_MS, interrupt, NULL, &fault)));
    interrupt_remove();
    SAME(fault.text, "interrupted by SIGTERM");
    for (int i = 0; i < 3; i++) {
        const struct count_result *result = count_unit_find(units[i], "hangs", 0);
        cr_expect(eq(int, (int)result->state, COUNT_MISSING));
        cr_expect(strstr(result->reason, "interrupted") != NULL, "%s", result->reason);
    }
    cr_expect(eq(int, (int)count_unit_find(units[2], "good", 0)->state, COUNT_MISSING));
    cr_expect(eq(int, census_count(scratch.path), 0));
}

Test(test_count_run, killed_it_leaves_no_valgrind_behind)
{
    open_subject(SUBJECTS_DIR "/misbehaving/misbehaving");
    struct count_unit *unit = add_unit(NULL);
    add(unit, "hangs_deaf", 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)count_run(plan, JOBS, LONG_MS, NULL, NULL, &fault);
        _exit(0);
    }
    // The main process and its measured child.
    cr_expect(eq(int, census_await(scratch.path, 2, LONG_MS), 2));
    cr_assert(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    expect_nobody();
}
