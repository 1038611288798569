// SPDX-License-Identifier: MIT
#include "ab_options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/term.h"
#include "stats/ab_calibrate.h"

enum { MINUTE_MS = 60000, PERCENT_MAX = 50, SIZE_MOST = 256 << 20 };

static const struct ab_options ab_defaults = {
    .blocks = 30, .points = 8, .margin = "1", .loop_us = 5000, .child_timeout_ms = 5 * MINUTE_MS};

static const struct opt ab_rows[] = {
    OPT_TEXTS(struct ab_options, candidate_env, "candidate-env", 0, 16, "K=V",
              "a variable of the candidate; all of them make one arm"),
    OPT_TEXT(struct ab_options, candidate_preload, "candidate-preload", 0, "LIB",
             "a library that is loaded before the candidate's own"),
    OPT_PATH(struct ab_options, candidate_subject, "candidate-subject", 0, "FILE",
             "the candidate's program"),
    OPT_TEXTS(struct ab_options, arms, "arm", 0, 13, "NAME:K=V,K=V",
              "one more candidate, by its variables; a comma inside a value is written \\,"),
    OPT_PATH(struct ab_options, base, "base", 0, "DIR",
             "the base is the subject of this built checkout"),
    OPT_TEXT(struct ab_options, base_rev, "base-rev", 0, "REV",
             "the base is this commit: fetched, built by its ckbench.json and kept in "
             "~/.cache/ckbench"),
    OPT_PATH(struct ab_options, subject, "subject", 0, "FILE",
             "the program to measure; default: the one that ckbench.json names"),
    OPT_TEXTS(struct ab_options, paths, "path", 'p', 64, "NAME",
              "measure this path; default payload_seed"),
    OPT_LIST(struct ab_options, shapes, "shapes", 0, 32, "NAME ...",
             "inputs of the paths; default all"),
    OPT_LIST(struct ab_options, operations, "ops", 0, 32, "NAME ...",
             "what the paths do; default all"),
    OPT_COUNT(struct ab_options, blocks, "blocks", 0, AB_BLOCKS_MIN, AB_BLOCKS_MAX, "N",
              "blocks that are judged; one more is run before them"),
    OPT_COUNT(
        struct ab_options, max_blocks, "max-blocks", 0, 36, AB_BLOCKS_MAX, "N",
        "six looks, and stop at the first that settles all cells, at N at last; by O'Brien and "
        "Fleming, so looking early costs nothing"),
    OPT_TEXT(struct ab_options, sweep, "sweep", 0, "size=FROM..TO",
             "cells of many sizes instead of the shapes', in bytes up to 256m, as size=64k..1m"),
    OPT_COUNT(struct ab_options, points, "points", 0, 2, 64, "N", "sizes of a sweep"),
    OPT_FLAG(struct ab_options, selftest, "selftest", 0,
             "arms of 0.5, 1, 2 and 5 % more calls, to see what this host finds"),
    OPT_FLAG(struct ab_options, calibrate, "calibrate", 0,
             "run the base against itself in loops of three lengths, and say what this host can "
             "tell; experiments of 30 blocks are cut from --blocks"),
    OPT_FLAG(struct ab_options, one_length, "one-length", 0, "calibrate at --loop-us alone"),
    OPT_TEXT(struct ab_options, margin, "margin", 0, "PERCENT",
             "changes of less than this do not matter, over 0 to 50"),
    OPT_U64(struct ab_options, seed, "seed", 0, 1, AB_SEED_MAX, "N",
            "of the orders; default: drawn, and printed"),
    OPT_COUNT(struct ab_options, loop_us, "loop-us", 0, 100, 10000000, "US",
              "CPU time of a loop, by the base"),
    OPT_MINUTES(struct ab_options, child_timeout_ms, "child-timeout", 0, 1, 24 * 60 * MINUTE_MS,
                "give up on a process after so long"),
    OPT_FLAG(struct ab_options, explain, "explain", 0,
             "say how much of each change page faults account for, and which step of the call "
             "moved where "
             "they leave much of it"),
    OPT_PATH(struct ab_options, record, "record", 0, "FILE",
             "write one line for each process; ckbench report FILE judges it again"),
    OPT_PATH(struct ab_options, report, "report", 0, "FILE", "write the whole result as JSON"),
    OPT_FLAG(struct ab_options, strict, "strict", 0, "exit 1 also when a cell is inconclusive"),
    OPT_FLAG(struct ab_options, json, "json", 0, "print the result as one JSON document"),
    OPT_FLAG(struct ab_options, markdown, "markdown", 0, "print the table as Markdown"),
    OPT_COLOR(struct ab_options, color),
};

