// SPDX-License-Identifier: MIT
// Dumps that valgrind made, dumps made by hand for what valgrind seldom writes, and bad ones.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <inttypes.h>
#include <stdlib.h>

#include "callgrind_sample.h"

#define IN_F "ob=/x/exe\nfl=a.c\nfn=f\n"

static const char *const samples[] = {"table_base",        "table_head",     "table_head_short",
                                      "table_head_instr",  "table_stripped", "table_static",
                                      "table_static_bare", "alloc",          "threads"};
enum { SAMPLES = sizeof samples / sizeof *samples };

// What the file's own totals lines say for a window, summed over threads.
static void totals_of(const char *text, const char *window, uint64_t *ir, uint64_t *sys_count)
{
    char trigger[32];
    *ir = *sys_count = 0;
    (void)snprintf(trigger, sizeof trigger, "desc: Trigger: dump %s\n", window);
    for (const char *at = strstr(text, trigger); at != NULL; at = strstr(at + 1, trigger)) {
        uint64_t first = 0;
        uint64_t second = 0;
        const char *totals = strstr(at, "\ntotals:");
        cr_assert(totals != NULL);
        cr_assert(sscanf(totals, "\ntotals: %" SCNu64 "%*[ ]%" SCNu64, &first, &second) >= 1);
        *ir += first;
        *sys_count += second;
    }
}

Test(callgrind, reads_every_sample_as_its_totals_say)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t size = 0;
        char *text = sample_text(samples[i], &size);
        struct callgrind_dump dump = sample_read(samples[i], NULL);
        cr_assert(eq(int, dump.pid, 4711));
        sample_same(dump.creator, "callgrind-3.19.0");
        cr_assert(eq(sz, dump.window_count, 2));
        for (size_t j = 0; j < 2; j++) {
            const struct profile *profile = &dump.windows[j];
            uint64_t ir = 0;
            uint64_t sys_count = 0;
            uint64_t self = 0;
            uint64_t calls = 0;
            totals_of(text, sample_windows[j], &ir, &sys_count);
            for (size_t k = 0; k < profile->function_count; k++) {
                self += profile->functions[k].self_ir;
                calls += profile->functions[k].sys_count;
            }
            sample_same(profile->window, sample_windows[j]);
            cr_assert(ne(u64, ir, 0));
            cr_assert(eq(u64, profile->total_ir, ir));
            cr_assert(eq(u64, profile->sys_count, sys_count));
            cr_assert(eq(u64, self, ir));
            cr_assert(eq(u64, calls, sys_count));
        }
        callgrind_release(&dump);
        free(text);
    }
}

static void same_profiles(const struct profile *a, const struct profile *b)
{
    cr_assert(eq(u64, a->total_ir, b->total_ir));
    cr_assert(eq(sz, a->function_count, b->function_count));
    cr_assert(eq(sz, a->edge_count, b->edge_count));
    cr_assert(eq(sz, a->line_count, b->line_count));
    for (size_t i = 0; i < a->function_count; i++) {
        sample_same(a->functions[i].name, b->functions[i].name);
        sample_same(a->functions[i].source, b->functions[i].source);
        cr_assert(eq(u64, a->functions[i].self_ir, b->functions[i].self_ir));
        cr_assert(eq(u64, a->functions[i].sys_count, b->functions[i].sys_count));
    }
    for (size_t i = 0; i < a->edge_count; i++) {
        cr_assert(eq(u32, a->edges[i].caller, b->edges[i].caller));
        cr_assert(eq(u32, a->edges[i].callee, b->edges[i].callee));
        cr_assert(eq(u64, a->edges[i].calls, b->edges[i].calls));
        cr_assert(eq(u64, a->edges[i].inclusive_ir, b->edges[i].inclusive_ir));
    }
    for (size_t i = 0; i < a->line_count; i++) {
        cr_assert(eq(u32, a->lines[i].line, b->lines[i].line));
        cr_assert(eq(u64, a->lines[i].self_ir, b->lines[i].self_ir));
    }
}

Test(callgrind, compressed_relative_and_addressed_dumps_say_the_same)
{
    static const char *const others[] = {"table_head_short", "table_head_instr"};
    struct callgrind_dump plain = sample_read("table_head", "/fixture/head/loop");
    for (size_t i = 0; i < 2; i++) {
        struct callgrind_dump other = sample_read(others[i], "/fixture/head/loop");
        same_profiles(&plain.windows[0], &other.windows[0]);
        same_profiles(&plain.windows[1], &other.windows[1]);
        callgrind_release(&other);
    }
    callgrind_release(&plain);
}

