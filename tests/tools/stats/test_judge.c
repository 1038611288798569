// SPDX-License-Identifier: MIT
// The gate's rules at their edges. Expected values are worked out from the rules as written: FAIL
// at or over 1.0 %, WARN at or over 0.2 %, LOWER at or under minus 0.2 %, one more allocation or
// system call per call FAIL.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "stats/judge.h"
#include "stats/median.h"

static const struct ir_policy policy = {.fail_mpct = 1000, .warn_mpct = 200};

static struct ir_side side(int64_t total, int64_t own, int64_t allocs, int64_t syscalls)
{
    struct ir_side s = {.count = 1};
    s.layouts[0] = (struct ir_layout){0, 10, total + 78, own, allocs, syscalls, 78};
    return s;
}

static struct ir_judgement judge(const struct ir_side *head, const struct ir_side *base)
{
    struct ir_case c = {
        .head = head, .base = base, .has_base = true, .same_edges = true, .only_libc_moved = true};
    return ir_judge(&c, &policy);
}

Test(judge, thresholds_are_decided_on_integers)
{
    static const struct {
        int64_t head, base;
        enum ir_verdict verdict;
    } rows[] = {
        {101000, 100000, IR_FAIL},
        {100999, 100000, IR_WARN},
        {100200, 100000, IR_WARN},
        {100199, 100000, IR_OK},
        {100000, 100000, IR_OK},
        {99801, 100000, IR_OK},
        {99800, 100000, IR_LOWER},
        {98000, 100000, IR_LOWER},
        {1, 0, IR_FAIL},
        {0, 0, IR_OK},
        {0, 5, IR_LOWER},
        {1010100, 1000100, IR_WARN},
        {1010101, 1000100, IR_FAIL}, // base + 1 % is 1010101 exactly
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ir_side head = side(rows[i].head, rows[i].head, 0, 0);
        struct ir_side base = side(rows[i].base, rows[i].base, 0, 0);
        struct ir_judgement j = judge(&head, &base);
        cr_expect(eq(int, j.verdict, rows[i].verdict), "row %zu", i);
    }
}

Test(judge, one_more_allocation_fails_whatever_the_percentage)
{
    struct ir_side base = side(1000000, 1000, 20, 0);
    struct ir_side more = side(1000001, 1000, 30, 0);  // 2 -> 3 per call
    struct ir_side creep = side(1000001, 1000, 29, 0); // 2 -> 2.9
    struct ir_side fewer = side(1000001, 1000, 10, 0);
    struct ir_side calls = side(1000001, 1000, 20, 10); // 0 -> 1 system call
    cr_expect(eq(int, judge(&more, &base).verdict, IR_FAIL));
    cr_expect(eq(int, judge(&creep, &base).verdict, IR_WARN));
    cr_expect(eq(int, judge(&fewer, &base).verdict, IR_OK));
    cr_expect(eq(int, judge(&calls, &base).verdict, IR_FAIL));
    cr_expect(eq(int, judge(&more, &base).class, IR_OWN));
}

Test(judge, own_over_warn_is_a_warning_even_when_the_total_hides_it)
{
    struct ir_side base = side(1000000, 1000, 0, 0);
    struct ir_side head = side(1000010, 1010, 0, 0);
    cr_expect(eq(int, judge(&head, &base).verdict, IR_WARN));
}

static struct ir_side spread(int64_t low, int64_t middle, int64_t high)
{
    struct ir_side s = {.count = 3};
    int64_t totals[] = {middle, low, high};
    for (size_t i = 0; i < 3; i++) {
        s.layouts[i] = (struct ir_layout){(int64_t)i, 10, totals[i], 500, 10, 0, 0};
    }
    return s;
}

Test(judge, layout_excuses_only_libc_heap_or_string_code_inside_base_range)
{
    struct ir_side base = spread(10000, 10000, 10400);
    struct ir_side head = spread(10000, 10300, 10400); // +3 % of the median
    struct ir_case c = {.head = &head,
                        .base = &base,
                        .has_base = true,
                        .same_edges = true,
                        .only_libc_moved = true};
    cr_expect(eq(int, ir_judge(&c, &policy).class, IR_LAYOUT));
    cr_expect(eq(int, ir_judge(&c, &policy).verdict, IR_WARN));

    struct ir_case edges = c, code = c;
    edges.same_edges = false;
    code.only_libc_moved = false;
    cr_expect(eq(int, ir_judge(&edges, &policy).verdict, IR_FAIL));
    cr_expect(eq(int, ir_judge(&code, &policy).verdict, IR_FAIL));

    struct ir_side out = spread(10000, 10500, 10600); // over base's highest layout
    struct ir_case outside = c;
    outside.head = &out;
    cr_expect(eq(int, ir_judge(&outside, &policy).class, IR_OUTSIDE));
    cr_expect(eq(int, ir_judge(&outside, &policy).verdict, IR_FAIL));
}

