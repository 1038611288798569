// SPDX-License-Identifier: MIT
// Files are written first: a table that was seen has its files on disk.
#include "report_telling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/term.h"
#include "cli/tool.h"
#include "render/ir_html.h"
#include "render/ir_markdown.h"
#include "render/ir_table.h"
#include "store/document.h"
#include "store/ir_forms.h"
#include "store/ir_merged.h"
#include "store/json_out.h"
#include "store/replace.h"
#include "store/sha256.h"

static void print_slots(const struct gate_merge *merge)
{
    for (size_t i = 0; i < merge->slot_count; i++) {
        const struct gate_slot *slot = &merge->slots[i];
        if (slot->shard == NULL && slot->number != 0) {
            (void)printf("shard %zu: no result: %s\n", slot->number, slot->reason.text);
        } else if (slot->shard == NULL) {
            (void)printf("a report: no result: %s\n", slot->reason.text);
        } else if (!slot->shard->result.is_proven) {
            (void)printf("shard %zu: could not prove itself: %s\n", slot->number,
                         slot->shard->result.unproven.text);
        }
    }
}

// All paths as one result, for the table.
static bool gather(const struct gate_merge *merge, struct gate_result *whole)
{
    whole->mode = merge->first->result.mode;
    whole->settings = merge->first->result.settings;
    whole->fingerprint = merge->first->result.fingerprint;
    whole->overall = merge->overall;
    whole->complete = merge->complete;
    whole->is_adoption = merge->is_adoption;
    whole->is_proven = true; // said of each shard
    whole->paths = calloc(merge->path_count + 1, sizeof *whole->paths);
    for (size_t i = 0; whole->paths != NULL && i < merge->path_count; i++) {
        whole->paths[whole->path_count++] = *merge->paths[i];
    }
    return whole->paths != NULL;
}

static bool print_table(const struct report_telling *t, struct fault *fault)
{
    const struct table_style style = {term_has_color(stdout, (enum term_when)t->options->color),
                                      term_columns(stdout)};
    print_slots(t->merge);
    if (t->merge->first == NULL) {
        char counts[GATE_COUNTS];
        gate_merge_counts(t->merge, counts);
        (void)printf("%s: %s\n", ir_overall_name(t->merge->overall), counts);
        return true;
    }
    struct gate_result *whole = calloc(1, sizeof *whole);
    bool ok = whole != NULL && gather(t->merge, whole) && ir_table_print(stdout, whole, style);
    if (whole != NULL) {
        free(whole->paths);
    }
    free(whole);
    return ok || fault_set(fault, "out of memory");
}

static bool print_markdown(const struct report_telling *t, struct fault *fault)
{
    struct html_page page = {0};
    bool ok = ir_markdown(t->merge, &page) || fault_set(fault, "out of memory");
    if (ok) {
        (void)fwrite(page.text, 1, page.len, stdout);
    }
    free(page.text);
    return ok;
}

static bool put_documents(const struct report_telling *t, struct fault *fault)
{
    const struct report_options *o = t->options;
    struct json_out body = JSON_OUT_INIT, provenance = JSON_OUT_INIT;
    const struct provenance_tool tool = {
        .version = tool_version(), .commit = tool_commit(), .argc = t->argc, .argv = t->argv};
    ir_merged_body(&body, t->merge);
    ir_merged_provenance(&provenance, t->merge, &tool);
    bool ok = (o->report == NULL || document_write(o->report, &body, &provenance, fault)) &&
              (!o->json || document_print(stdout, &body, &provenance, fault));
    json_out_release(&body);
    json_out_release(&provenance);
    return ok;
}

static bool write_page(const struct report_telling *t, struct fault *fault)
{
    char style[SHA256_TEXT_SIZE];
    struct html_page page = {0};
    sha256_text(ir_html_style(), strlen(ir_html_style()), style);
    bool ok = ir_html(t->merge, style, &page)
                  ? replace_file(t->options->html, page.text, page.len, fault)
                  : fault_set(fault, "out of memory");
    free(page.text);
    return ok;
}

static bool print_form(const struct report_telling *t, struct fault *fault)
{
    struct json_out out = JSON_OUT_INIT;
    if (t->options->format == REPORT_BENCHER) {
        ir_form_bencher(&out, t->merge);
    } else {
        ir_form_action_benchmark(&out, t->merge);
    }
    bool ok = !out.is_failed || fault_set(fault, "out of memory");
    if (ok) {
        (void)fwrite(out.text, 1, out.len, stdout);
    }
    json_out_release(&out);
    return ok;
}

bool report_tell(const struct report_telling *t, struct fault *fault)
{
    const struct report_options *o = t->options;
    if (!put_documents(t, fault) || (o->html != NULL && !write_page(t, fault))) {
        return false;
    }
    return o->json                    ? true
           : o->markdown              ? print_markdown(t, fault)
           : o->format != REPORT_TEXT ? print_form(t, fault)
                                      : print_table(t, fault);
}