Test(callgrind, a_window_is_the_sum_of_its_threads)
{
    struct callgrind_dump dump = sample_read("threads", "/fixture/threads");
    for (size_t i = 0; i < 2; i++) {
        const struct profile *profile = &dump.windows[i];
        uint64_t sum = 0;
        cr_assert(eq(sz, profile->thread_count, 3));
        for (size_t j = 0; j < 3; j++) {
            cr_assert(eq(u32, profile->threads[j].id, (uint32_t)j + 1));
            sum += profile->threads[j].total_ir;
        }
        cr_assert(eq(u64, profile->total_ir, sum));
        // Each sale calls both adders once, whichever thread makes it.
        uint64_t sales = sample_function(profile, "shop::sell(int)")->calls;
        cr_assert(ge(u64, sales, i == 0 ? 14 : 24));
        cr_assert(eq(u64,
                     sample_calls(profile, "shop::sell(int)",
                                  "int (anonymous namespace)::adder::operator()<int>(int) const"),
                     sales));
        cr_assert(eq(u64,
                     sample_calls(profile, "shop::sell(int)",
                                  "int (anonymous namespace)::adder::operator()<double>(double) "
                                  "const"),
                     sales));
    }
    callgrind_release(&dump);
}

Test(callgrind, recursion_is_one_function)
{
    struct callgrind_dump dump = sample_read("table_base", NULL);
    const struct profile *profile = &dump.windows[1];
    for (size_t i = 0; i < profile->function_count; i++) {
        cr_assert(strchr(profile->functions[i].name, '\'') == NULL);
    }
    cr_assert(eq(u64, sample_calls(profile, "op_htab", "fib"), 20));
    cr_assert(gt(u64, sample_calls(profile, "fib", "fib"), 20));
    callgrind_release(&dump);
}

Test(callgrind, code_without_symbols_is_one_function_per_object)
{
    struct callgrind_dump dump = sample_read("table_stripped", "/fixture/base/loop");
    const struct profile *profile = &dump.windows[1];
    cr_assert(gt(u64, sample_function(profile, "libtable.so+?")->self_ir, 0));
    cr_assert(gt(u64, sample_function(profile, "exe+?")->self_ir, 0));
    cr_assert(eq(u64, sample_function(profile, "op_htab")->calls, 20)); // it is exported
    callgrind_release(&dump);
}

Test(callgrind, a_callee_defaults_to_the_object_and_the_current_file)
{
    struct callgrind_dump dump;
    struct fault fault = {""};
    cr_assert(
        sample_parse(
            HAND_FILE(HAND_N1, HAND_PART(2, "dump n2",
                                         "ob=/x/exe\nfl=a.c\nfn=f\n1 5\n"
                                         "fi=a.h\n2 5\ncfn=g\ncalls=3 9\n2 6\n"
                                         "cob=/lib/libz.so.1\ncfi=z.c\ncfn=g\ncalls=4 9\n2 8\n"
                                         "fe=a.c\n3 1\ncfn=g\ncalls=5 9\n3 7\n"
                                         "fn=h\n8 2\n",
                                         13)),
            &dump, &fault),
        "%s", fault.text);
    const struct profile *profile = &dump.windows[1];
    static const struct {
        const char *class_name, *source;
        uint64_t calls;
    } expected[] = {{"exe", "a.c", 5}, {"exe", "a.h", 3}, {"libz.so", "z.c", 4}};
    size_t met = 0;
    for (size_t i = 0; i < profile->function_count; i++) {
        const struct profile_function *function = &profile->functions[i];
        if (strcmp(function->name, "g") == 0) {
            cr_assert(lt(sz, met, 3));
            sample_same(profile->objects[function->object].class_name, expected[met].class_name);
            sample_same(function->source, expected[met].source);
            cr_assert(eq(u64, function->calls, expected[met].calls));
            met++;
        }
    }
    cr_assert(eq(sz, met, 3));
    sample_same(sample_function(profile, "f")->source, "a.c");
    cr_assert(eq(u64, sample_function(profile, "f")->self_ir, 11));
    sample_same(sample_function(profile, "h")->source, "a.c");
    callgrind_release(&dump);
}

