// SPDX-License-Identifier: MIT
// `ckbench list`: what a subject offers. The subject is started natively and asked; nothing is
// measured.
#include "verb.h"

#include <stdio.h>

#include "cli/exit.h"
#include "cli/opt.h"
#include "cli/say.h"
#include "cli/term.h"
#include "cli/tool.h"
#include "measure/interrupt.h"
#include "measure/scratch.h"
#include "measure/subject_list.h"
#include "render/table.h"
#include "store/checkout.h"
#include "store/document.h"
#include "store/json_out.h"
#include "store/provenance.h"

struct list_options {
    const char *subject;
    bool json;
};

static const struct list_options list_defaults = {.subject = NULL};

static const struct opt list_rows[] = {
    OPT_PATH(struct list_options, subject, "subject", 0, "FILE",
             "the program to ask, instead of the one that ./ckbench.json names"),
    OPT_FLAG(struct list_options, json, "json", 0, "print one JSON document"),
};

static const struct opt_table list_table = {
    .verb = "list",
    .about = "show the paths and terrains of a subject",
    .rows = list_rows,
    .row_count = OPT_ROWS(list_rows),
    .defaults = &list_defaults,
    .size = sizeof list_defaults,
    .exits = "0 shown; 2 usage; 3 the subject did not answer as it must; 130, 143 interrupted",
    .example = "ckbench list --subject build/gate/workloads/ck-workloads",
};

static void put_names(struct json_out *out, const char *key, const struct subject_names *names)
{
    json_begin_array(out, key);
    for (size_t i = 0; i < names->count; i++) {
        json_put_text(out, NULL, names->items[i]);
    }
    json_end_array(out);
}

static void put_path(struct json_out *out, const struct subject_path *path)
{
    json_put_space(out, "\n");
    json_begin_object(out, NULL);
    json_put_text(out, "name", path->name);
    json_put_text(out, "about", path->about);
    put_names(out, "shapes", &path->shapes);
    put_names(out, "operations", &path->operations);
    put_names(out, "phases", &path->phases);
    json_put_bool(out, "threads", path->threads);
    json_end_object(out);
}

static void put_body(struct json_out *out, const struct subject *subject)
{
    json_begin_object(out, NULL);
    json_put_text(out, "schema", "ckbench/list/1");
    json_put_i64(out, "protocol", subject->protocol);
    json_put_bool(out, "self_test", subject->self);
    json_begin_array(out, "paths");
    for (size_t i = 0; i < subject->path_count; i++) {
        put_path(out, &subject->paths[i]);
    }
    json_end_array(out);
    put_names(out, "terrains", &subject->terrains);
    json_end_object(out);
}

static void put_provenance(struct json_out *out, const struct subject *subject, int argc,
                           char **argv)
{
    const struct provenance_tool tool = {
        .version = tool_version(), .commit = tool_commit(), .argc = argc, .argv = argv};
    json_begin_object(out, NULL);
    provenance_put_tool(out, &tool);
    json_begin_object(out, "subject");
    json_put_text(out, "file", subject->file);
    json_put_text(out, "kit", subject->kit);
    json_put_text(out, "compiler", subject->compiler);
    json_put_text(out, "flags", subject->flags);
    json_put_text(out, "commit", subject->commit);
    put_names(out, "dirty", &subject->dirty);
    json_put_text(out, "build_id", subject->build_id);
    json_end_object(out);
    json_end_object(out);
}

static int print_json(const struct subject *subject, int argc, char **argv)
{
    struct fault fault;
    struct json_out body = JSON_OUT_INIT;
    struct json_out provenance = JSON_OUT_INIT;
    put_body(&body, subject);
    put_provenance(&provenance, subject, argc, argv);
    bool is_good = document_print(stdout, &body, &provenance, &fault);
    json_out_release(&body);
    json_out_release(&provenance);
    return is_good ? EXIT_GOOD : say_fault(EXIT_INCOMPLETE, &fault);
}

// "bin-1m json-1m", or "-".
static void add_names(struct table *table, const struct subject_names *names)
{
    char text[256] = "";
    size_t len = 0;
    for (size_t i = 0; i < names->count && len < sizeof text; i++) {
        int added =
            snprintf(text + len, sizeof text - len, "%s%s", i > 0 ? " " : "", names->items[i]);
        len += added > 0 ? (size_t)added : 0;
    }
    table_add(table, "%s", names->count > 0 ? text : "-");
}

static int print_table(const struct subject *subject)
{
    static const struct table_column columns[] = {{"path", TABLE_LEFT, false},
                                                  {"shapes", TABLE_LEFT, false},
                                                  {"operations", TABLE_LEFT, false},
                                                  {"about", TABLE_LEFT, true}};
    struct table table;
    table_init(&table, columns, 4);
    for (size_t i = 0; i < subject->path_count; i++) {
        const struct subject_path *path = &subject->paths[i];
        table_add(&table, "%s", path->name);
        add_names(&table, &path->shapes);
        add_names(&table, &path->operations);
        table_add(&table, "%s", path->about != NULL ? path->about : "");
    }
    const struct table_style style = {.has_color = false, .columns = term_columns(stdout)};
    bool is_good = table_print(&table, stdout, style);
    table_release(&table);
    for (size_t i = 0; i < subject->terrains.count; i++) {
        (void)printf("%sterrain %s\n", i == 0 ? "\n" : "", subject->terrains.items[i]);
    }
    return is_good ? EXIT_GOOD : say_fail(EXIT_INCOMPLETE, "no memory for the table");
}

static int ask(const struct checkout *checkout, const struct list_options *options, int argc,
               char **argv)
{
    struct fault fault;
    struct scratch scratch;
    struct subject subject = {0};
    int code = EXIT_INCOMPLETE;
    if (!scratch_open(&scratch, &fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    bool is_open = subject_open(checkout->subject, &scratch, &subject, &fault);
    scratch_close(&scratch);
    if (interrupt_seen() == 0) {
        interrupt_remove(); // a signal may end us while we wait for a reader
        code = !is_open        ? say_fault(EXIT_INCOMPLETE, &fault)
               : options->json ? print_json(&subject, argc, argv)
                               : print_table(&subject);
    }
    subject_close(&subject);
    return code;
}

static int list(const struct list_options *options, int argc, char **argv)
{
    struct fault fault;
    struct checkout checkout;
    if (!checkout_open(".", options->subject, &checkout, &fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    int code = ask(&checkout, options, argc, argv);
    checkout_close(&checkout);
    return code;
}

static int list_run(int argc, char **argv)
{
    int code;
    struct fault fault;
    struct list_options options;
    if (!opt_read(&list_table, argc, argv, &options, &code)) {
        return code;
    }
    if (!interrupt_install(&fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    code = list(&options, argc, argv);
    int signal = interrupt_seen();
    interrupt_remove();
    return signal != 0 ? exit_by_signal(signal) : code;
}

const struct verb verb_list = {"list", "show the paths and terrains of a subject", list_run};
