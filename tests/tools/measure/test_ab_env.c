// SPDX-License-Identifier: MIT
// Environments of arms: nothing of ours gets in, all are equally long and have equally many
// variables, whatever each arm asks for.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "measure/ab_env.h"
#include "measure/ab_linker.h"

enum { WISHES = 4 };

static size_t count_of(char **env)
{
    size_t count = 0;
    while (env[count] != NULL) {
        count++;
    }
    return count;
}

static size_t bytes_of(char **env)
{
    size_t bytes = 0;
    for (; *env != NULL; env++) {
        bytes += strlen(*env) + 1;
    }
    return bytes;
}

Test(ab_env, all_are_of_one_length_and_hold_what_was_asked_for)
{
    static const struct ab_wish wishes[WISHES] = {
        {0, {NULL}, 20},
        {1, {"MALLOC_TRIM_THRESHOLD_=16777216"}, 20},
        {2, {"A=1", "TZ=Europe/Vienna"}, 57},
        {3, {"A=", "B=22222222222222222222222222222222222222222222222222222222", "C=3"}, 20},
    };
    char **envs[WISHES];
    struct fault fault;
    cr_assert(setenv("OF_THE_CALLER", "1", 1) == 0);
    cr_assert(ab_env_build(wishes, WISHES, envs, &fault));
    for (size_t i = 0; i < WISHES; i++) {
        const char *const *env = (const char *const *)envs[i];
        cr_assert(count_of(envs[i]) == count_of(envs[0]), "%zu", i);
        cr_assert(bytes_of(envs[i]) + 2 * wishes[i].program_bytes ==
                      bytes_of(envs[0]) + 2 * wishes[0].program_bytes,
                  "%zu", i);
        cr_assert(ab_env_find(env, "OF_THE_CALLER") == NULL);
        cr_assert(ab_env_find(env, "CKBENCH_FD") != NULL && ab_env_find(env, "PATH") != NULL);
    }
    cr_assert_str_eq(ab_env_find((const char *const *)envs[2], "TZ"), "Europe/Vienna");
    cr_assert_str_eq(ab_env_find((const char *const *)envs[0], "TZ"), "UTC0");
    cr_assert_str_eq(ab_env_find((const char *const *)envs[3], "A"), "");
    for (size_t i = 0; i < WISHES; i++) {
        ab_env_free(envs[i]);
    }
}

static const char tunables[] = "glibc.rtld.nns: 0x4 (min: 0x1, max: 0x10)\n"
                               "glibc.malloc.mmap_max: 65536 (min: 0, max: 2147483647)\n"
                               "glibc.malloc.mmap_threshold: 0x400000 (min: 0x0, max: 0xffff)\n";
static const char log_text[] =
    "  7:\tbinding file /opt/a [0] to /opt/liby.so.1 [0]: normal symbol `mallocate'\n"
    "  7:\tbinding file /opt/libx.so [0] to /lib/libc.so.6 [0]: normal symbol `malloc' [GLIBC_2]\n"
    "  7:\tcalling init: /opt/libj.so.2\n\n";

Test(ab_linker, its_list_and_its_log_are_read)
{
    size_t len = 0;
    char owner[PATH_MAX], object[PATH_MAX];
    const char *value = ab_linker_tunable(tunables, "glibc.malloc.mmap_threshold", &len);
    cr_assert(value != NULL && len == 8 && memcmp(value, "0x400000", 8) == 0);
    cr_assert(ab_linker_tunable(tunables, "glibc.malloc.mmap", &len) == NULL);
    cr_assert(ab_linker_binding(log_text, "malloc", owner));
    cr_assert_str_eq(owner, "/lib/libc.so.6");
    cr_assert(!ab_linker_binding(log_text, "free", owner));
    cr_assert(ab_linker_is_loaded(log_text, "/opt/libj.so.2"));
    cr_assert(ab_linker_is_loaded(log_text, "libj.so"));
    cr_assert(ab_linker_is_loaded(log_text, "libx.so"));
    cr_assert(!ab_linker_is_loaded(log_text, "/libj.so.2") &&
              !ab_linker_is_loaded(log_text, "j.so"));
    const char *at = log_text;
    cr_assert(ab_linker_next(&at, object) && strcmp(object, "/opt/a") == 0);
    cr_assert(ab_linker_next(&at, object) && strcmp(object, "/opt/libx.so") == 0);
    cr_assert(!ab_linker_next(&at, object));
}
