// SPDX-License-Identifier: MIT
// Each part has room of its own, so that a long one cannot crowd out those behind; the table has
// what the reasons leave.
#include "render/ir_markdown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/figure.h"
#include "render/html_parts.h"
#include "render/markdown.h"

enum { SHARDS_MARK = 12000, REASONS_MAX = 22000, TABLE_END = 60000, PRINTS_MAX = 8 };

// Takes back what was added since `len` when it is beyond `mark`.
static bool fits(struct html_page *page, size_t len, size_t mark)
{
    if (page->is_failed || page->len <= mark) {
        return true;
    }
    page->len = len;
    page->text[len] = '\0';
    return false;
}

static void add_commit(struct html_page *page, const char *side, const char *commit,
                       const struct gate_identity *who)
{
    html_add(page, "%s ", side);
    if (commit == NULL) {
        html_add(page, "unknown");
    } else {
        markdown_code(page, commit);
    }
    if (who != NULL && who->dirty_count > 0) {
        html_add(page, " with uncommitted changes");
    }
}

// Shards may run on unlike machines: each compares head and base on its own.
static void add_fingerprints(struct html_page *page, const struct gate_merge *merge)
{
    size_t shown = merge->print_count < PRINTS_MAX ? merge->print_count : PRINTS_MAX;
    for (size_t i = 0; i < shown; i++) {
        html_add(page, "%s", i == 0 ? ", fingerprint " : " and ");
        markdown_code(page, merge->prints[i].id);
    }
    if (shown < merge->print_count) {
        html_add(page, " and %zu more", merge->print_count - shown);
    }
}

static const char *other_side(const struct gate_merge *merge)
{
    static const char *const words[] = {"base", "the committed budgets", "itself, moved about"};
    return words[merge->first != NULL ? merge->first->result.mode : GATE_BASE];
}

static void add_verdict(struct html_page *page, const struct gate_merge *merge)
{
    char counts[GATE_COUNTS];
    const struct gate_shard *first = merge->first;
    gate_merge_counts(merge, counts);
    html_add(page, "**%s**%s: %s; ", ir_overall_name(merge->overall), gate_merge_remark(merge),
             counts[0] != '\0' ? counts : "no path");
    add_commit(page, "head", merge->head, first != NULL ? &first->result.head : NULL);
    if (first == NULL || first->result.mode == GATE_BASE) {
        html_add(page, " against ");
        add_commit(page, "base", merge->base, first != NULL ? &first->result.base : NULL);
    } else {
        html_add(page, " against %s", other_side(merge));
    }
    add_fingerprints(page, merge);
    html_add(page, "\n");
}

static void add_slot(struct html_page *page, const struct gate_slot *slot)
{
    char words[32] = "a report";
    if (slot->number != 0) {
        (void)snprintf(words, sizeof words, "shard %zu", slot->number);
    }
    html_add(page, "- ");
    if (slot->link[0] != '\0') {
        markdown_link(page, words, slot->link);
    } else {
        html_add(page, "%s", words);
    }
    if (slot->shard == NULL) {
        html_add(page, ": no result (");
        markdown_code(page, slot->reason.text);
        html_add(page, ")\n");
    } else {
        html_add(page, ": could not prove itself (");
        markdown_code(page, slot->shard->result.unproven.text);
        html_add(page, ")\n");
    }
}

static void add_slots(struct html_page *page, const struct gate_merge *merge)
{
    size_t shown = 0, cut = 0;
    for (size_t i = 0; i < merge->slot_count; i++) {
        const struct gate_slot *slot = &merge->slots[i];
        if (slot->shard != NULL && slot->shard->result.is_proven) {
            continue;
        }
        size_t len = page->len;
        html_add(page, "%s", shown == 0 ? "\n" : "");
        add_slot(page, slot);
        if (cut > 0 || !fits(page, len, SHARDS_MARK)) {
            page->len = len;
            cut++;
        }
        shown++;
    }
    if (cut > 0) {
        html_add(page, "- and %zu more\n", cut);
    }
}

static void add_per(struct html_page *page, bool known, struct per_op figure)
{
    char text[FIGURE_SIZE];
    html_add(page, " %s |", known ? figure_per(text, figure.num, figure.den) : "-");
}

static void add_change(struct html_page *page, const struct gate_path *path)
{
    char text[FIGURE_SIZE];
    const struct ir_judgement *j = &path->judgement;
    if (path->head.count == 0 || path->base.count == 0 || j->base_figures.total.num <= 0) {
        html_add(page, " - |");
        return;
    }
    int64_t delta = per_op_delta_mpct(j->head_figures.total, j->base_figures.total);
    html_add(page, " %s %% |", figure_fixed(text, delta, 3));
}

static void add_own_change(struct html_page *page, const struct gate_path *path)
{
    const struct per_op *h = &path->judgement.head_figures.own;
    const struct per_op *b = &path->judgement.base_figures.own;
    if (path->head.count == 0 || path->base.count == 0 || h->num == OWN_UNKNOWN ||
        b->num == OWN_UNKNOWN) {
        html_add(page, " - |");
    } else {
        html_add(page, " %+.2f |", per_op_value(*h) - per_op_value(*b));
    }
}

