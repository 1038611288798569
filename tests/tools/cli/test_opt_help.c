// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt.h"
#include "same.h"

struct options {
    bool json;
    bool color;
    unsigned layouts;
    unsigned jobs;
    int64_t timeout_ms;
    int when;
    const char *name;
    struct opt_texts paths;
    struct opt_shard shard;
    struct opt_texts files;
};

static const char *const words[] = {"auto", "always", NULL};
static const struct options defaults = {
    .color = true, .shard = {1, 1}, .layouts = 5, .timeout_ms = 90000, .when = 1, .name = "x"};
static const struct opt rows[] = {
    OPT_FLAG(struct options, json, "json", 'j', "print one JSON document"),
    OPT_FLAG(struct options, color, "color", 0, "no colour"),
    OPT_COUNT(struct options, layouts, "layouts", 0, 1, 64, "N",
              "a help text that is much longer than the line can be and goes on and on, so that it "
              "must be broken between words"),
    OPT_COUNT(struct options, jobs, "jobs", 0, 1, 9, "N", "decided later"),
    OPT_MINUTES(struct options, timeout_ms, "a-name-that-leaves-no-room", 0, 1, 900000, "h"),
    OPT_CHOICE(struct options, when, "when", 0, words, "WHEN", "h"),
    OPT_TEXT(struct options, name, "name", 0, "TEXT", "h"),
    OPT_TEXTS(struct options, paths, "path", 0, 3, "NAME", "h"),
    OPT_SHARD(struct options, shard, "shard", 0, 8, "h"),
    OPT_OPERANDS(struct options, files, 0, 9, "FILE...", "h"),
};
static const struct opt_table table = {.verb = "try",
                                       .about = "Tries.",
                                       .rows = rows,
                                       .row_count = OPT_ROWS(rows),
                                       .defaults = &defaults,
                                       .size = sizeof defaults,
                                       .exits = "0 tried; 3 not",
                                       .example = "ckbench try --json"};

Test(opt_help, shows_bounds_defaults_and_one_example_within_80_columns)
{
    static const char wanted[] =
        "usage: ckbench try [options] FILE...\n"
        "\n"
        "Tries.\n"
        "\n"
        "options:\n"
        "  -j, --json                print one JSON document\n"
        "      --no-color            no colour\n"
        "      --layouts N           a help text that is much longer than the line can be\n"
        "                            and goes on and on, so that it must be broken\n"
        "                            between words (1 to 64; default 5)\n"
        "      --jobs N              decided later (1 to 9)\n"
        "      --a-name-that-leaves-no-room MIN\n"
        "                            h (0.001 to 15; default 1.5)\n"
        "      --when WHEN           h (auto, always; default always)\n"
        "      --name TEXT           h (default x)\n"
        "      --path NAME           h (may be repeated)\n"
        "      --shard K/N           h (N up to 8; default 1/1)\n"
        "  -h, --help                show this text\n"
        "\n"
        "exit status:\n"
        "  0 tried; 3 not\n"
        "\n"
        "example:\n"
        "  ckbench try --json\n";
    char *text = NULL;
    size_t len = 0;
    FILE *stream = open_memstream(&text, &len);
    opt_help(&table, stream);
    (void)fclose(stream);
    SAME(text, wanted);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        cr_assert(le(sz, strlen(line), 80), "%s", line);
    }
    free(text);
}
