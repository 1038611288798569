// SPDX-License-Identifier: MIT
// The rows of `ckbench report`, and which of them go with which kind of file.
#include "report_options.h"

#include <string.h>

#include "cli/term.h"
#include "stats/gate_merge.h"

static const char *const format_words[] = {"text", "github-action-benchmark", "bencher", NULL};

static const struct report_options defaults = {0};

static const struct opt rows[] = {
    OPT_OPERANDS(struct report_options, files, 1, OPT_TEXTS_MAX, "FILE ...",
                 "saved by ir, ab, time or terrain; all of one kind; several of ir (shards) or of "
                 "ab's records are merged"),
    OPT_COUNT(struct report_options, expect_shards, "expect-shards", 0, 1, GATE_SHARDS_MAX, "N",
              "how many shards there must be; what is missing or cannot be read has no result"),
    OPT_TEXT(struct report_options, expect_head, "expect-head", 0, "COMMIT",
             "a shard of another head has no result"),
    OPT_TEXT(struct report_options, expect_base, "expect-base", 0, "COMMIT",
             "a shard of another base has no result"),
    OPT_TEXT(struct report_options, expect_run, "expect-run", 0, "TEXT",
             "a shard of another run or attempt has no result"),
    OPT_TEXTS(struct report_options, links, "shard-link", 0, OPT_TEXTS_MAX, "K=URL",
              "where the job of shard K is to be seen, https only"),
    OPT_FLAG(struct report_options, markdown, "markdown", 0, "print Markdown"),
    OPT_PATH(struct report_options, html, "html", 0, "FILE", "write a self-contained page"),
    OPT_FLAG(struct report_options, json, "json", 0, "print the result as one JSON document"),
    OPT_CHOICE(struct report_options, format, "format", 0, format_words, "FORM",
               "print the figures for another tool"),
    OPT_PATH(struct report_options, report, "report", 0, "FILE", "write the whole result as JSON"),
    OPT_TEXT(struct report_options, margin, "margin", 0, "PERCENT",
             "of ab: changes of less than this do not matter; default: the record's"),
    OPT_FLAG(struct report_options, strict, "strict", 0,
             "of ab: exit 1 also when a cell is inconclusive"),
    OPT_FLAG(struct report_options, calibrate, "calibrate", 0,
             "of ab: what the record's host could tell, in experiments of 30 blocks"),
    OPT_COLOR(struct report_options, color),
};

const struct opt_table report_table = {
    .verb = "report",
    .about = "judge, merge and show saved reports again, without running anything",
    .rows = rows,
    .row_count = OPT_ROWS(rows),
    .defaults = &defaults,
    .size = sizeof defaults,
    .exits = "as of the verb that made the files: 0 good; 1 bad; 2 usage; 3 no verdict",
    .example = "ckbench report shard-*.json --expect-shards 4 --markdown",
};

const char *report_kind_name(enum report_kind kind)
{
    static const char *const names[REPORT_KINDS] = {"a record of ckbench ab", "ckbench/ir/1",
                                                    "ckbench/ab/1", "ckbench/time/1",
                                                    "ckbench/terrain/1"};
    return names[kind];
}

// Bits of report_kind.
enum {
    OF_RECORD = 1 << REPORT_RECORD,
    OF_IR = 1 << REPORT_IR,
    OF_AB = 1 << REPORT_AB,
    OF_TIME = 1 << REPORT_TIME,
    OF_TERRAIN = 1 << REPORT_TERRAIN
};

bool report_options_check(const struct report_options *o, enum report_kind kind,
                          struct fault *fault)
{
    const struct {
        const char *name;
        bool is_given;
        int kinds;
    } given[] = {
        {"--expect-shards", o->expect_shards != 0, OF_IR},
        {"--expect-head", o->expect_head != NULL, OF_IR},
        {"--expect-base", o->expect_base != NULL, OF_IR},
        {"--expect-run", o->expect_run != NULL, OF_IR},
        {"--shard-link", o->links.count > 0, OF_IR},
        {"--markdown", o->markdown, OF_IR | OF_RECORD | OF_AB | OF_TIME},
        {"--html", o->html != NULL, OF_IR | OF_TERRAIN},
        {"--format", o->format != REPORT_TEXT, OF_IR},
        {"--report", o->report != NULL, OF_IR | OF_RECORD},
        {"--margin", o->margin != NULL, OF_RECORD},
        {"--strict", o->strict, OF_RECORD | OF_AB},
        {"--calibrate", o->calibrate, OF_RECORD},
    };
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (given[i].is_given && (given[i].kinds & 1 << kind) == 0) {
            return fault_set(fault, "%s does not go with %s", given[i].name,
                             report_kind_name(kind));
        }
    }
    return o->json + o->markdown + (o->format != REPORT_TEXT) <= 1 ||
           fault_set(fault, "--json, --markdown and --format exclude one another");
}