Test(judge, unknown_own_leaves_the_total_alone_to_judge)
{
    struct ir_side base = side(100000, OWN_UNKNOWN, 0, 0);
    struct ir_side head = side(101000, OWN_UNKNOWN, 0, 0);
    cr_expect(eq(int, judge(&head, &base).verdict, IR_FAIL));
    cr_expect(eq(int, judge(&head, &base).class, IR_OUTSIDE));
}

Test(judge, acceptance_turns_its_own_metric_only)
{
    struct ir_side base = side(100000, 100, 0, 0), slow = side(105000, 100, 0, 0),
                   both = side(105000, 100, 10, 0);
    struct ir_policy accepting = policy;
    accepting.accept_total = true;
    struct ir_case c = {.head = &slow, .base = &base, .has_base = true};
    cr_expect(eq(int, ir_judge(&c, &accepting).verdict, IR_WARN));
    cr_expect(ir_judge(&c, &accepting).is_accepted);
    c.head = &both;
    cr_expect(eq(int, ir_judge(&c, &accepting).verdict, IR_FAIL));
}

Test(judge, order_of_verdicts)
{
    struct ir_side none = {.count = 0}, some = side(10, 10, 0, 0);
    struct ir_case c = {.head = &some, .base = &none, .has_base = true};
    cr_expect(eq(int, ir_judge(&c, &policy).verdict, IR_NEW));
    c.has_base = false;
    cr_expect(eq(int, ir_judge(&c, &policy).verdict, IR_NO_BUDGET));
    c.is_incomparable = true;
    cr_expect(eq(int, ir_judge(&c, &policy).verdict, IR_INCOMPARABLE));
    c.is_error = true;
    cr_expect(eq(int, ir_judge(&c, &policy).verdict, IR_ERROR));
    struct ir_case gone = {.head = &none, .base = &none, .has_base = true, .is_gone = true};
    cr_expect(eq(int, ir_judge(&gone, &policy).verdict, IR_GONE));
}

Test(judge, input_read_in_the_loop_names_the_class)
{
    struct ir_side base = side(100000, 100, 0, 0), head = side(101000, 101, 0, 0);
    struct ir_case c = {.head = &head, .base = &base, .has_base = true, .reads_input = true};
    cr_expect(eq(int, ir_judge(&c, &policy).class, IR_INPUT));
    cr_expect(eq(int, ir_judge(&c, &policy).verdict, IR_FAIL));
}

Test(judge, overall_never_passes_what_was_not_compared)
{
    static const struct {
        struct ir_outcome outcomes[2];
        size_t count;
        bool proven;
        enum ir_overall overall;
        bool complete;
    } rows[] = {
        {{{IR_OK, false}}, 1, true, IR_PASS, true},
        {{{IR_WARN, false}, {IR_LOWER, false}}, 2, true, IR_PASS, true},
        {{{IR_OK, false}, {IR_NEW, false}}, 2, true, IR_PASS, true},
        {{{IR_OK, false}, {IR_GONE, true}}, 2, true, IR_PASS, true},
        {{{IR_OK, false}, {IR_GONE, false}}, 2, true, IR_FAILED, true},
        {{{IR_FAIL, false}, {IR_ERROR, false}}, 2, true, IR_FAILED, false},
        {{{IR_OK, false}, {IR_ERROR, false}}, 2, true, IR_INCOMPLETE, false},
        {{{IR_OK, false}, {IR_INCOMPARABLE, false}}, 2, true, IR_INCOMPLETE, false},
        {{{IR_OK, false}, {IR_NO_BUDGET, false}}, 2, true, IR_INCOMPLETE, false},
        {{{IR_OK, false}}, 1, false, IR_INCOMPLETE, false},
        {{{IR_NEW, false}}, 1, true, IR_INCOMPLETE, false},
        {{{IR_OK, false}}, 0, true, IR_INCOMPLETE, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool complete = !rows[i].complete;
        enum ir_overall overall =
            ir_overall(rows[i].outcomes, rows[i].count, rows[i].proven, &complete);
        cr_expect(eq(int, overall, rows[i].overall), "row %zu", i);
        cr_expect(eq(int, complete, rows[i].complete), "row %zu", i);
    }
}

Test(judge, delta_is_cut_towards_zero)
{
    struct per_op base = {100000, 10};
    cr_expect(eq(i64, per_op_delta_mpct((struct per_op){100999, 10}, base), 999));
    cr_expect(eq(i64, per_op_delta_mpct((struct per_op){99001, 10}, base), -999));
    cr_expect(eq(i64, per_op_delta_mpct((struct per_op){202000, 20}, base), 1000));
}

Test(median, is_a_measured_value)
{
    int64_t odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, ties[] = {7, 7, 7};
    cr_expect(eq(sz, median_index(odd, 3), 2));
    cr_expect(eq(sz, median_index(even, 4), 3));
    cr_expect(eq(sz, median_index(ties, 3), 1));
}
