// SPDX-License-Identifier: MIT
// `ckbench report`: what was saved, judged and shown again without running anything. What the files
// say of themselves decides who shows them.
#include "verb.h"

#include <stddef.h>

#include "cli/exit.h"
#include "cli/say.h"
#include "report_ab.h"
#include "report_kinds.h"
#include "report_options.h"
#include "report_records.h"
#include "report_shards.h"
#include "report_telling.h"
#include "report_terrain.h"
#include "report_time.h"

static int exit_code_of(enum ir_overall overall)
{
    static const int codes[] = {
        [IR_PASS] = EXIT_GOOD, [IR_FAILED] = EXIT_BAD, [IR_INCOMPLETE] = EXIT_INCOMPLETE};
    return codes[overall];
}

static int report_shards(const struct report_options *o, int argc, char **argv)
{
    struct report_shards shards;
    struct fault fault;
    int code;
    if (!report_shards_open(o, &shards, &code, &fault)) {
        code = say_fault(code, &fault);
    } else {
        const struct report_telling telling = {o, argc, argv, &shards.merge};
        code = report_tell(&telling, &fault) ? exit_code_of(shards.merge.overall)
                                             : say_fault(EXIT_INCOMPLETE, &fault);
    }
    report_shards_close(&shards);
    return code;
}

static int report_run(int argc, char **argv)
{
    static int (*const tellers[REPORT_KINDS])(const struct report_options *, int,
                                              char **) = {[REPORT_RECORD] = report_records,
                                                          [REPORT_IR] = report_shards,
                                                          [REPORT_AB] = report_ab,
                                                          [REPORT_TIME] = report_time,
                                                          [REPORT_TERRAIN] = report_terrain};
    struct report_options options;
    struct fault fault;
    enum report_kind kind;
    int code;
    if (!opt_read(&report_table, argc, argv, &options, &code)) {
        return code;
    }
    enum report_answer answer = report_find_kind(&options, &kind, &fault);
    if (answer != REPORT_ONE_KIND) {
        return say_fault(answer == REPORT_MIXED ? EXIT_USAGE : EXIT_INCOMPLETE, &fault);
    }
    if (options.files.count > 1 && kind != REPORT_RECORD && kind != REPORT_IR) {
        return say_fail(EXIT_USAGE, "several of %s are not merged: give one",
                        report_kind_name(kind));
    }
    if (!report_options_check(&options, kind, &fault)) {
        return say_fault(EXIT_USAGE, &fault);
    }
    return tellers[kind](&options, argc, argv);
}

const struct verb verb_report = {"report", "merge, judge and show saved reports again", report_run};
