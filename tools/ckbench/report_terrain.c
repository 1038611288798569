// SPDX-License-Identifier: MIT
// The books are made again from slices and cells; what the recording says of itself must be what
// follows from them.
#include "report_terrain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/say.h"
#include "cli/term.h"
#include "render/html.h"
#include "render/terrain_table.h"
#include "store/document.h"
#include "store/replace.h"
#include "store/sha256.h"
#include "store/terrain_report.h"

struct recorded {
    struct json_doc *doc;
    const struct json_value *body, *provenance;
    struct terrain_recording recording;
    struct terrain_books books;
};

static bool read_recording(const char *file, struct recorded *r, struct fault *fault)
{
    struct json_out again = JSON_OUT_INIT;
    if (!document_read(file, TERRAIN_SCHEMA, &r->doc, &r->body, &r->provenance, fault) ||
        !terrain_read_body(r->body, &r->recording, fault)) {
        return false;
    }
    terrain_books_check(&r->recording, &r->books);
    terrain_put_body(&again, &r->recording, &r->books);
    bool ok = document_follows(r->body, &again, fault);
    json_out_release(&again);
    return ok;
}

// A text of provenance, NULL when it is not there or none.
static const char *text_of(const struct json_value *in, const char *group, const char *key)
{
    struct fault ignored;
    const char *text = NULL;
    const struct json_value *at = group != NULL ? json_find(in, group) : in;
    at = at != NULL && json_kind(at) == JSON_OBJECT ? json_find(at, key) : NULL;
    return at != NULL && json_kind(at) == JSON_TEXT &&
                   json_as_text(at, &json_rule_line, &text, &ignored)
               ? text
               : NULL;
}

static bool write_page(const char *file, const struct recorded *r, struct fault *fault)
{
    char style[SHA256_TEXT_SIZE], script[SHA256_TEXT_SIZE];
    const struct html_facts facts = {
        .l2_where = text_of(r->provenance, NULL, "l2_where"),
        .harness = text_of(r->provenance, NULL, "harness"),
        .commit = text_of(r->provenance, "subject", "commit"),
        .compiler = text_of(r->provenance, "subject", "compiler"),
        .cpu = text_of(r->provenance, "host", "cpu"),
        .kernel = text_of(r->provenance, "host", "kernel"),
        .style_sha256 = style,
        .script_sha256 = script,
    };
    struct html_page page = {0};
    sha256_text(html_style(), strlen(html_style()), style);
    sha256_text(html_script(), strlen(html_script()), script);
    bool ok = html_draw(&r->recording, &r->books, &facts, &page)
                  ? replace_file(file, page.text, page.len, fault)
                  : fault_set(fault, "no memory for the page, or it does not fit into %d bytes",
                              HTML_BYTES_MAX);
    free(page.text);
    return ok;
}

static bool tell(const struct report_options *o, const struct recorded *r, struct fault *fault)
{
    const struct table_style style = {.has_color = false, .columns = term_columns(stdout)};
    if (o->html != NULL && !write_page(o->html, r, fault)) {
        return false;
    }
    return o->json ? document_print_again(stdout, r->body, r->provenance, fault)
                   : terrain_print(&r->recording, &r->books, stdout, style) ||
                         fault_set(fault, "no memory for the table");
}

int report_terrain(const struct report_options *o, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct fault fault;
    struct recorded *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return say_fail(EXIT_INCOMPLETE, "out of memory");
    }
    int code = EXIT_INCOMPLETE;
    if (!read_recording(o->files.items[0], r, &fault) || !tell(o, r, &fault)) {
        code = say_fault(EXIT_INCOMPLETE, &fault);
    } else {
        code =
            terrain_books_are_good(&r->books)
                ? EXIT_GOOD
                : say_fail(EXIT_INCOMPLETE, "the books are %s: the figures are not to be trusted",
                           terrain_books_verdict(&r->books));
    }
    terrain_recording_release(&r->recording);
    json_free(r->doc);
    free(r);
    return code;
}
