// SPDX-License-Identifier: MIT
// The base's manifest says what is too much and what was accepted; stats/judge.c says what that
// makes of the integers.
#include "ir_judging.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store/ir_budget.h"

enum { DATE_SIZE = 11 };

// An acceptance counts while it lasts and while the head is within its ceiling, if it has one.
static bool is_accepted(const struct manifest *manifest, const char *path,
                        enum manifest_metric metric, struct per_op head, const char *today)
{
    const struct manifest_accept *accept = manifest_accept_of(manifest, path, metric, today);
    return accept != NULL &&
           (!accept->has_max || per_op_compare(head, (struct per_op){accept->max, 1}) <= 0);
}

static struct ir_policy policy_for(const struct manifest *manifest, const struct gate_path *path,
                                   const char *today)
{
    struct manifest_limits limits = manifest_limits_of(manifest, path->name);
    struct ir_policy policy = {
        .fail_mpct = limits.fail_mpct,
        .warn_mpct = limits.warn_mpct,
        .accept_gone = manifest_accept_of(manifest, path->name, MANIFEST_GONE, today) != NULL,
    };
    if (path->head.count > 0) {
        struct ir_figures head = ir_figures(&path->head);
        policy.accept_total = is_accepted(manifest, path->name, MANIFEST_TOTAL, head.total, today);
        policy.accept_allocs =
            is_accepted(manifest, path->name, MANIFEST_ALLOCS, head.allocs, today);
        policy.accept_syscalls =
            is_accepted(manifest, path->name, MANIFEST_SYSCALLS, head.syscalls, today);
    }
    return policy;
}

// Which limit was reached, before the functions that reached it.
static void note_limits(struct gate_path *path, const struct ir_policy *policy)
{
    const struct ir_judgement *j = &path->judgement;
    const struct ir_figures *head = &j->head_figures, *base = &j->base_figures;
    if (j->verdict != IR_FAIL && j->verdict != IR_WARN) {
        return;
    }
    if (j->total_over_fail || j->total_over_warn) {
        int64_t limit = j->total_over_fail ? policy->fail_mpct : policy->warn_mpct;
        gate_reason(path, "total %+g instructions per call, at or over %g %% more",
                    per_op_value(head->total) - per_op_value(base->total), (double)limit / 1000);
    }
    if (j->own_over_warn) {
        gate_reason(path, "own %+g instructions per call, at or over %g %% more",
                    per_op_value(head->own) - per_op_value(base->own),
                    (double)policy->warn_mpct / 1000);
    }
    if (j->allocs_up) {
        gate_reason(path, "allocations per call %g -> %g", per_op_value(base->allocs),
                    per_op_value(head->allocs));
    }
    if (j->syscalls_up) {
        gate_reason(path, "system calls per call %g -> %g", per_op_value(base->syscalls),
                    per_op_value(head->syscalls));
    }
}

static void note_acceptance(const struct manifest *manifest, struct gate_path *path,
                            const char *today)
{
    static const enum manifest_metric metrics[] = {MANIFEST_TOTAL, MANIFEST_ALLOCS,
                                                   MANIFEST_SYSCALLS, MANIFEST_GONE};
    for (size_t i = 0; path->judgement.is_accepted && i < sizeof metrics / sizeof metrics[0]; i++) {
        const struct manifest_accept *accept =
            manifest_accept_of(manifest, path->name, metrics[i], today);
        if (accept != NULL) {
            gate_reason(path, "accepted until %s (%s): %.200s", accept->expires,
                        manifest_metric_word(metrics[i]), accept->reason);
        }
    }
}

// A program set against itself: where it moved.
static void note_moves(bool heap_moved, struct gate_path *path)
{
    for (size_t i = 0; i < path->head.count && i < path->base.count; i++) {
        const struct ir_layout *h = &path->head.layouts[i], *b = &path->base.layouts[i];
        if (!gate_is_still(path, i, heap_moved)) {
            gate_reason(path,
                        "layout %d: moved about, %lld calls cost %+lld instructions, own %+lld",
                        (int)b->layout, (long long)h->ops, (long long)(h->total_ir - b->total_ir),
                        (long long)(h->own_ir - b->own_ir));
        }
    }
}