Test(callgrind, numbers_may_be_hexadecimal_and_zeros_at_the_end_left_out)
{
    struct callgrind_dump dump;
    struct fault fault = {""};
    cr_assert(sample_parse(HAND_FILE(HAND_N1, HAND_PART(2, "dump n2",
                                                        "# a remark\nob=/x/exe\nfl=a.c\nfn=f\n"
                                                        "0x10 0x0A 2\n+1 3\n* 1\n-2 4\n7\n",
                                                        18 2)),
                           &dump, &fault),
              "%s", fault.text);
    const struct profile *profile = &dump.windows[1];
    cr_assert(eq(u64, profile->sys_count, 2));
    static const struct {
        uint32_t line;
        uint64_t ir;
    } lines[] = {{7, 0}, {15, 4}, {16, 10}, {17, 4}};
    cr_assert(eq(sz, profile->line_count, 4));
    for (size_t i = 0; i < 4; i++) {
        cr_assert(eq(u32, profile->lines[i].line, lines[i].line));
        cr_assert(eq(u64, profile->lines[i].self_ir, lines[i].ir));
    }
    callgrind_release(&dump);
}

Test(callgrind, events_are_found_by_name_not_by_place)
{
    struct callgrind_dump dump;
    struct fault fault = {""};
    cr_assert(sample_parse(HAND_FILE(HAND_N1, "part: 2\ndesc: Trigger: dump n2\n"
                                              "events: Dr sysCount Ir Dw\n" IN_F
                                              "1 100 3 20\n2 100\ntotals: 200 3 20\n"),
                           &dump, &fault),
              "%s", fault.text);
    cr_assert(eq(u64, dump.windows[1].total_ir, 20));
    cr_assert(eq(u64, dump.windows[1].sys_count, 3));
    cr_assert(eq(u64, sample_function(&dump.windows[1], "f")->self_ir, 20));
    callgrind_release(&dump);
}

Test(callgrind, an_idle_thread_is_no_fault)
{
    struct callgrind_dump dump;
    struct fault fault = {""};
    cr_assert(sample_parse(HAND_FILE(HAND_N1, HAND_N2 "part: 2\nthread: 2\ndesc: Trigger: dump n2\n"
                                                      "events: Ir\ntotals: 0\n"),
                           &dump, &fault),
              "%s", fault.text);
    cr_assert(eq(u64, dump.windows[1].total_ir, 9));
    cr_assert(eq(sz, dump.windows[1].thread_count, 2));
    callgrind_release(&dump);
}

#define RECORDS(text, total) HAND_FILE(HAND_N1, HAND_PART(2, "dump n2", text, total))

