// SPDX-License-Identifier: MIT
// What a file says when it is asked for its paths, and every way not to be a subject.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/scratch.h"
#include "measure/subject_list.h"
#include "program.h"
#include "same.h"

enum { SOON_MS = 1500, PATIENCE_MS = 60 * 1000 };

static struct scratch scratch;
static struct scratch place;
static struct subject subject;
static struct fault fault;

static void open_scratch(void)
{
    cr_assert(scratch_open(&scratch, &fault) && scratch_open(&place, &fault), "%s", fault.text);
}

static void close_scratch(void)
{
    subject_close(&subject);
    scratch_close(&scratch);
    scratch_close(&place);
}

TestSuite(test_subject_list, .init = open_scratch, .fini = close_scratch);

#define SUBJECT                                                                                    \
    "{\"type\":\"subject\",\"protocol\":1,\"kit\":\"none\",\"self\":0,\"compiler\":\"sh\","        \
    "\"flags\":\"-O2\",\"commit\":null,\"dirty\":[\"x.c\"],\"build_id\":null}\n"
#define PATH_NAMED(name)                                                                           \
    "{\"type\":\"path\",\"name\":\"" name "\",\"about\":\"about it\",\"shapes\":[\"s\"],"          \
    "\"operations\":[],\"phases\":[],\"threads\":true}\n"
#define TERRAIN    "{\"type\":\"terrain\",\"name\":\"hills\",\"about\":\"up and down\"}\n"
#define END(lines) "{\"type\":\"end\",\"lines\":" lines "}\n"
// printf and not cat, so that a script can be a line.
#define SAYS(text) "#!/bin/sh\ncat >&3 <<'EOF'\n" text "EOF\n"

Test(test_subject_list, a_subject_is_read_whole_and_sorted)
{
    char *file = program_write(
        place.path, "good", SAYS(SUBJECT PATH_NAMED("b") PATH_NAMED("a") TERRAIN END("4")), 0700);
    char *link = NULL;
    cr_assert(asprintf(&link, "%s/link", place.path) > 0 && symlink("good", link) == 0);
    cr_assert(subject_open(link, &scratch, &subject, &fault), "%s", fault.text);
    SAME(subject.file, file);
    SAME(subject.kit, "none");
    SAME(subject.compiler, "sh");
    SAME(subject.flags, "-O2");
    cr_assert(subject.commit == NULL && subject.build_id == NULL);
    cr_assert(not(subject.is_elf));
    cr_assert(not(subject.self));
    cr_assert(eq(sz, subject.dirty.count, 1));
    cr_assert(eq(sz, subject.path_count, 2));
    SAME(subject.paths[0].name, "a");
    SAME(subject.paths[1].about, "about it");
    SAME(subject.paths[1].shapes.items[0], "s");
    cr_assert(subject.paths[0].threads);
    cr_assert(eq(sz, subject.terrains.count, 1));
    SAME(subject.terrains.items[0], "hills");
    cr_assert(subject_find(&subject, "b") == &subject.paths[1]);
    cr_assert(subject_find(&subject, "c") == NULL);
    free(file);
    free(link);
}

Test(test_subject_list, only_the_fixed_environment_reaches_it)
{
    cr_assert(setenv("GITHUB_TOKEN", "secret", 1) == 0 && setenv("LD_BIND_NOW", "1", 1) == 0);
    char *text = NULL;
    cr_assert(
        asprintf(&text,
                 "#!/bin/sh\n/usr/bin/env > %s/env\npwd > %s/pwd\ncat >&3 <<'EOF'\n" SUBJECT END(
                     "1") "EOF\n",
                 place.path, place.path) > 0);
    char *file = program_write(place.path, "env", text, 0700);
    free(file);
    file = program_write(place.path, "asks", text, 0700);
    cr_assert(subject_open(file, &scratch, &subject, &fault), "%s", fault.text);
    free(text);
    free(file);
    char line[256];
    cr_assert(asprintf(&file, "%s/env", place.path) > 0);
    FILE *env = fopen(file, "r");
    cr_assert(env != NULL);
    while (fgets(line, sizeof line, env) != NULL) {
        // PWD and _ are the shell's own.
        cr_expect(strcmp(line, "PATH=/usr/bin:/bin\n") == 0 || strcmp(line, "LC_ALL=C\n") == 0 ||
                      strcmp(line, "TZ=UTC0\n") == 0 || strcmp(line, "CKBENCH_FD=3\n") == 0 ||
                      strncmp(line, "PWD=", 4) == 0 || strncmp(line, "_=", 2) == 0,
                  "%s", line);
    }
    (void)fclose(env);
    free(file);
}

