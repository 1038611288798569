// SPDX-License-Identifier: MIT
// Verbs keep nothing at file scope: the second run in a process answers as the first.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "same.h"
#include "verb.h"

// Runs a verb with stdout and stderr in `text`; returns its exit code.
static int run(const struct verb *verb, const char *const *argv, char *text, size_t size)
{
    int argc = 0;
    while (argv[argc] != NULL) {
        argc++;
    }
    FILE *file = tmpfile();
    (void)fflush(stdout);
    (void)fflush(stderr);
    int out = dup(STDOUT_FILENO);
    int err = dup(STDERR_FILENO);
    (void)dup2(fileno(file), STDOUT_FILENO);
    (void)dup2(fileno(file), STDERR_FILENO);
    int code = verb->run(argc, (char **)(uintptr_t)argv);
    (void)fflush(stdout);
    (void)fflush(stderr);
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(err, STDERR_FILENO);
    (void)close(out);
    (void)close(err);
    ssize_t len = pread(fileno(file), text, size - 1, 0);
    text[len > 0 ? len : 0] = '\0';
    (void)fclose(file);
    return code;
}

Test(verbs, run_twice_in_one_process_with_the_same_answers)
{
    static const struct {
        const struct verb *verb;
        const char *argv[5];
        int code;
    } cases[] = {
        {&verb_list, {"list", "--help"}, 0},
        {&verb_doctor, {"doctor", "--help"}, 0},
        {&verb_ir, {"ir", "--help"}, 0},
        {&verb_terrain, {"terrain", "--help"}, 0},
        {&verb_terrain, {"terrain"}, 2},
        {&verb_terrain, {"terrain", "diff", "/nonexistent/a", "/nonexistent/b"}, 3},
        {&verb_list, {"list", "--json", "--json"}, 2},
        {&verb_list, {"list", "--subject", "/nonexistent/subject"}, 3},
        {&verb_list, {"list", "--subject", "/bin/true"}, 3},
        {&verb_ir, {"ir", "--layouts", "0"}, 2},
        {&verb_ir, {"ir", "--base", "/nonexistent"}, 2},
    };
    static char texts[2][sizeof cases / sizeof cases[0]][8192];
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            int code = run(cases[i].verb, cases[i].argv, texts[round][i], sizeof texts[0][0]);
            cr_assert(eq(int, code, cases[i].code), "%s", texts[round][i]);
            cr_assert(gt(sz, strlen(texts[round][i]), 0));
        }
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SAME(texts[1][i], texts[0][i]);
    }
}
