// SPDX-License-Identifier: MIT
// Every comparison is made on integers by cross multiplication in 128 bits: a figure that lies
// exactly on a threshold is decided, not rounded.
#include "stats/judge.h"

#include "stats/median.h"

__extension__ typedef __int128 wide;

enum { MPCT_WHOLE = 100000 }; // thousandths of a percent in one

static const char *const verdict_names[IR_VERDICTS] = {
    "error", "incomparable", "new", "gone", "no budget", "FAIL", "WARN", "LOWER", "ok",
};

static const char *const class_names[IR_CLASSES] = {"none",    "equal",  "own",
                                                    "outside", "layout", "input"};

static const char *const overall_names[] = {"PASS", "FAIL", "INCOMPLETE"};

const char *ir_verdict_name(enum ir_verdict verdict)
{
    return verdict_names[verdict];
}

const char *ir_class_name(enum ir_class class)
{
    return class_names[class];
}

const char *ir_overall_name(enum ir_overall overall)
{
    return overall_names[overall];
}

double per_op_value(struct per_op figure)
{
    return (double)figure.num / (double)figure.den;
}

int per_op_compare(struct per_op a, struct per_op b)
{
    wide left = (wide)a.num * b.den;
    wide right = (wide)b.num * a.den;
    return (left > right) - (left < right);
}

int64_t per_op_delta_mpct(struct per_op head, struct per_op base)
{
    wide difference = (wide)head.num * base.den - (wide)base.num * head.den;
    wide unit = (wide)base.num * head.den;
    wide quotient = difference * MPCT_WHOLE / unit;
    return quotient > INT64_MAX ? INT64_MAX : (int64_t)quotient;
}

// Does head reach base plus `mpct` thousandths of a percent (mpct may be negative: head at or
// under base less as much)? Equal figures reach nothing.
static bool reaches(struct per_op head, struct per_op base, int64_t mpct)
{
    wide scaled_head = (wide)head.num * base.den * MPCT_WHOLE;
    wide bound = (wide)base.num * head.den * (MPCT_WHOLE + mpct);
    int order = per_op_compare(head, base);
    return mpct >= 0 ? order > 0 && scaled_head >= bound : order < 0 && scaled_head <= bound;
}

static struct per_op net(const struct ir_layout *l)
{
    return (struct per_op){l->total_ir - l->empty_ir, l->ops};
}

// All layouts of a side have the same ops, so medians can be taken of the integers.
struct ir_figures ir_figures(const struct ir_side *side)
{
    int64_t total[LAYOUTS_MAX], own[LAYOUTS_MAX];
    for (size_t i = 0; i < side->count; i++) {
        total[i] = net(&side->layouts[i]).num;
        own[i] = side->layouts[i].own_ir;
    }
    const struct ir_layout *at = &side->layouts[median_index(total, side->count)];
    const struct ir_layout *own_at = &side->layouts[median_index(own, side->count)];
    return (struct ir_figures){
        .total = net(at),
        .own = {own_at->own_ir, own_at->ops},
        .allocs = {at->allocs, at->ops},
        .syscalls = {at->syscalls, at->ops},
    };
}

static bool is_in_range(struct per_op head, const struct ir_side *base)
{
    bool above = false, below = false;
    for (size_t i = 0; i < base->count; i++) {
        int order = per_op_compare(head, net(&base->layouts[i]));
        above = above || order >= 0;
        below = below || order <= 0;
    }
    return above && below;
}

static bool is_known(struct per_op own)
{
    return own.num != OWN_UNKNOWN;
}

static bool same_own(const struct ir_figures *head, const struct ir_figures *base)
{
    return is_known(head->own) && is_known(base->own) && per_op_compare(head->own, base->own) == 0;
}

static bool same_counts(const struct ir_figures *head, const struct ir_figures *base)
{
    return per_op_compare(head->allocs, base->allocs) == 0 &&
           per_op_compare(head->syscalls, base->syscalls) == 0;
}

