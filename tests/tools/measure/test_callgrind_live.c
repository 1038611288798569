// SPDX-License-Identifier: MIT
// The whole chain on this machine: fixtures of known difference are counted by valgrind, read, and
// explained. What was planted has to come out, to the instruction.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callgrind_sample.h"
#include "measure/attribution.h"

static void run_valgrind(const char *out, const char *log, const char *program)
{
    char out_option[600];
    char log_option[600];
    (void)snprintf(out_option, sizeof out_option, "--callgrind-out-file=%s", out);
    (void)snprintf(log_option, sizeof log_option, "--log-file=%s", log);
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", "LD_BIND_NOW=1",
                                              NULL};
    (void)execle("/usr/bin/valgrind", "valgrind", "--command-line-only=yes", "-q", "--vgdb=no",
                 "--tool=callgrind", "--instr-atstart=no", "--separate-threads=yes",
                 "--combine-dumps=yes", "--collect-systime=nsec", "--compress-strings=no",
                 "--compress-pos=no", out_option, log_option, program, (char *)NULL, environment);
    _exit(127);
}

// Counts the program; its executable's class is "exe".
static struct callgrind_dump count(const char *program)
{
    char directory[] = "/tmp/ckbench-live-XXXXXX";
    char out[64];
    char log[64];
    int status = 0;
    struct fault fault = {""};
    struct callgrind_dump dump;
    cr_assert(mkdtemp(directory) != NULL);
    (void)snprintf(out, sizeof out, "%s/out", directory);
    (void)snprintf(log, sizeof log, "%s/log", directory);
    pid_t pid = fork();
    if (pid == 0) {
        run_valgrind(out, log, program);
    }
    cr_assert(eq(int, waitpid(pid, &status, 0), pid));
    cr_assert(eq(int, status, 0));
    struct callgrind_request request = {
        .windows = sample_windows, .window_count = 2, .pid = pid, .exe = program};
    cr_assert(callgrind_read(out, &request, &dump, &fault), "%s", fault.text);
    (void)unlink(out);
    (void)unlink(log);
    (void)rmdir(directory);
    return dump;
}

static struct attribution compare(const struct callgrind_dump *head,
                                  const struct callgrind_dump *base)
{
    struct attribution result;
    struct fault fault = {""};
    const struct attribution_side head_side = {&head->windows[1], 20};
    const struct attribution_side base_side = {&base->windows[1], 20};
    cr_assert(attribution_make(&head_side, &base_side, &result, &fault), "%s", fault.text);
    return result;
}

static uint64_t own_of(const struct callgrind_dump *dump)
{
    uint64_t own_ir = 0;
    struct own_rule rule = {.exe = true};
    cr_assert(profile_own(&dump->windows[1], &rule, &own_ir));
    return own_ir;
}

Test(callgrind_live, instructions_planted_in_a_function_are_read_exactly)
{
    static const struct {
        const char *program;
        uint64_t planted;
    } plants[] = {{FIXTURE_PLANT1, 1}, {FIXTURE_PLANT1000, 1000}};
    struct callgrind_dump base = count(FIXTURE_BASE);
    for (size_t i = 0; i < 2; i++) {
        struct callgrind_dump head = count(plants[i].program);
        cr_assert(eq(u64, own_of(&head) - own_of(&base), 20 * plants[i].planted));
        cr_assert(profile_same_edges(&head.windows[1], 20, &base.windows[1], 20));
        cr_assert(eq(u64, profile_allocations(&head.windows[1]), 20));
        struct attribution result = compare(&head, &base);
        cr_assert(eq(sz, result.count, 1));
        sample_same(result.functions[0].name, "op_htab");
        cr_assert(
            eq(i64, attribution_delta(&result, 0).by_cost_centi, (int64_t)plants[i].planted * 100));
        attribution_release(&result);
        callgrind_release(&head);
    }
    callgrind_release(&base);
}

Test(callgrind_live, the_same_program_twice_differs_by_nothing)
{
    struct callgrind_dump first = count(FIXTURE_BASE);
    struct callgrind_dump second = count(FIXTURE_BASE);
    cr_assert(eq(u64, own_of(&first), own_of(&second)));
    cr_assert(profile_same_edges(&first.windows[1], 20, &second.windows[1], 20));
    callgrind_release(&first);
    callgrind_release(&second);
}

Test(callgrind_live, a_planted_call_is_given_to_the_right_function)
{
    struct callgrind_dump base = count(FIXTURE_BASE);
    struct callgrind_dump head = count(FIXTURE_HEAD);
    struct attribution result = compare(&head, &base);
    bool has_hash = false;
    for (size_t i = 0; i < result.count; i++) {
        char text[ATTRIBUTION_TEXT];
        attribution_reason(&result, i, text, sizeof text);
        if (strncmp(text, "hash: called +1 per op from ht_get, ", 36) == 0) {
            const struct attribution_function *hash = &result.functions[i];
            has_hash = true;
            cr_assert(eq(u64, hash->head_calls, 40));
            cr_assert(eq(u64, hash->base_calls, 20));
            cr_assert(eq(i64, attribution_delta(&result, i).by_cost_centi, 0));
        }
    }
    cr_assert(has_hash);
    attribution_release(&result);
    callgrind_release(&head);
    callgrind_release(&base);
}
