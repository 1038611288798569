// SPDX-License-Identifier: MIT
// Records of `ckbench ab`, judged and shown again; several are merged.
#include "report_records.h"

#include <stdlib.h>
#include <string.h>

#include "ab_calibrating.h"
#include "ab_merging.h"
#include "ab_options.h"
#include "ab_telling.h"
#include "cli/exit.h"
#include "cli/say.h"
#include "cli/term.h"
#include "cli/tool.h"
#include "store/ab_record.h"
#include "store/document.h"
#include "store/json.h"
#include "store/provenance.h"

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

static int tell(const struct report_options *o, struct sitting *sittings, int argc, char **argv)
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

int report_records(const struct report_options *o, int argc, char **argv)
{
    if (o->files.count > AB_SITTINGS_MAX) {
        return say_fail(EXIT_USAGE, "more than %d records", AB_SITTINGS_MAX);
    }
    if (o->files.count > 1 && (o->json || o->markdown || o->calibrate || o->report != NULL)) {
        return say_fail(EXIT_USAGE, "several records are merged as a table only");
    }
    struct sitting *sittings = calloc(o->files.count, sizeof *sittings);
    if (sittings == NULL) {
        return say_fail(EXIT_INCOMPLETE, "out of memory");
    }
    int code = tell(o, sittings, argc, argv);
    for (size_t i = 0; i < o->files.count; i++) {
        ab_judging_release(&sittings[i].judging);
        ab_record_release(&sittings[i].record);
    }
    free(sittings);
    return code;
}