Test(test_subject_list, every_way_not_to_be_a_subject_is_named)
{
    static const struct {
        const char *text;
        mode_t mode;
        const char *cause;
    } rows[] = {
        {SAYS(SUBJECT END("1")), 0600, "is not executable"},
        {"just text\n", 0700, "is neither an ELF program nor a script"},
        {"", 0700, "is neither an ELF program nor a script"},
        {"#!/nonexistent/interpreter\n", 0700, "could not be started: No such file"},
        {"\177ELF and no more", 0700, "could not be started: Exec format error"},
        {"#!/bin/sh\nexit 2\n", 0700, "ended with exit status 2"},
        {"#!/bin/sh\necho bad luck >&2\nexit 1\n", 0700, "exit status 1: bad luck"},
        {SAYS(SUBJECT END("1")) "exit 1\n", 0700, "ended with exit status 1"},
        {"#!/bin/sh\nkill -SEGV $$\n", 0700, "was killed by SIGSEGV"},
        {"#!/bin/sh\nexec sleep 1000\n", 0700, "was silent for 1.5 s"},
        {"#!/bin/sh\nexit 0\n", 0700, "answered nothing"},
        {"#!/bin/sh\necho hello\n", 0700, "answered nothing"},
        {SAYS(SUBJECT), 0700, "is cut, there is no `end` line"},
        {"#!/bin/sh\nprintf '{\"type' >&3\n", 0700, "cut or longer than 4,096 bytes"},
        {"#!/bin/sh\nhead -c 5000 /dev/zero | tr '\\0' x >&3\n", 0700, "longer than 4,096 bytes"},
        {SAYS("hello\n"), 0700, "not a line of JSON"},
        {SAYS(END("0")), 0700, "its first answer is no `subject` line"},
        {SAYS(SUBJECT SUBJECT END("2")), 0700, "two `subject` lines"},
        {SAYS(SUBJECT PATH_NAMED("a") PATH_NAMED("a") END("3")), 0700, "the path a twice"},
        {SAYS(SUBJECT TERRAIN TERRAIN END("3")), 0700, "the terrain hills twice"},
        {SAYS(SUBJECT PATH_NAMED("ckbench_self_ir") END("2")), 0700, "kept for self-tests"},
        {SAYS(SUBJECT PATH_NAMED("A") END("2")), 0700, "bad \"name\""},
        {SAYS(SUBJECT END("2")), 0700, "counts 2 lines, 1 were read"},
        {SAYS(SUBJECT END("1") END("1")), 0700, "after `end`"},
        {SAYS("{\"type\":\"subject\",\"protocol\":2}\n"), 0700, "use a newer ckbench"},
        {"#!/bin/sh\nexec cat /dev/zero\n", 0700, "printed more than 64 MiB"},
        {"#!/bin/sh\nexec cat /dev/zero >&2\n", 0700, "printed more than 64 MiB"},
        {"#!/bin/sh\nexec yes '{\"type\":\"x\"}' >&3\n", 0700, "no `subject` line"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file = program_write(place.path, "odd", rows[i].text, rows[i].mode);
        int timeout_ms = strstr(rows[i].text, "sleep") != NULL ? SOON_MS : PATIENCE_MS;
        cr_expect(not(subject_open_within(file, &scratch, timeout_ms, &subject, &fault)), "%s",
                  rows[i].text);
        cr_expect(strstr(fault.text, rows[i].cause) != NULL, "%s\nnot: %s", fault.text,
                  rows[i].cause);
        cr_expect(strncmp(fault.text, file, strlen(file)) == 0, "%s names the file", fault.text);
        cr_expect(subject.file == NULL && subject.path_count == 0);
        (void)unlink(file);
        free(file);
    }
}

Test(test_subject_list, what_is_no_file_is_named)
{
    static const char *const rows[][2] = {
        {"/nonexistent/subject", "/nonexistent/subject: No such file or directory"},
        {"/etc", "/etc is a directory, not a program"},
        {"/dev/null", "/dev/null is no regular file, not a program"},
        {"", "No such file or directory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_expect(not(subject_open(rows[i][0], &scratch, &subject, &fault)));
        cr_expect(strstr(fault.text, rows[i][1]) != NULL, "%s", fault.text);
    }
}

Test(test_subject_list, a_stranger_that_lies_about_lines_is_refused)
{
    // Subjects without the kit, in C: ../../subjects/foreign.c and what it can be built to get
    // wrong.
    static const struct {
        const char *name;
        const char *cause;
    } rows[] = {
        {"foreign", NULL},
        {"liar-twice", "lists the path foreign_add twice"},
        {"liar-name", "bad \"name\""},
        {"liar-short", "`end` line counts"},
        {"liar-long", "longer than 4,096 bytes"},
        {"liar-json", "not a line of JSON"},
        {"liar-keys", "a member twice"},
        {"liar-protocol", "protocol 2"},
        {"liar-no-end", "no `end` line"},
        {"liar-endless", "do not end"},
        {"silent", "answered nothing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file = NULL;
        cr_assert(asprintf(&file, "%s/%s/%s", SUBJECTS_DIR, rows[i].name, rows[i].name) > 0);
        bool opened = subject_open(file, &scratch, &subject, &fault);
        cr_expect(eq(int, opened, rows[i].cause == NULL), "%s", file);
        cr_expect(opened || strstr(fault.text, rows[i].cause) != NULL, "%s", fault.text);
        cr_expect(eq(int, subject.is_elf, opened));
        subject_close(&subject);
        free(file);
    }
}
