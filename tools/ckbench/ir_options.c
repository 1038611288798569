// SPDX-License-Identifier: MIT
// The rows of `ckbench ir`, and what may not stand together.
#include "ir_options.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/term.h"

enum { SHARDS_MAX = 1000, MINUTE_MS = 60000 };

static const char *const shift_keys[] = {"env", "path", "heap", NULL};

static const struct ir_options defaults = {
    .shard = {1, 1},
    .layouts = 5,
    .repeat = 1,
    .child_timeout_ms = 15 * MINUTE_MS,
    .color = TERM_AUTO,
};

static const struct opt rows[] = {
    OPT_PATH(struct ir_options, base, "base", 0, "DIR",
             "a built checkout to compare with; without it, the committed budgets"),
    OPT_TEXT(
        struct ir_options, base_rev, "base-rev", 0, "REV",
        "a commit of this git checkout to compare with: fetched, built by its ckbench.json and "
        "kept in ~/.cache/ckbench"),
    OPT_TEXTS(struct ir_options, paths, "path", 'p', OPT_TEXTS_MAX, "NAME", "count this path only"),
    OPT_TEXTS(struct ir_options, skips, "skip", 0, OPT_TEXTS_MAX, "NAME", "leave this path out"),
    OPT_SHARD(struct ir_options, shard, "shard", 0, SHARDS_MAX, "count part K of N of the paths"),
    OPT_COUNT(struct ir_options, jobs, "jobs", 'j', 1, 256, "N",
              "valgrind processes at once; default: one per core"),
    OPT_COUNT(struct ir_options, layouts, "layouts", 0, 1, LAYOUTS_MAX, "N",
              "heap layouts per path, of which the median counts"),
    OPT_COUNT(struct ir_options, repeat, "repeat", 0, 1, 100, "N",
              "measure all N times and show the spread"),
    OPT_MINUTES(struct ir_options, child_timeout_ms, "child-timeout", 0, 1, 24 * 60 * MINUTE_MS,
                "give up on a path after so long"),
    OPT_PATH(struct ir_options, report, "report", 0, "FILE", "write the whole result as JSON"),
    OPT_TEXT(struct ir_options, run, "run", 0, "TEXT",
             "run and attempt of which this is a part, noted in the report"),
    OPT_FLAG(struct ir_options, update, "update", 0,
             "record absent budgets and lower present ones in baselines/ir.json"),
    OPT_FLAG(struct ir_options, allow_increase, "allow-increase", 0,
             "with --update: raise them too"),
    OPT_FLAG(struct ir_options, accept_flags, "accept-flags", 0,
             "compare although compilers or flags differ"),
    OPT_FLAG(struct ir_options, explain, "explain", 0,
             "name the functions that moved for every path, not only for a FAIL"),
    OPT_FLAG(struct ir_options, cache_sim, "cache-sim", 0, "simulate caches too (slower)"),
    OPT_PATH(struct ir_options, subject, "subject", 0, "FILE",
             "the program to measure; default: the one that ckbench.json names"),
    OPT_PATH(struct ir_options, base_subject, "base-subject", 0, "FILE",
             "the program to compare with"),
    OPT_PAIRS(struct ir_options, shift, "self-test", 0, 30000, shift_keys, "env=N,path=N,heap=N",
              "compare the program with itself, moved about by so many bytes or objects"),
    OPT_FLAG(struct ir_options, json, "json", 0, "print the result as one JSON document"),
    OPT_COLOR(struct ir_options, color),
};

const struct opt_table ir_option_table = {
    .verb = "ir",
    .about = "count instructions per call, head against base, and judge",
    .rows = rows,
    .row_count = OPT_ROWS(rows),
    .defaults = &defaults,
    .size = sizeof defaults,
    .exits = "0 PASS, WARN included; 1 FAIL; 2 usage; 3 INCOMPLETE or nothing measured; 130, 143 "
             "interrupted",
    .example = "ckbench ir --base ../parent --report ir.json",
};

enum gate_mode ir_options_mode(const struct ir_options *o)
{
    if (o->shift.given[IR_SHIFT_ENV] || o->shift.given[IR_SHIFT_PATH] ||
        o->shift.given[IR_SHIFT_HEAP]) {
        return GATE_SELF_TEST;
    }
    return o->base != NULL || o->base_rev != NULL || o->base_subject != NULL ? GATE_BASE
                                                                             : GATE_BUDGET;
}

static bool is_run(const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++) {
        if (text[i] < 0x20 || text[i] > 0x7e) {
            return false;
        }
    }
    return len > 0 && len < GATE_RUN;
}

bool ir_options_check(const struct ir_options *o, struct fault *fault)
{
    enum gate_mode mode = ir_options_mode(o);
    if (o->update && mode != GATE_BUDGET) {
        return fault_set(fault, "--update records this checkout's own figures: leave out --base, "
                                "--base-rev, --base-subject and --self-test");
    }
    if (o->allow_increase && !o->update) {
        return fault_set(fault, "--allow-increase goes with --update");
    }
    if (mode == GATE_SELF_TEST &&
        (o->base != NULL || o->base_rev != NULL || o->base_subject != NULL)) {
        return fault_set(fault, "--self-test compares the program with itself: leave out --base");
    }
    if (o->run != NULL && !is_run(o->run)) {
        return fault_set(fault, "--run '%.80s': 1 to 128 printable ASCII characters are wanted",
                         o->run);
    }
    if (o->base_rev != NULL && (o->base != NULL || o->base_subject != NULL)) {
        return fault_set(fault, "--base-rev builds the base itself: leave out --base and "
                                "--base-subject");
    }
    if (o->base != NULL) {
        struct stat st;
        if (stat(o->base, &st) != 0 || !S_ISDIR(st.st_mode)) {
            return fault_set(fault, "--base %s is no directory: name a built checkout", o->base);
        }
    }
    return true;
}

static bool is_listed(const struct opt_texts *texts, const char *name)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (strcmp(texts->items[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool ir_options_choose(const struct ir_options *o, const char *name)
{
    return (o->paths.count == 0 || is_listed(&o->paths, name)) && !is_listed(&o->skips, name);
}