const struct opt_table ab_table = {
    .verb = "ab",
    .about = "compare settings, allocators or builds by interleaved processes",
    .rows = ab_rows,
    .row_count = OPT_ROWS(ab_rows),
    .defaults = &ab_defaults,
    .size = sizeof ab_defaults,
    .exits =
        "0 no arm is slower by more than the margin; 1 one is, or a cell is inconclusive under "
        "--strict; 2 usage; 3 unfit host, or an arm unproven or failed; 130, 143 interrupted",
    .example = "ckbench ab --candidate-env MALLOC_TOP_PAD_=16777216 --shapes json-1m bin-1m",
};

// "64", "64k", "1m": the powers of 1,024.
static const char *read_size(const char *text, int64_t *size)
{
    char *end = NULL;
    *size = text[0] >= '1' && text[0] <= '9' && strlen(text) < 32 ? strtoll(text, &end, 10) : 0;
    if (*size <= 0 || *size > SIZE_MOST) {
        return NULL;
    }
    *size *= *end == 'k' ? 1024 : *end == 'm' ? 1048576 : 1;
    return end + (*end == 'k' || *end == 'm');
}

bool ab_read_sweep(const char *text, int64_t *from, int64_t *to, struct fault *fault)
{
    const char *at = strncmp(text, "size=", 5) == 0 ? read_size(text + 5, from) : NULL;
    at = at != NULL && strncmp(at, "..", 2) == 0 ? read_size(at + 2, to) : NULL;
    return (at != NULL && *at == '\0' && *from < *to && *to <= SIZE_MOST) ||
           fault_set(fault, "--sweep: '%.80s' is not of the form size=64k..1m", text);
}

bool ab_options_check(const struct ab_options *o, struct fault *fault)
{
    bool has_base = o->base != NULL || o->base_rev != NULL;
    bool is_document = o->json || o->markdown;
    const struct {
        bool is_so;
        const char *why;
    } rows[] = {
        {o->base != NULL && o->base_rev != NULL,
         "--base-rev builds the base itself: leave out --base"},
        {has_base && o->subject != NULL && o->candidate_subject != NULL,
         "--base, --subject and --candidate-subject name three programs where two are compared"},
        {o->json && o->markdown, "--json and --markdown cannot both be printed"},
        {o->explain && is_document,
         "--explain is told beside the table, not in --json or --markdown"},
        {o->max_blocks > 0 && o->blocks != ab_defaults.blocks,
         "--blocks is a fixed number, --max-blocks stops at looks: leave out one"},
        {o->points != ab_defaults.points && o->sweep == NULL, "--points are those of a --sweep"},
        {o->one_length && !o->calibrate, "--one-length is how to --calibrate"},
        {o->calibrate && o->blocks < AB_CUT_BLOCKS,
         "--calibrate cuts experiments of 30 blocks: --blocks must be 30 or more"},
        {o->calibrate &&
             (is_document || o->report != NULL || o->max_blocks > 0 || o->explain || o->strict),
         "--calibrate prints a table of its own: leave out --json, --markdown, --report, "
         "--max-blocks, --explain and --strict"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].is_so) {
            return fault_set(fault, "%s", rows[i].why);
        }
    }
    return true;
}

bool ab_read_margin(const char *text, double *margin, struct fault *fault)
{
    char *end = NULL;
    double percent = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : 0.0;
    bool is_plain = strspn(text, "0123456789.") == strlen(text);
    if (end == NULL || *end != '\0' || !is_plain || !(percent > 0.0) || percent > PERCENT_MAX) {
        return fault_set(fault, "--margin: '%.80s' is no percentage over 0 and up to %d", text,
                         PERCENT_MAX);
    }
    *margin = percent / 100.0;
    return true;
}