static void add_counts(struct html_page *page, const struct gate_path *path, struct per_op head,
                       struct per_op base)
{
    char text[FIGURE_SIZE];
    bool both = path->head.count > 0 && path->base.count > 0;
    if (both && per_op_compare(head, base) != 0) {
        html_add(page, " %s ->", figure_per(text, base.num, base.den));
    }
    add_per(page, path->head.count > 0, head);
}

static void add_row(struct html_page *page, const struct gate_path *path)
{
    const struct ir_judgement *j = &path->judgement;
    const char *word = ir_verdict_name(j->verdict);
    bool is_bad = j->verdict == IR_FAIL || (j->verdict == IR_GONE && !j->is_accepted);
    html_add(page, "| ");
    markdown_code(page, path->name);
    html_add(page, is_bad ? " | **%s**%s |" : " | %s%s |", word,
             j->is_accepted ? ", accepted" : "");
    add_per(page, path->base.count > 0, j->base_figures.total);
    add_per(page, path->head.count > 0, j->head_figures.total);
    add_change(page, path);
    add_own_change(page, path);
    add_counts(page, path, j->head_figures.allocs, j->base_figures.allocs);
    add_counts(page, path, j->head_figures.syscalls, j->base_figures.syscalls);
    html_add(page, "\n");
}

static void add_table(struct html_page *page, const struct gate_path *const *paths, size_t count,
                      size_t mark)
{
    if (count == 0) {
        return;
    }
    html_add(page, "\n| path | verdict | base | head | change | own change | allocs | syscalls |\n"
                   "|---|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < count; i++) {
        size_t len = page->len;
        add_row(page, paths[i]);
        if (!fits(page, len, mark)) {
            html_add(page, "\n%zu more paths are not shown, none of them worse than these.\n",
                     count - i);
            return;
        }
    }
}

// Why a path is not well: its error and what the gate found.
static void add_reasons(struct html_page *page, const struct gate_path *path)
{
    html_add(page, "\n");
    markdown_code(page, path->name);
    html_add(page, ", %s:\n", ir_verdict_name(path->judgement.verdict));
    if (path->is_error) {
        html_add(page, "- ");
        markdown_code(page, path->error.text);
        html_add(page, "\n");
    }
    for (size_t i = 0; i < path->reason_count; i++) {
        html_add(page, "- ");
        markdown_code(page, path->reasons[i]);
        html_add(page, "\n");
    }
}

static void add_all_reasons(struct html_page *page, const struct gate_path *const *paths,
                            size_t count)
{
    size_t cut = 0;
    for (size_t i = 0; i < count; i++) {
        size_t len = page->len;
        if (!paths[i]->is_error && paths[i]->reason_count == 0) {
            continue;
        }
        if (cut == 0) {
            add_reasons(page, paths[i]);
        }
        cut += cut > 0 || !fits(page, len, REASONS_MAX);
    }
    if (cut > 0) {
        html_add(page, "\nThe reasons of %zu more paths are not shown.\n", cut);
    }
}

static size_t count_own_limits(const struct gate_merge *merge)
{
    const struct gate_settings *s = &merge->first->result.settings;
    size_t count = 0;
    for (size_t i = 0; i < merge->path_count; i++) {
        const struct ir_policy *p = &merge->paths[i]->policy;
        count += p->fail_mpct != s->fail_mpct || p->warn_mpct != s->warn_mpct;
    }
    return count;
}

static void add_method(struct html_page *page, const struct gate_merge *merge)
{
    if (merge->first == NULL) {
        return;
    }
    const struct gate_result *r = &merge->first->result;
    size_t own = count_own_limits(merge);
    html_add(page, "\n<sub>Instructions per call counted by callgrind (valgrind ");
    markdown_code(page, r->fingerprint.valgrind);
    html_add(page,
             "), median of %lld heap layout%s, head against %s under the same conditions. A path "
             "fails from %g %% more, or by one more allocation or system call per call; it warns "
             "from %g %%.",
             (long long)r->settings.layouts, r->settings.layouts == 1 ? "" : "s", other_side(merge),
             (double)r->settings.fail_mpct / 1000, (double)r->settings.warn_mpct / 1000);
    if (own > 0) {
        html_add(page, " %zu path%s limits of %s own.", own, own == 1 ? " has" : "s have",
                 own == 1 ? "its" : "their");
    }
    html_add(page, " Own is what the project's own objects executed.");
    if (r->settings.accept_flags) {
        html_add(page, " Compilers and flags were allowed to differ.");
    }
    html_add(page, "</sub>\n");
}

bool ir_markdown(const struct gate_merge *merge, struct html_page *page)
{
    struct html_page reasons = {0};
    const struct gate_path **paths = calloc(merge->path_count + 1, sizeof *paths);
    if (paths == NULL) {
        return false;
    }
    if (merge->path_count > 0) {
        memcpy(paths, merge->paths, merge->path_count * sizeof *paths);
    }
    gate_merge_rank(paths, merge->path_count);
    add_verdict(page, merge);
    add_slots(page, merge);
    add_all_reasons(&reasons, paths, merge->path_count);
    add_table(page, paths, merge->path_count, TABLE_END - reasons.len);
    html_add(page, "%s", reasons.text != NULL ? reasons.text : "");
    add_method(page, merge);
    bool ok = !page->is_failed && !reasons.is_failed;
    free(reasons.text);
    free(paths);
    return ok;
}
