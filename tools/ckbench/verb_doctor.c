// SPDX-License-Identifier: MIT
// `ckbench doctor`: what this host can measure. doctor_checks.c asks, this file tells.
#include "verb.h"

#include <stdio.h>

#include "cli/exit.h"
#include "cli/opt.h"
#include "cli/say.h"
#include "cli/term.h"
#include "cli/tool.h"
#include "doctor_checks.h"
#include "measure/interrupt.h"
#include "render/table.h"
#include "store/document.h"
#include "store/json_out.h"
#include "store/provenance.h"

struct doctor_options {
    bool json;
    int color;
};

static const struct doctor_options doctor_defaults = {.color = TERM_AUTO};

static const struct opt doctor_rows[] = {
    OPT_FLAG(struct doctor_options, json, "json", 0, "print one JSON document"),
    OPT_COLOR(struct doctor_options, color),
};

static const struct opt_table doctor_table = {
    .verb = "doctor",
    .about = "say what this host can measure",
    .rows = doctor_rows,
    .row_count = OPT_ROWS(doctor_rows),
    .defaults = &doctor_defaults,
    .size = sizeof doctor_defaults,
    .exits = "0 ckbench ir can run here; 2 usage; 3 it cannot; 130, 143 interrupted",
    .example = "ckbench doctor --json",
};

static const char *const state_words[] = {"ok", "warn", "missing"};

static void put_checks(struct json_out *out, const char *key, const struct checks *checks,
                       bool is_steady)
{
    json_begin_array(out, key);
    for (size_t i = 0; i < checks->count; i++) {
        const struct check *check = &checks->items[i];
        if (check->is_steady != is_steady) {
            continue;
        }
        json_put_space(out, "\n");
        json_begin_object(out, NULL);
        json_put_text(out, "name", check->name);
        json_put_text(out, "state", state_words[check->state]);
        json_put_bool(out, "needed_by_ir", check->is_needed);
        json_put_text(out, "value", check->value);
        json_put_text(out, "cure", check->cure[0] != '\0' ? check->cure : NULL);
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_body(struct json_out *out, const struct checks *checks)
{
    json_begin_object(out, NULL);
    json_put_text(out, "schema", "ckbench/doctor/1");
    json_put_bool(out, "can_ir", checks_can_ir(checks));
    put_checks(out, "checks", checks, true);
    json_end_object(out);
}

// What changes from run to run is provenance.
static void put_provenance(struct json_out *out, const struct checks *checks, int argc, char **argv)
{
    const struct provenance_tool tool = {
        .version = tool_version(), .commit = tool_commit(), .argc = argc, .argv = argv};
    json_begin_object(out, NULL);
    provenance_put_tool(out, &tool);
    put_checks(out, "now", checks, false);
    json_end_object(out);
}

static bool print_json(const struct checks *checks, int argc, char **argv, struct fault *fault)
{
    struct json_out body = JSON_OUT_INIT;
    struct json_out provenance = JSON_OUT_INIT;
    put_body(&body, checks);
    put_provenance(&provenance, checks, argc, argv);
    bool is_good = document_print(stdout, &body, &provenance, fault);
    json_out_release(&body);
    json_out_release(&provenance);
    return is_good;
}

static bool print_table(const struct checks *checks, const struct doctor_options *options,
                        struct fault *fault)
{
    static const enum table_tone tones[] = {TABLE_GOOD, TABLE_CAUTION, TABLE_BAD};
    static const struct table_column columns[] = {
        {"check", TABLE_LEFT, false}, {"state", TABLE_LEFT, false}, {"value", TABLE_LEFT, true}};
    struct table table;
    table_init(&table, columns, 3);
    for (size_t i = 0; i < checks->count; i++) {
        const struct check *check = &checks->items[i];
        table_add(&table, "%s", check->name);
        table_add_tone(&table, tones[check->state], state_words[check->state]);
        table_add(&table, "%s", check->value);
    }
    const struct table_style style = {.has_color =
                                          term_has_color(stdout, (enum term_when)options->color),
                                      .columns = term_columns(stdout)};
    bool is_good = table_print(&table, stdout, style) || fault_set(fault, "no memory");
    table_release(&table);
    (void)putchar('\n');
    for (size_t i = 0; i < checks->count; i++) {
        if (checks->items[i].cure[0] != '\0') {
            (void)printf("%s: %s\n", checks->items[i].name, checks->items[i].cure);
        }
    }
    (void)printf("\nckbench ir %s here\n", checks_can_ir(checks) ? "can run" : "cannot run");
    return is_good;
}

static int examine(const struct doctor_options *options, int argc, char **argv)
{
    struct fault fault;
    struct checks checks;
    checks_make(&checks);
    if (interrupt_seen() != 0) {
        return EXIT_INCOMPLETE;
    }
    interrupt_remove(); // a signal may end us while we wait for a reader
    bool is_printed = options->json ? print_json(&checks, argc, argv, &fault)
                                    : print_table(&checks, options, &fault);
    if (!is_printed) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    return checks_can_ir(&checks) ? EXIT_GOOD : EXIT_INCOMPLETE;
}

static int doctor_run(int argc, char **argv)
{
    int code;
    struct fault fault;
    struct doctor_options options;
    if (!opt_read(&doctor_table, argc, argv, &options, &code)) {
        return code;
    }
    if (!interrupt_install(&fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    code = examine(&options, argc, argv);
    int signal = interrupt_seen();
    interrupt_remove();
    return signal != 0 ? exit_by_signal(signal) : code;
}

const struct verb verb_doctor = {"doctor", "say what this host can measure", doctor_run};
