// SPDX-License-Identifier: MIT
// `ckbench report`: what was saved, judged and shown again without running anything.
#include "verb.h"

#include <stdlib.h>
#include <string.h>

#include "ab_calibrating.h"
#include "ab_merging.h"
#include "ab_options.h"
#include "ab_telling.h"
#include "cli/exit.h"
#include "cli/opt.h"
#include "cli/say.h"
#include "cli/term.h"
#include "cli/tool.h"
#include "store/ab_record.h"
#include "store/document.h"
#include "store/json.h"
#include "store/provenance.h"

struct report_options {
    struct opt_texts files;
    const char *margin;
    const char *report;
    bool strict;
    bool json;
    bool markdown;
    bool calibrate;
    int color; // enum term_when
};

static const struct report_options report_defaults = {0};

static const struct opt report_rows[] = {
    OPT_OPERANDS(struct report_options, files, 1, AB_SITTINGS_MAX, "FILE ...",
                 "records of ckbench ab; several are merged"),
    OPT_TEXT(struct report_options, margin, "margin", 0, "PERCENT",
             "changes of less than this do not matter; default: the record's"),
    OPT_PATH(struct report_options, report, "report", 0, "FILE", "write the whole result as JSON"),
    OPT_FLAG(struct report_options, strict, "strict", 0, "exit 1 also when a cell is inconclusive"),
    OPT_FLAG(struct report_options, json, "json", 0, "print the result as one JSON document"),
    OPT_FLAG(struct report_options, markdown, "markdown", 0, "print the table as Markdown"),
    OPT_FLAG(struct report_options, calibrate, "calibrate", 0,
             "what the record's host could tell, in experiments of 30 blocks"),
    OPT_COLOR(struct report_options, color),
};

static const struct opt_table report_table = {
    .verb = "report",
    .about = "judge and show saved records again, without running anything",
    .rows = report_rows,
    .row_count = OPT_ROWS(report_rows),
    .defaults = &report_defaults,
    .size = sizeof report_defaults,
    .exits = "as of the verb that made the record: 0 good; 1 bad; 2 usage; 3 no verdict",
    .example = "ckbench report monday.ndjson tuesday.ndjson",
};

struct sitting {
    struct ab_record record;
    struct ab_judging judging;
    char host[256];
};

static void name_host(struct sitting *s)
{
    struct json_doc *doc;
    const char *cpu = "unknown";
    const struct json_value *value;
    struct fault ignored;
    if (json_read_text("host", s->record.host, strlen(s->record.host), &doc, &ignored)) {
        value = json_find(json_root(doc), "cpu");
        if (value != NULL && json_kind(value) == JSON_TEXT) {
            (void)json_as_text(value, &json_rule_line, &cpu, &ignored);
        }
    }
    (void)snprintf(s->host, sizeof s->host, "%s (from the record)", cpu);
    json_free(doc);
}

static bool load(const struct report_options *o, const char *path, struct sitting *s,
                 struct fault *fault)
{
    if (!ab_record_is_one(path)) {
        struct json_doc *doc;
        if (json_read_file(path, &doc, fault)) {
            (void)fault_set(fault, "%.200s: no record of ckbench ab", path);
        }
        json_free(doc);
        return false;
    }
    if (!ab_record_read(path, &s->record, fault)) {
        return false;
    }
    if (o->margin != NULL && !ab_read_margin(o->margin, &s->record.margin, fault)) {
        return false;
    }
    size_t unlike = ab_find_unlike(&s->record.experiment);
    if (unlike < s->record.experiment.cell_count) {
        return fault_set(fault, "%.200s: the arms of %s put out different things", path,
                         s->record.experiment.cells[unlike].path);
    }
    name_host(s);
    double level = ab_end_at_look(&s->record.experiment);
    return ab_judging_make(&s->record.experiment, s->record.margin, level, &s->judging, fault);
}

static struct ab_telling telling_of(const struct report_options *o, const struct sitting *s)
{
    return (struct ab_telling){&s->record.experiment, &s->judging, s->host,
                               term_has_color(stdout, (enum term_when)o->color),
                               term_columns(stdout)};
}