static enum ir_class classify(const struct ir_case *c, const struct ir_figures *head,
                              const struct ir_figures *base)
{
    if (c->reads_input) {
        return IR_INPUT;
    }
    bool own_moved = is_known(head->own) && is_known(base->own) && !same_own(head, base);
    if (own_moved || !same_counts(head, base)) {
        return IR_OWN;
    }
    if (per_op_compare(head->total, base->total) == 0) {
        return IR_EQUAL;
    }
    bool is_layout = same_own(head, base) && c->same_edges && c->only_libc_moved &&
                     is_in_range(head->total, c->base);
    return is_layout ? IR_LAYOUT : IR_OUTSIDE;
}

// One more per call, whole: a count that merely crept up warns.
static bool one_more(struct per_op head, struct per_op base)
{
    return (wide)head.num * base.den >= (wide)(base.num + base.den) * head.den;
}

static void weigh(struct ir_judgement *j, const struct ir_policy *policy)
{
    const struct ir_figures *head = &j->head_figures, *base = &j->base_figures;
    j->total_over_fail = reaches(head->total, base->total, policy->fail_mpct);
    j->total_over_warn = reaches(head->total, base->total, policy->warn_mpct);
    j->own_over_warn = is_known(head->own) && is_known(base->own) &&
                       reaches(head->own, base->own, policy->warn_mpct);
    j->allocs_up = per_op_compare(head->allocs, base->allocs) > 0;
    j->syscalls_up = per_op_compare(head->syscalls, base->syscalls) > 0;

    bool total_fails = j->total_over_fail && j->class != IR_LAYOUT;
    bool allocs_fail = one_more(head->allocs, base->allocs);
    bool syscalls_fail = one_more(head->syscalls, base->syscalls);
    bool refused = (total_fails && !policy->accept_total) ||
                   (allocs_fail && !policy->accept_allocs) ||
                   (syscalls_fail && !policy->accept_syscalls);
    bool fails = total_fails || allocs_fail || syscalls_fail;
    j->is_accepted = fails && !refused;
    if (refused) {
        j->verdict = IR_FAIL;
    } else if (fails || j->total_over_warn || j->own_over_warn || j->allocs_up || j->syscalls_up) {
        j->verdict = IR_WARN;
    } else if (reaches(head->total, base->total, -policy->warn_mpct)) {
        j->verdict = IR_LOWER;
    } else {
        j->verdict = IR_OK;
    }
}

struct ir_judgement ir_judge(const struct ir_case *c, const struct ir_policy *policy)
{
    struct ir_judgement j = {.verdict = IR_ERROR, .class = IR_NONE};
    if (c->head->count > 0) {
        j.head_figures = ir_figures(c->head);
    }
    if (c->base->count > 0) {
        j.base_figures = ir_figures(c->base);
    }
    if (c->is_error) {
        return j;
    }
    if (c->is_incomparable) {
        j.verdict = IR_INCOMPARABLE;
    } else if (c->is_gone) {
        j.verdict = IR_GONE;
        j.is_accepted = policy->accept_gone;
    } else if (!c->has_base) {
        j.verdict = IR_NO_BUDGET;
    } else if (c->base->count == 0) {
        j.verdict = IR_NEW;
    } else {
        j.class = classify(c, &j.head_figures, &j.base_figures);
        weigh(&j, policy);
    }
    return j;
}

static bool is_compared(enum ir_verdict verdict)
{
    return verdict == IR_FAIL || verdict == IR_WARN || verdict == IR_LOWER || verdict == IR_OK;
}

static bool is_unjudged(enum ir_verdict verdict)
{
    return verdict == IR_ERROR || verdict == IR_INCOMPARABLE || verdict == IR_NO_BUDGET;
}

static bool is_failed(const struct ir_outcome *outcome)
{
    return outcome->verdict == IR_FAIL || (outcome->verdict == IR_GONE && !outcome->is_accepted);
}

enum ir_overall ir_overall(const struct ir_outcome *outcomes, size_t count, bool is_proven,
                           bool *complete)
{
    bool failed = false, unjudged = false, compared = false;
    for (size_t i = 0; i < count; i++) {
        failed = failed || is_failed(&outcomes[i]);
        unjudged = unjudged || is_unjudged(outcomes[i].verdict);
        compared = compared || is_compared(outcomes[i].verdict);
    }
    *complete = is_proven && compared && !unjudged;
    return failed ? IR_FAILED : *complete ? IR_PASS : IR_INCOMPLETE;
}