static const struct bad {
    const char *text;
    const char *cause; // part of the fault
} bad[] = {
    {"", "empty"},
    {"hello\n", "sample:1: neither a header"},
    {"version: 2\n", "sample:1: the format"},
    {"creator: cachegrind-3\n", "not written by callgrind"},
    {"pid: 8\n", "written by process 8, not by 7"},
    {"pid: x\n", "no process id"},
    {"creator: callgrind-3.19.0\n" HAND_N1 HAND_N2
     "part: 3\ndesc: Trigger: Program termination\nevents: Ir\ntotals: 0\n",
     "no process id"},
    {HAND_FILE(HAND_N1, ""), "window n2 is missing"},
    {HAND_FILE("", HAND_N2), "window n1 is missing"},
    {HAND_FILE(HAND_N1 HAND_N1, HAND_N2), "window n1 is there twice"},
    {HAND_FILE(HAND_N1 HAND_PART(3, "dump n1", IN_F "1 5\n", 5), HAND_N2),
     "window n1 is there twice"},
    {HAND_FILE(HAND_N1 "part: 3\nthread: 2\ndesc: Trigger: dump n1\nevents: Ir\ntotals: 0\n",
               HAND_N2),
     "window n1 is there twice"},
    {HAND_FILE(HAND_N1, HAND_PART(2, "dump n2", "", 0)), "window n2 counted no instruction"},
    {HAND_FILE(HAND_N1, HAND_PART(2, "dump n3", "", 0)),
     "nobody asked for, triggered by 'dump n3'"},
    {HAND_FILE(HAND_N1, HAND_PART(2, "Client Request: n2", "", 0)), "nobody asked for"},
    {HAND_FILE(HAND_N1, HAND_PART(2, "dump n22", "", 0)), "nobody asked for"},
    {HAND_FILE(HAND_N1, HAND_PART(2, " n2", "", 0)), "nobody asked for"},
    {RECORDS(IN_F "1 8\n", 9), "costs add up to 8, but the totals say 9"},
    {RECORDS(IN_F "1 9 1\n", 9), "costs add up to 1, but the totals say 0"},
    {RECORDS(IN_F "1 9 0 0\n", 9), "more costs than events"},
    {RECORDS(IN_F "1 9x\n", 9), "no number of 64 bits"},
    {RECORDS(IN_F "1 18446744073709551616\n", 9), "no number of 64 bits"},
    {RECORDS(IN_F "1 18446744073709551615\n1 1\n", 0), "more than 64 bits"},
    {RECORDS(IN_F "-1 9\n", 9), "without its position"},
    {RECORDS(IN_F "18446744073709551616 9\n", 9), "without its position"},
    {RECORDS(IN_F "+ 9\n", 9), "without its position"},
    {RECORDS("fl=a.c\nfn=f\n1 9\n", 9), "a cost of no function, file or object"},
    {RECORDS("ob=/x/exe\nfn=f\n1 9\n", 9), "a cost of no function, file or object"},
    {RECORDS("ob=/x/exe\nfl=a.c\n1 9\n", 9), "a cost of no function, file or object"},
    {RECORDS(IN_F "1 9\ncalls=1 2\n1 1\n", 9), "a call to no function"},
    {RECORDS(IN_F "1 9\ncfn=g\ncalls=1\n1 1\n", 9), "without its target"},
    {RECORDS(IN_F "1 9\ncfn=g\ncalls=x 2\n1 1\n", 9), "not a number of calls"},
    {RECORDS(IN_F "1 9\ncfn=g\ncalls=1 2\nfn=h\n", 9), "a call without its cost line"},
    {RECORDS(IN_F "1 9\ncfn=g\ncalls=1 2\n", 9), "a call without its cost line"},
    {RECORDS(IN_F "1 9\ncfn=g\ncalls=1 2 3\n1 1\n", 9), "text behind 'calls='"},
    {RECORDS("ob=/x/exe\nfl=a.c\nfn=(3)\n1 9\n", 9), "(3) stands for no name"},
    {RECORDS("ob=/x/exe\nfl=(3) a.c\nfl=(3) b.c\n", 9), "(3) stands for two names"},
    {RECORDS("ob=/x/exe\nfl=(4194305) a.c\n", 9), "too large a number"},
    {RECORDS("ob=/x/exe\nfl=(3 a.c\n", 9), "empty or broken name"},
    {RECORDS("ob=/x/exe\nfl=a.c\nfn=\n", 9), "empty or broken name"},
    {RECORDS("what=3\n", 9), "not a record"},
    {RECORDS(IN_F "1 9\nhello\n", 9), "not a record"},
    {RECORDS(IN_F "1 9\nthread: 2\n", 9), "not a record"},
    {HAND_FILE("part: 1\nthread: 1\nthread: 2\n", ""), "wrong thread number"},
    {HAND_FILE("part: 1\ndesc: Trigger: dump n1\ndesc: Trigger: dump n2\n", ""), "two triggers"},
    {HAND_FILE("part: 1\nevents: Ir\nfn=f\n", ""), "a part without a trigger"},
    {HAND_FILE("part: 1\ndesc: Trigger: dump n1\ntotals: 0\n", ""), "a part without events"},
    {HAND_FILE("part: 1\ndesc: Trigger: dump n1\nevents: Dr\n", ""), "no event Ir"},
    {HAND_FILE("part: 1\nevents: Ir Ir\n", ""), "an event is listed twice"},
    {HAND_FILE("part: 1\nevents: Ir\nevents: Ir\n", ""), "two lists of events"},
    {HAND_FILE("part: 1\npositions: row\n", ""), "unknown position 'row'"},
    {HAND_FILE("part: 1\npart: 2\n", ""), "'part:' does not belong here"},
    {HAND_FILE("part: 1\nversion: 1\n", ""), "'version:' does not belong here"},
    {HAND_FILE("part: 1\nmagic: 1\n", ""), "unknown header 'magic:'"},
    {HAND_FILE("pid: 7 8\n", ""), "text behind the value of 'pid:'"},
    {"pid: 7\n" HAND_N1 HAND_N2, "termination was not recorded"},
    {"pid: 7\n" HAND_N1 HAND_N2 "part: 3\ndesc: Trigger: Program termination\nevents: Ir\n",
     "the last part has no totals"},
    {"pid: 7\n" HAND_N1 HAND_N2
     "part: 3\ndesc: Trigger: Program termination\nevents: Ir\ntotals: 0",
     "cut inside a line"},
};

Test(callgrind, a_bad_file_is_refused_and_told_why)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct callgrind_dump dump;
        struct fault fault = {""};
        cr_assert(not(sample_parse(bad[i].text, &dump, &fault)), "%zu was read", i);
        cr_assert(strstr(fault.text, bad[i].cause) != NULL, "%zu: '%s' is not '%s'", i, fault.text,
                  bad[i].cause);
        cr_assert(strncmp(fault.text, "sample:", 7) == 0);
        cr_assert(dump.windows == NULL);
        callgrind_release(&dump);
    }
}

