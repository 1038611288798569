// SPDX-License-Identifier: MIT
// Which valgrind is taken, and that its command line and environment are the method's.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/scratch.h"
#include "measure/valgrind.h"
#include "program.h"
#include "same.h"

static struct scratch scratch;
static struct scratch place;
static struct valgrind valgrind;
static struct fault fault;

static void open_scratch(void)
{
    cr_assert(scratch_open(&scratch, &fault) && scratch_open(&place, &fault), "%s", fault.text);
}

static void close_scratch(void)
{
    valgrind_release(&valgrind);
    scratch_close(&scratch);
    scratch_close(&place);
}

TestSuite(test_valgrind, .init = open_scratch, .fini = close_scratch);

Test(test_valgrind, the_one_in_path_is_found_before_the_environment_goes)
{
    char *path = NULL;
    cr_assert(asprintf(&path, "relative::/nonexistent:%s:/usr/bin", place.path) > 0);
    free(program_write(place.path, "valgrind", "#!/bin/sh\necho valgrind-3.22.1.GIT\n", 0700));
    cr_assert(setenv("PATH", path, 1) == 0);
    cr_assert(valgrind_find(NULL, &scratch, &valgrind, &fault), "%s", fault.text);
    SAME(valgrind.version, "3.22.1.GIT");
    cr_assert(valgrind.major == 3 && valgrind.minor == 22);
    cr_assert(strncmp(valgrind.path, place.path, strlen(place.path)) == 0);
    free(path);
}

Test(test_valgrind, a_broken_one_is_said_to_be)
{
    static const struct {
        const char *text;
        mode_t mode;
        const char *cause;
    } rows[] = {
        {"#!/bin/sh\necho valgrind-3.19.0\n", 0600, "valgrind is not in PATH; install it"},
        {"#!/bin/sh\necho hello\n", 0700, "is no valgrind's"},
        {"#!/bin/sh\nexit 0\n", 0700, "is no valgrind's"},
        {"#!/bin/sh\nprintf 'valgrind-3.19.0\\000x'\n", 0700, "is no valgrind's"},
        {"#!/bin/sh\nprintf 'valgrind-3.\\033[31m'\n", 0700, "is no valgrind's"},
        {"#!/bin/sh\necho valgrind-3\n", 0700, "is no valgrind's"},
        {"#!/bin/sh\necho valgrind-x.y\n", 0700, "is no valgrind's"},
        {"#!/bin/sh\necho valgrind-99999999999999999999.1\n", 0700, "is no valgrind's"},
        {"#!/bin/sh\necho valgrind-3.19.0\nexit 1\n", 0700, "ended with exit status 1"},
        {"#!/bin/sh\nkill -KILL $$\n", 0700, "was killed by SIGKILL"},
        {"#!/bin/sh\necho valgrind-3.14.0\n", 0700, "is 3.14.0; install valgrind 3.15 or newer"},
        {"#!/bin/sh\necho valgrind-2.99.0\n", 0700, "install valgrind 3.15 or newer"},
        {"#!/nonexistent\n", 0700, "could not be started"},
        {"#!/bin/sh\nexec cat /dev/zero\n", 0700, "printed more than 64 MiB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *path = program_write(place.path, "valgrind", rows[i].text, rows[i].mode);
        cr_expect(not(valgrind_find(place.path, &scratch, &valgrind, &fault)), "%s", rows[i].text);
        cr_expect(strstr(fault.text, rows[i].cause) != NULL, "%s\nnot: %s", fault.text,
                  rows[i].cause);
        cr_expect(valgrind.path == NULL);
        (void)unlink(path);
        free(path);
    }
}

Test(test_valgrind, one_that_hangs_is_ended)
{
    free(program_write(place.path, "valgrind", "#!/bin/sh\nexec sleep 1000\n", 0700));
    cr_assert(not(valgrind_find(place.path, &scratch, &valgrind, &fault)));
    cr_assert(strstr(fault.text, "was silent for 10 s") != NULL, "%s", fault.text);
}

static char *join_all(char *const *list)
{
    size_t size = 1;
    for (size_t i = 0; list[i] != NULL; i++) {
        size += strlen(list[i]) + 1;
    }
    char *text = calloc(1, size);
    for (size_t i = 0; list[i] != NULL; i++) {
        (void)strcat(strcat(text, list[i]), " ");
    }
    return text;
}

// The recipe, written out a second time on purpose.
#define FLAGS                                                                                      \
    "--command-line-only=yes -q --vgdb=no --sigill-diagnostics=yes --tool=callgrind "              \
    "--instr-atstart=no --separate-threads=yes --combine-dumps=yes --compress-strings=no "         \
    "--compress-pos=no --collect-systime=nsec "
#define ENVIRONMENT                                                                                \
    "PATH=/usr/bin:/bin LC_ALL=C TZ=UTC0 CKBENCH_FD=3 LD_BIND_NOW=1 "                              \
    "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=1073741824:"                                       \
    "glibc.malloc.trim_threshold=1073741824:glibc.malloc.top_pad=16777216:"                        \
    "glibc.malloc.arena_max=1:glibc.cpu.hwcaps=-ERMS,-FSRM "

Test(test_valgrind, the_command_is_the_method)
{
    static const struct {
        struct valgrind_settings settings;
        const char *argv;
        const char *env;
    } rows[] = {
        {{.cache_sim = false},
         "/v " FLAGS "--callgrind-out-file=/d%%/%p.out --log-file=/d%%/%p.log -- "
         "/s count a,0,1,2,3 ",
         ENVIRONMENT},
        {{.cache_sim = true, .pad_bytes = 5},
         "/v " FLAGS "--cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 "
         "--LL=8388608,16,64 --callgrind-out-file=/d%%/%p.out --log-file=/d%%/%p.log -- "
         "/s count a,0,1,2,3 ",
         ENVIRONMENT "CKBENCH_PAD=xxxxx "},
    };
    const char *const subject_argv[] = {"/s", "count", "a,0,1,2,3", NULL};
    char path[] = "/v";
    const struct valgrind fake = {.path = path};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct valgrind_command command;
        cr_assert(
            valgrind_command_init(&command, &fake, &rows[i].settings, "/d%", subject_argv, &fault));
        char *argv = join_all(command.argv);
        char *env = join_all(command.env);
        SAME(argv, rows[i].argv);
        SAME(env, rows[i].env);
        free(argv);
        free(env);
        valgrind_command_release(&command);
    }
}
