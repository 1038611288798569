// SPDX-License-Identifier: MIT
// Whether a whole count can be believed: the loop made its calls, the layouts put out the same, and
// what other threads did is not the figure.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>

#include "measure/gate_inside.h"
#include "same.h"

TestSuite(test_gate_trust);

static struct fault fault;

// 5 instructions a call and 13 around them.
static const struct gate_side side = {
    .loop = {.object = "exe", .name = "loop", .per_call = 5, .fixed = 13}};

Test(test_gate_trust, a_loop_that_cost_anything_else_did_not_make_its_calls)
{
    static const struct {
        int64_t loop_ir;
        bool holds;
    } rows[] = {{5013, true}, {5012, false}, {5014, false}, {5008, false}, {0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct gate_window window = {.loop_ir = rows[i].loop_ir};
        cr_expect(eq(int, gate_loop_holds(&side, &window, 1000, &fault), rows[i].holds));
        cr_expect(rows[i].holds || strstr(fault.text, "instead of 5013") != NULL, "%s", fault.text);
    }
    const struct gate_side unknown = {.loop = {.per_call = 0}};
    const struct gate_window window = {.loop_ir = 1};
    cr_expect(gate_loop_holds(&unknown, &window, 1000, &fault));
}

Test(test_gate_trust, the_loop_is_who_makes_all_calls_of_the_empty_path)
{
    struct profile_object objects[] = {{"/lib/x.so", "x.so", 1}, {"/exe", "exe", 1}};
    struct profile_function functions[] = {{.object = 0, .name = "loop", .self_ir = 7},
                                           {.object = 1, .name = "empty", .self_ir = 1000},
                                           {.object = 1, .name = "loop", .self_ir = 5013},
                                           {.object = 1, .name = "windows", .self_ir = 9}};
    struct profile_edge edges[] = {{3, 2, 1, 6013}, {2, 1, 1000, 1000}};
    const struct profile profile = {.objects = objects,
                                    .object_count = 2,
                                    .functions = functions,
                                    .function_count = 4,
                                    .edges = edges,
                                    .edge_count = 2};
    struct gate_side learning = {.loop = {.per_call = 0}};
    cr_expect(eq(i64, gate_loop_ir(&learning, &profile), 0));
    gate_loop_learn(&learning, &profile, 999);
    SAME(learning.loop.name, "");
    gate_loop_learn(&learning, &profile, 1000);
    SAME(learning.loop.name, "loop");
    SAME(learning.loop.object, "exe");
    cr_expect(eq(i64, gate_loop_ir(&learning, &profile), 5013));
}

Test(test_gate_trust, work_of_other_threads_is_all_but_the_first)
{
    struct profile_thread threads[] = {
        {.id = 1, .total_ir = 100}, {.id = 2, .total_ir = 20}, {.id = 7, .total_ir = 3}};
    const struct profile profile = {.threads = threads, .thread_count = 3};
    cr_expect(eq(i64, gate_beside_ir(&profile), 23));
    const struct profile alone = {.threads = threads, .thread_count = 1};
    cr_expect(eq(i64, gate_beside_ir(&alone), 0));
}

// Windows of 500 and 1,000 calls with `n1` and `n2` instructions of other threads.
static void note(struct gate_trust *trust, const struct count_result *counted, int64_t n1,
                 int64_t n2)
{
    const struct gate_window first = {.total_ir = 500000, .beside_ir = n1};
    const struct gate_window second = {.total_ir = 1000000, .beside_ir = n2};
    gate_trust_note(trust, counted, &first, &second);
}

Test(test_gate_trust, other_threads_may_work_but_not_by_chance)
{
    static const struct {
        int64_t n1, n2[3];
        size_t layouts;
        bool holds;
    } rows[] = {
        {0, {0}, 1, true},
        {100000, {200000}, 1, true}, // as much for each call
        {100000, {201999}, 1, true}, // 0.2 % of a million is 2,000
        {100000, {202000}, 1, false},
        {100000, {198000}, 1, false},
        {0, {900000}, 1, false},
        {0, {900000, 900000, 900000}, 3, true}, // the first window is another story
        {450000, {900000, 901999, 900000}, 3, true},
        {450000, {900000, 902000, 900000}, 3, false},
        {450000, {900000, 900000, 898000}, 3, false},
    };
    const struct count_result counted = {.n1 = 500, .n2 = 1000};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gate_trust trust = {.count = 0};
        for (size_t k = 0; k < rows[i].layouts; k++) {
            note(&trust, &counted, rows[i].n1, rows[i].n2[k]);
        }
        cr_expect(eq(int, gate_trust_holds(&trust, &fault), rows[i].holds), "row %zu", i);
        cr_expect(rows[i].holds || strstr(fault.text, "other threads ran beside") != NULL);
    }
}

Test(test_gate_trust, a_digest_that_hangs_on_the_heap_is_no_digest)
{
    struct count_result counted[3] = {
        {.layout = 0, .n1 = 500, .n2 = 1000, .digest = "00000000000000ff"},
        {.layout = 1, .n1 = 500, .n2 = 1000, .digest = "00000000000000ff"},
        {.layout = 4, .n1 = 500, .n2 = 1000, .digest = "00000000000000fe"}};
    struct gate_trust trust = {.count = 0};
    note(&trust, &counted[0], 0, 0);
    note(&trust, &counted[1], 0, 0);
    cr_expect(gate_trust_holds(&trust, &fault));
    note(&trust, &counted[2], 0, 0);
    cr_expect(not(gate_trust_holds(&trust, &fault)));
    cr_expect(strstr(fault.text, "ff at layout 0 and 00000000000000fe at layout 4") != NULL, "%s",
              fault.text);
}
