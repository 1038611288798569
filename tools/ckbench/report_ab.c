// SPDX-License-Identifier: MIT
// Judged again from the CPU time of every block; the document must say the same.
#include "report_ab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ab_telling.h"
#include "cli/exit.h"
#include "cli/say.h"
#include "cli/term.h"
#include "report_ab_reading.h"
#include "store/document.h"

#define AB_SCHEMA "ckbench/ab/1"

struct sitting_document {
    struct json_doc *doc;
    const struct json_value *body, *provenance;
    struct ab_experiment experiment;
    struct ab_judging judging;
    char host[256];
    struct ab_telling telling;
};

static void name_host(struct sitting_document *d)
{
    struct fault ignored;
    const char *cpu = "unknown";
    const struct json_value *host = json_find(d->provenance, "host");
    const struct json_value *value =
        host != NULL && json_kind(host) == JSON_OBJECT ? json_find(host, "cpu") : NULL;
    if (value != NULL && json_kind(value) == JSON_TEXT) {
        (void)json_as_text(value, &json_rule_line, &cpu, &ignored);
    }
    (void)snprintf(d->host, sizeof d->host, "%s (from the document)", cpu);
    for (char *c = d->host; *c != '\0'; c++) {
        *c = *c < 0x20 || *c > 0x7e ? '?' : *c;
    }
}

static bool check(const struct sitting_document *d, struct fault *fault)
{
    struct json_out again = JSON_OUT_INIT;
    ab_put_body(&again, &d->telling);
    bool ok = document_follows(d->body, &again, fault);
    json_out_release(&again);
    return ok;
}

static bool read_whole(const struct report_options *o, struct sitting_document *d,
                       struct fault *fault)
{
    double level, margin;
    if (!document_read(o->files.items[0], AB_SCHEMA, &d->doc, &d->body, &d->provenance, fault) ||
        !report_ab_read(d->body, &d->experiment, &level, &margin, fault) ||
        !ab_judging_make(&d->experiment, margin, level, &d->judging, fault) ||
        !report_ab_take_rest(d->body, &d->judging, fault)) {
        return false;
    }
    name_host(d);
    d->telling =
        (struct ab_telling){&d->experiment, &d->judging, d->host,
                            term_has_color(stdout, (enum term_when)o->color), term_columns(stdout)};
    return check(d, fault);
}

static bool tell(const struct report_options *o, const struct sitting_document *d,
                 struct fault *fault)
{
    return o->json       ? document_print_again(stdout, d->body, d->provenance, fault)
           : o->markdown ? ab_print_markdown(&d->telling, fault)
                         : ab_print_table(&d->telling, fault);
}

static int conclude(const struct report_options *o, const struct sitting_document *d)
{
    struct fault remark;
    int code = ab_judging_code(&d->judging, o->strict, &remark);
    if (remark.text[0] != '\0') {
        say("%s: %s", o->files.items[0], remark.text);
    }
    return code;
}

int report_ab(const struct report_options *o, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct fault fault;
    struct sitting_document *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return say_fail(EXIT_INCOMPLETE, "out of memory");
    }
    int code = read_whole(o, d, &fault) && tell(o, d, &fault) ? conclude(o, d)
                                                              : say_fault(EXIT_INCOMPLETE, &fault);
    ab_judging_release(&d->judging);
    ab_experiment_release(&d->experiment);
    json_free(d->doc);
    free(d);
    return code;
}