static bool tell_one(const struct report_options *o, const struct sitting *s,
                     const struct provenance_tool *tool, struct fault *fault)
{
    struct json_out body = JSON_OUT_INIT, provenance = JSON_OUT_INIT;
    const struct ab_telling telling = telling_of(o, s);
    ab_put_body(&body, &telling);
    json_begin_object(&provenance, NULL);
    provenance_put_tool(&provenance, tool);
    json_put_raw(&provenance, "host", s->record.host, strlen(s->record.host));
    json_put_text(&provenance, "subject", NULL);
    json_end_object(&provenance);
    bool is_good = o->report == NULL || document_write(o->report, &body, &provenance, fault);
    if (is_good) {
        is_good = o->json       ? document_print(stdout, &body, &provenance, fault)
                  : o->markdown ? ab_print_markdown(&telling, fault)
                                : ab_print_table(&telling, fault);
    }
    json_out_release(&body);
    json_out_release(&provenance);
    return is_good;
}

// A record that is given twice is one sitting.
static bool is_twin(const struct ab_experiment *a, const struct ab_experiment *b)
{
    return a->seed == b->seed && a->samples[0].cpu_ns == b->samples[0].cpu_ns &&
           a->samples[0].whole_cpu_us == b->samples[0].whole_cpu_us;
}

static bool tell_many(const struct report_options *o, const struct sitting *sittings,
                      struct fault *fault)
{
    struct ab_telling tellings[AB_SITTINGS_MAX];
    for (size_t i = 0; i < o->files.count; i++) {
        tellings[i] = telling_of(o, &sittings[i]);
        if (sittings[i].judging.verdicts.is_unfit) {
            return fault_set(fault, "%.200s: its host was unfit, so it is merged with nothing",
                             o->files.items[i]);
        }
        for (size_t j = 0; j < i; j++) {
            if (is_twin(tellings[i].experiment, tellings[j].experiment)) {
                return fault_set(fault, "%.200s and %.200s are the same sitting", o->files.items[j],
                                 o->files.items[i]);
            }
        }
    }
    return ab_print_merged(tellings, o->files.count, fault);
}

static int conclude(const struct report_options *o, const struct sitting *sittings)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < o->files.count; i++) {
        struct fault remark;
        int one = ab_judging_code(&sittings[i].judging, o->strict, &remark);
        code = one > code ? one : code;
        if (remark.text[0] != '\0') {
            say("%s: %s", o->files.items[i], remark.text);
        }
        if (sittings[i].record.is_cut) {
            say("%s: the last line is cut; its block was left out", o->files.items[i]);
        }
    }
    return code;
}

static int report(const struct report_options *o, struct sitting *sittings, int argc, char **argv)
{
    struct fault fault;
    const struct provenance_tool tool = {
        .version = tool_version(), .commit = tool_commit(), .argc = argc, .argv = argv};
    for (size_t i = 0; i < o->files.count; i++) {
        if (!load(o, o->files.items[i], &sittings[i], &fault)) {
            return say_fault(EXIT_INCOMPLETE, &fault);
        }
    }
    if (o->calibrate) {
        return ab_print_calibration(&sittings[0].record.experiment, &fault)
                   ? EXIT_GOOD
                   : say_fault(EXIT_INCOMPLETE, &fault);
    }
    bool is_good = o->files.count == 1 ? tell_one(o, &sittings[0], &tool, &fault)
                                       : tell_many(o, sittings, &fault);
    return is_good ? conclude(o, sittings) : say_fault(EXIT_INCOMPLETE, &fault);
}

static int report_run(int argc, char **argv)
{
    int code;
    struct report_options options;
    if (!opt_read(&report_table, argc, argv, &options, &code)) {
        return code;
    }
    if (options.files.count > 1 &&
        (options.json || options.markdown || options.calibrate || options.report != NULL)) {
        return say_fail(EXIT_USAGE, "several records are merged as a table only");
    }
    struct sitting *sittings = calloc(options.files.count, sizeof *sittings);
    if (sittings == NULL) {
        return say_fail(EXIT_INCOMPLETE, "out of memory");
    }
    code = report(&options, sittings, argc, argv);
    for (size_t i = 0; i < options.files.count; i++) {
        ab_judging_release(&sittings[i].judging);
        ab_record_release(&sittings[i].record);
    }
    free(sittings);
    return code;
}

const struct verb verb_report = {"report", "judge and show saved records again", report_run};
