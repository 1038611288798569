// SPDX-License-Identifier: MIT
// The sample dumps of tests/data/callgrind, read or as text. A failure ends the test.
#ifndef CKBENCH_CALLGRIND_SAMPLE_H
#define CKBENCH_CALLGRIND_SAMPLE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "measure/callgrind.h"
#include "measure/slurp.h"

static const char *const sample_windows[] = {"n1", "n2"};

static inline void sample_path(char *path, size_t size, const char *name)
{
    (void)snprintf(path, size, "%s/data/callgrind/%s.out", CACHEKIT_TEST_DIR, name);
}

static inline char *sample_text(const char *name, size_t *size)
{
    char path[512];
    char *bytes = NULL;
    struct fault fault = {""};
    sample_path(path, sizeof path, name);
    cr_assert(slurp_file(path, 1 << 20, &bytes, size, &fault), "%s", fault.text);
    return bytes;
}

static inline struct callgrind_dump sample_read(const char *name, const char *exe)
{
    char path[512];
    struct fault fault = {""};
    struct callgrind_dump dump;
    struct callgrind_request request = {
        .windows = sample_windows, .window_count = 2, .pid = 4711, .exe = exe};
    sample_path(path, sizeof path, name);
    cr_assert(callgrind_read(path, &request, &dump, &fault), "%s", fault.text);
    return dump;
}

// Reads a dump that a test wrote; its executable is /x/exe.
static inline bool sample_parse(const char *text, struct callgrind_dump *dump, struct fault *fault)
{
    struct callgrind_request request = {
        .windows = sample_windows, .window_count = 2, .pid = 7, .exe = "/x/exe"};
    return callgrind_parse("sample", text, strlen(text), &request, dump, fault);
}

static inline void sample_same(const char *text, const char *wanted)
{
    cr_assert(strcmp(text, wanted) == 0, "'%s' is not '%s'", text, wanted);
}

// The function of that name; a missing one ends the test.
static inline const struct profile_function *sample_function(const struct profile *profile,
                                                             const char *name)
{
    for (size_t i = 0; i < profile->function_count; i++) {
        if (strcmp(profile->functions[i].name, name) == 0) {
            return &profile->functions[i];
        }
    }
    cr_assert(0, "no function %s", name);
    return NULL;
}

static inline uint64_t sample_calls(const struct profile *profile, const char *caller,
                                    const char *callee)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < profile->edge_count; i++) {
        const struct profile_edge *edge = &profile->edges[i];
        if (strcmp(profile->functions[edge->caller].name, caller) == 0 &&
            strcmp(profile->functions[edge->callee].name, callee) == 0) {
            calls += edge->calls;
        }
    }
    return calls;
}

// Around the records of a hand-made window; see HAND_FILE.
#define HAND_PART(number, trigger, records, total)                                                 \
    "part: " #number "\nthread: 1\ndesc: Trigger: " trigger "\nevents: Ir sysCount\n" records      \
    "totals: " #total "\n"
#define HAND_FILE(n1, n2)                                                                          \
    "version: 1\ncreator: callgrind-3.19.0\npid: 7\n" n1 n2                                        \
    "part: 3\ndesc: Trigger: Program termination\nevents: Ir\ntotals: 0\n"
#define HAND_N1 HAND_PART(1, "dump n1", "ob=/x/exe\nfl=a.c\nfn=f\n1 5\n", 5)
#define HAND_N2 HAND_PART(2, "dump n2", "ob=/x/exe\nfl=a.c\nfn=f\n1 9\n", 9)

#define IN_EXE "ob=/x/exe\nfl=a.c\nfn=f\n"

// A hand-made dump whose window n2 has these records.
static inline void sample_window(char *text, size_t size, const char *records, uint64_t total)
{
    int len = snprintf(text, size,
                       "version: 1\ncreator: callgrind-3.19.0\npid: 7\n" HAND_N1
                       "part: 2\ndesc: Trigger: dump n2\nevents: Ir sysCount\n%stotals: %llu\n"
                       "part: 3\ndesc: Trigger: Program termination\nevents: Ir\ntotals: 0\n",
                       records, (unsigned long long)total);
    cr_assert(len > 0 && (size_t)len < size);
}

#endif