// With budgets the other side is a committed row, recorded under conditions that agree.
static bool take_budget(const struct ir_bench *bench, const struct gate_result *result,
                        struct gate_path *path, struct ir_case *c, struct fault *fault)
{
    bool ok;
    const struct budget_entry *entry =
        ir_budget_entry(bench->budget, &result->fingerprint, &ok, fault);
    c->has_base = ok && ir_budget_side(entry, path->name, &path->base);
    return ok;
}

static bool judge_path(const struct ir_bench *bench, struct gate_result *result, size_t index,
                       const struct fault *difference, const char *today, struct fault *fault)
{
    struct gate_path *path = &result->paths[index];
    struct ir_case c = {.has_base = true, .is_incomparable = difference != NULL};
    if (!gate_run_case(bench->gate, index, &c, fault) ||
        (bench->budget != NULL && !take_budget(bench, result, path, &c, fault))) {
        return false;
    }
    path->facts = c;
    path->policy = policy_for(bench->manifest, path, today);
    path->judgement = gate_judge(path, result->mode, bench->heap_moved);
    if (path->judgement.verdict == IR_INCOMPARABLE) {
        gate_reason(path, "%s", difference->text);
    }
    note_limits(path, &path->policy);
    note_acceptance(bench->manifest, path, today);
    if (result->mode == GATE_SELF_TEST) {
        note_moves(bench->heap_moved, path);
    }
    return true;
}

static void today_text(char out[DATE_SIZE])
{
    time_t now = time(NULL);
    struct tm day;
    if (gmtime_r(&now, &day) == NULL || strftime(out, DATE_SIZE, "%Y-%m-%d", &day) == 0) {
        (void)snprintf(out, DATE_SIZE, "9999-12-31"); // no clock, no acceptance
    }
}

// Nothing but new paths, soundly measured: what the first pull request with a subject looks like.
static bool is_only_new(const struct gate_result *result, const struct ir_outcome *outcomes)
{
    for (size_t i = 0; i < result->path_count; i++) {
        if (outcomes[i].verdict != IR_NEW) {
            return false;
        }
    }
    return result->is_proven;
}

static bool judge_paths(const struct ir_bench *bench, struct gate_result *result,
                        struct ir_outcome *outcomes, struct fault *fault)
{
    struct fault difference;
    bool comparable = gate_run_comparable(bench->gate, bench->accept_flags, &difference);
    char today[DATE_SIZE];
    today_text(today);
    for (size_t i = 0; i < result->path_count; i++) {
        if (!judge_path(bench, result, i, comparable ? NULL : &difference, today, fault)) {
            return false;
        }
        outcomes[i] = (struct ir_outcome){result->paths[i].judgement.verdict,
                                          result->paths[i].judgement.is_accepted};
    }
    result->overall =
        ir_overall(outcomes, result->path_count, result->is_proven, &result->complete);
    result->is_adoption = result->is_adoption && is_only_new(result, outcomes);
    return true;
}

bool ir_judge_all(const struct ir_bench *bench, struct gate_result *result, struct fault *fault)
{
    struct ir_outcome *outcomes = calloc(result->path_count, sizeof *outcomes);
    bool *wanted = calloc(result->path_count, sizeof *wanted);
    bool ok = (outcomes != NULL && wanted != NULL) || fault_set(fault, "out of memory");
    ok = ok && judge_paths(bench, result, outcomes, fault);
    for (size_t i = 0; ok && i < result->path_count; i++) {
        wanted[i] = bench->explain_all || outcomes[i].verdict == IR_FAIL;
    }
    ok = ok && gate_run_explain(bench->gate, wanted, fault);
    free(outcomes);
    free(wanted);
    return ok;
}