Test(callgrind, the_summary_line_is_never_read)
{
    struct callgrind_dump dump;
    struct fault fault = {""};
    cr_assert(
        sample_parse(HAND_FILE(HAND_N1, "part: 2\ndesc: Trigger: dump n2\nevents: Ir\n"
                                        "summary: 18446744073709529956\n" IN_F "1 9\ntotals: 9\n"),
                     &dump, &fault),
        "%s", fault.text);
    cr_assert(eq(u64, dump.windows[1].total_ir, 9));
    callgrind_release(&dump);
}

Test(callgrind, no_truncation_of_a_dump_is_a_dump)
{
    static const char *const cut[] = {"table_base", "table_head_short"};
    struct callgrind_request request = {.windows = sample_windows, .window_count = 2};
    for (size_t i = 0; i < 2; i++) {
        size_t size = 0;
        char *text = sample_text(cut[i], &size);
        for (size_t len = 0; len < size; len++) {
            struct callgrind_dump dump;
            char *exact = malloc(len + 1); // its own block, so that reading on is seen
            cr_assert(exact != NULL);
            memcpy(exact, text, len);
            exact = realloc(exact, len > 0 ? len : 1);
            cr_assert(not(callgrind_parse("cut", exact, len, &request, &dump, NULL)),
                      "the first %zu bytes of %s pass for a dump", len, cut[i]);
            free(exact);
        }
        free(text);
    }
}

Test(callgrind, a_damaged_dump_is_refused_or_adds_up)
{
    struct callgrind_request request = {.windows = sample_windows, .window_count = 2};
    uint64_t seed = 88172645463325252u;
    size_t size = 0;
    char *text = sample_text("table_head_short", &size);
    for (int i = 0; i < 5000; i++) {
        struct callgrind_dump dump;
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        size_t at = (size_t)(seed % size);
        char kept = text[at];
        text[at] = (char)(seed >> 40);
        if (callgrind_parse("damaged", text, size, &request, &dump, NULL)) {
            uint64_t self = 0;
            for (size_t j = 0; j < dump.windows[1].function_count; j++) {
                self += dump.windows[1].functions[j].self_ir;
            }
            cr_assert(eq(u64, self, dump.windows[1].total_ir));
            callgrind_release(&dump);
        }
        text[at] = kept;
    }
    free(text);
}

Test(callgrind, files_that_are_none_or_too_large_are_named)
{
    char path[512];
    struct callgrind_dump dump;
    struct fault fault = {""};
    struct callgrind_request request = {.windows = sample_windows, .window_count = 2};
    cr_assert(not(callgrind_read("/nowhere/1.out", &request, &dump, &fault)));
    cr_assert(strstr(fault.text, "/nowhere/1.out: No such file") != NULL);
    cr_assert(not(callgrind_read("/", &request, &dump, &fault)));
    cr_assert(strstr(fault.text, "not a regular file") != NULL);
    sample_path(path, sizeof path, "table_base");
    request.bytes_max = 100;
    cr_assert(not(callgrind_read(path, &request, &dump, &fault)));
    cr_assert(strstr(fault.text, "too large") != NULL);
    request.bytes_max = 0;
    request.pid = 4712;
    cr_assert(not(callgrind_read(path, &request, &dump, &fault)));
    cr_assert(strstr(fault.text, "written by process 4711, not by 4712") != NULL);
}

static const char *shout(void *context, const char *path)
{
    *(int *)context += 1;
    return strstr(path, "libtable") != NULL ? "TABLE" : NULL;
}

Test(callgrind, the_caller_may_name_classes)
{
    char path[512];
    int asked = 0;
    struct callgrind_dump dump;
    struct fault fault = {""};
    struct callgrind_request request = {.windows = sample_windows,
                                        .window_count = 2,
                                        .exe = "/fixture/base/loop",
                                        .class_of = shout,
                                        .context = &asked};
    sample_path(path, sizeof path, "table_base");
    cr_assert(callgrind_read(path, &request, &dump, &fault), "%s", fault.text);
    const struct profile *profile = &dump.windows[0];
    cr_assert(eq(sz, profile->object_count, 3));
    sample_same(profile->objects[0].class_name, "TABLE");
    sample_same(profile->objects[1].class_name, "exe");
    sample_same(profile->objects[2].class_name, "libc.so");
    cr_assert(eq(int, asked, 2)); // once per file however often it is named
    callgrind_release(&dump);
}
