// SPDX-License-Identifier: MIT
// What the host says of itself, against what other programs say of it.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/host.h"
#include "measure/probe.h"
#include "measure/throttle.h"
#include "same.h"

// The first line that a command prints.
static const char *said_by(const char *command, char *line, int size)
{
    FILE *pipe = popen(command, "r");
    cr_assert(pipe != NULL);
    cr_assert(fgets(line, size, pipe) != NULL, "%s", command);
    (void)pclose(pipe);
    line[strcspn(line, "\n")] = '\0';
    return line;
}

Test(host, agrees_with_uname_getconf_and_cpuinfo)
{
    struct host host;
    char line[512];
    host_read(&host);
    SAME(host.kernel, said_by("uname -srm", line, sizeof line));
    SAME(host.libc, said_by("getconf GNU_LIBC_VERSION", line, sizeof line));
    cr_assert(eq(long, host.cores, atol(said_by("getconf _NPROCESSORS_ONLN", line, sizeof line))));
    (void)said_by("sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | grep . || echo", line,
                  sizeof line);
    SAME(host.cpu, line);
    cr_assert(host.load_milli >= 0);
}

Test(host, a_hypervisor_is_told_where_the_kernel_shows_its_flag)
{
    struct host host;
    char line[512];
    host_read(&host);
    (void)said_by("grep -qw hypervisor /proc/cpuinfo && echo yes || echo no", line, sizeof line);
    cr_assert(eq(int, strcmp(host.virtualisation, "none") != 0, strcmp(line, "yes") == 0), "%s",
              host.virtualisation);
}

Test(host, steal_is_a_share_of_the_ticks_between_two_readings)
{
    static const struct {
        struct host_ticks before, after;
        int64_t milli;
    } cases[] = {
        {{1000, 10}, {2000, 10}, 0},  {{1000, 10}, {2000, 35}, 25}, {{1000, 10}, {1003, 11}, 333},
        {{1000, 10}, {1000, 10}, -1}, {{1000, 10}, {999, 10}, -1},  {{1000, 10}, {2000, 9}, -1},
        {{-1, -1}, {2000, 10}, -1},   {{1000, 10}, {-1, -1}, -1},   {{0, 0}, {10, 10}, 1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert(eq(i64, host_steal_milli(&cases[i].before, &cases[i].after), cases[i].milli),
                  "%zu", i);
    }
}

Test(probe, lacking_words_are_flags_of_this_processor)
{
    static const struct {
        const char *word, *flag;
    } rows[] = {{"AVX-512", "avx512f"}, {"SHA", "sha_ni"}, {"CLWB", "clwb"},
                {"GFNI", "gfni"},       {"VAES", "vaes"},  {"RDPID", "rdpid"}};
    char lacking[128];
    char command[128];
    char line[16];
    probe_lacking(lacking, sizeof lacking);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)snprintf(command, sizeof command, "grep -qw %s /proc/cpuinfo && echo yes || echo no",
                       rows[i].flag);
        bool is_there = strcmp(said_by(command, line, sizeof line), "yes") == 0;
        cr_assert(eq(int, strstr(lacking, rows[i].word) != NULL, is_there), "%s in '%s'",
                  rows[i].word, lacking);
    }
}

Test(probe, leaves_the_process_as_it_was)
{
    char before[64];
    char after[64];
    static const char show[] = "cat /proc/$PPID/personality 2>/dev/null || echo 0";
    (void)said_by(show, before, sizeof before);
    int first = probe_personality();
    cr_assert(eq(int, probe_personality(), first));
    (void)said_by(show, after, sizeof after);
    SAME(after, before);
    cr_assert(probe_ptrace() >= 0);
    cr_assert(probe_perf() >= 0);
    cr_assert(probe_free_bytes("/nonexistent") == -1);
    cr_assert(probe_free_bytes("/tmp") >= 0);
}

// Both versions of control groups, and files that say nothing of it.
Test(throttle, both_versions_are_read_in_microseconds)
{
    static const struct {
        const char *text;
        int64_t times, us;
    } rows[] = {{"usage_usec 9\nnr_periods 7\nnr_throttled 3\nthrottled_usec 4500\n", 3, 4500},
                {"nr_periods 7\nnr_throttled 12\nthrottled_time 7000999\n", 12, 7000},
                {"usage_usec 9\nuser_usec 4\n", -1, -1},
                {"nr_throttled 3\n", -1, -1},
                {"nr_throttled -3\nthrottled_usec 1\n", -1, -1},
                {"nr_throttled_more 3\nthrottled_usec 1\n", -1, -1},
                {"", -1, -1}};
    char path[] = "/tmp/throttle-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct throttle got;
        FILE *file = fopen(path, "w");
        cr_assert(file != NULL && fputs(rows[i].text, file) >= 0 && fclose(file) == 0);
        cr_assert(eq(int, throttle_read_file(path, &got), rows[i].times >= 0));
        cr_assert(eq(i64, got.times, rows[i].times), "%s", rows[i].text);
        cr_assert(eq(i64, got.us, rows[i].us), "%s", rows[i].text);
    }
    (void)close(fd);
    (void)unlink(path);
}

Test(throttle, what_lies_between_two_readings)
{
    const struct throttle before = {3, 4500}, after = {5, 9500}, unknown = {-1, -1};
    struct throttle apart = throttle_between(&before, &after);
    cr_assert(apart.times == 2 && apart.us == 5000);
    apart = throttle_between(&after, &before);
    cr_assert(apart.times == -1);
    apart = throttle_between(&unknown, &after);
    cr_assert(apart.times == -1);
    apart = throttle_between(&before, &unknown);
    cr_assert(apart.times == -1);
}
