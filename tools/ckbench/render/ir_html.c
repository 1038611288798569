// SPDX-License-Identifier: MIT
// The same parts in the same order as in Markdown, but nothing is cut.
#include "render/ir_html.h"

#include <stdlib.h>
#include <string.h>

#include "render/figure.h"
#include "render/html_parts.h"

const char *ir_html_style(void)
{
    return "body{font:14px/1.4 system-ui,sans-serif;max-width:70em;margin:1em auto;padding:0 "
           "1em;color:#222}"
           "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
           "th,td{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:right}"
           "th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}"
           "code{font:13px monospace;overflow-wrap:anywhere}"
           ".bad{color:#a00;font-weight:600}footer{font-size:12px;color:#555;margin-top:2em}";
}

static void add_code(struct html_page *page, const char *text)
{
    html_add(page, "<code>");
    html_add_text(page, text);
    html_add(page, "</code>");
}

static void add_head(struct html_page *page, const char *style_sha256)
{
    html_add(page, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src ");
    html_add_hash(page, style_sha256);
    html_add(page, "\">\n<title>instructions per call</title>\n<style>%s</style></head><body>\n",
             ir_html_style());
}

static void add_fact(struct html_page *page, const char *word, const char *text)
{
    html_add(page, "%s ", word);
    if (text != NULL) {
        add_code(page, text);
    } else {
        html_add(page, "unknown");
    }
}

static void add_verdict(struct html_page *page, const struct gate_merge *merge)
{
    char counts[GATE_COUNTS];
    gate_merge_counts(merge, counts);
    html_add(page, "<h1%s>%s%s</h1>\n<p>%s; ", merge->overall != IR_PASS ? " class=\"bad\"" : "",
             ir_overall_name(merge->overall), gate_merge_remark(merge),
             counts[0] != '\0' ? counts : "no path");
    add_fact(page, "head", merge->head);
    if (merge->first == NULL || merge->first->result.mode == GATE_BASE) {
        add_fact(page, ", base", merge->base);
    }
    for (size_t i = 0; i < merge->print_count; i++) {
        add_fact(page, i == 0 ? ", fingerprint" : " and", merge->prints[i].id);
    }
    html_add(page, "</p>\n");
}

static void add_slot_name(struct html_page *page, const struct gate_slot *slot)
{
    if (slot->link[0] != '\0') {
        html_add(page, "<a rel=\"noreferrer\" href=\"");
        html_add_text(page, slot->link);
        html_add(page, "\">shard %zu</a>", slot->number);
    } else if (slot->number != 0) {
        html_add(page, "shard %zu", slot->number);
    } else {
        html_add(page, "a report");
    }
}

static void add_slots(struct html_page *page, const struct gate_merge *merge)
{
    html_add(page, "<ul>\n");
    for (size_t i = 0; i < merge->slot_count; i++) {
        const struct gate_slot *slot = &merge->slots[i];
        const struct gate_shard *s = slot->shard;
        html_add(page, "<li>");
        add_slot_name(page, slot);
        if (s == NULL) {
            html_add(page, ": <span class=\"bad\">no result</span>: ");
            add_code(page, slot->reason.text);
        } else {
            html_add(page, ": %s, %zu paths", ir_overall_name(s->result.overall),
                     s->result.path_count);
        }
        if (s != NULL && !s->result.is_proven) {
            html_add(page, ", could not prove itself: ");
            add_code(page, s->result.unproven.text);
        }
        html_add(page, "</li>\n");
    }
    html_add(page, "</ul>\n");
}

static void add_per(struct html_page *page, bool known, struct per_op figure)
{
    char text[FIGURE_SIZE];
    html_add(page, "<td>%s</td>", known ? figure_per(text, figure.num, figure.den) : "-");
}

static void add_changes(struct html_page *page, const struct gate_path *path)
{
    char text[FIGURE_SIZE];
    const struct ir_figures *h = &path->judgement.head_figures, *b = &path->judgement.base_figures;
    bool both = path->head.count > 0 && path->base.count > 0;
    if (both && b->total.num > 0) {
        html_add(page, "<td>%s %%</td>",
                 figure_fixed(text, per_op_delta_mpct(h->total, b->total), 3));
    } else {
        html_add(page, "<td>-</td>");
    }
    if (both && h->own.num != OWN_UNKNOWN && b->own.num != OWN_UNKNOWN) {
        html_add(page, "<td>%+.2f</td>", per_op_value(h->own) - per_op_value(b->own));
    } else {
        html_add(page, "<td>-</td>");
    }
}

static void add_row(struct html_page *page, const struct gate_path *path)
{
    const struct ir_judgement *j = &path->judgement;
    const struct ir_figures *head = &j->head_figures, *base = &j->base_figures;
    bool has_head = path->head.count > 0, has_base = path->base.count > 0;
    bool is_bad = j->verdict == IR_FAIL || (j->verdict == IR_GONE && !j->is_accepted);
    html_add(page, "<tr><td>");
    add_code(page, path->name);
    html_add(page, "</td><td%s>%s%s</td>", is_bad ? " class=\"bad\"" : "",
             ir_verdict_name(j->verdict), j->is_accepted ? ", accepted" : "");
    add_per(page, has_base, base->total);
    add_per(page, has_head, head->total);
    add_changes(page, path);
    add_per(page, has_base, base->allocs);
    add_per(page, has_head, head->allocs);
    add_per(page, has_base, base->syscalls);
    add_per(page, has_head, head->syscalls);
    html_add(page, "</tr>\n");
}

static void add_reasons(struct html_page *page, const struct gate_path *path)
{
    if (!path->is_error && path->reason_count == 0) {
        return;
    }
    html_add(page, "<h3>");
    add_code(page, path->name);
    html_add(page, ", %s</h3>\n<ul>\n", ir_verdict_name(path->judgement.verdict));
    if (path->is_error) {
        html_add(page, "<li>");
        add_code(page, path->error.text);
        html_add(page, "</li>\n");
    }
    for (size_t i = 0; i < path->reason_count; i++) {
        html_add(page, "<li>");
        add_code(page, path->reasons[i]);
        html_add(page, "</li>\n");
    }
    html_add(page, "</ul>\n");
}

static void add_method(struct html_page *page, const struct gate_merge *merge)
{
    if (merge->first == NULL) {
        return;
    }
    const struct gate_result *r = &merge->first->result;
    html_add(page, "<footer>Instructions per call counted by callgrind (valgrind ");
    html_add_text(page, r->fingerprint.valgrind);
    html_add(page,
             "), median of %lld heap layout%s. Fails from %g %% more, or by one more allocation "
             "or system call per call; warns from %g %%. Own is what the project's own objects "
             "executed. Compilers: ",
             (long long)r->settings.layouts, r->settings.layouts == 1 ? "" : "s",
             (double)r->settings.fail_mpct / 1000, (double)r->settings.warn_mpct / 1000);
    for (size_t i = 0; i < r->fingerprint.producer_count; i++) {
        html_add(page, "%s", i > 0 ? "; " : "");
        add_code(page, r->fingerprint.producers[i]);
    }
    html_add(page, "</footer>\n");
}

bool ir_html(const struct gate_merge *merge, const char *style_sha256, struct html_page *page)
{
    const struct gate_path **paths = calloc(merge->path_count + 1, sizeof *paths);
    if (paths == NULL) {
        return false;
    }
    if (merge->path_count > 0) {
        memcpy(paths, merge->paths, merge->path_count * sizeof *paths);
    }
    gate_merge_rank(paths, merge->path_count);
    add_head(page, style_sha256);
    add_verdict(page, merge);
    add_slots(page, merge);
    html_add(page, "<table><thead><tr><th>path</th><th>verdict</th><th>base</th><th>head</th>"
                   "<th>change</th><th>own change</th><th>base allocs</th><th>head allocs</th>"
                   "<th>base syscalls</th><th>head syscalls</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < merge->path_count; i++) {
        add_row(page, paths[i]);
    }
    html_add(page, "</tbody></table>\n");
    for (size_t i = 0; i < merge->path_count; i++) {
        add_reasons(page, paths[i]);
    }
    add_method(page, merge);
    html_add(page, "</body></html>\n");
    free(paths);
    return !page->is_failed;
}
