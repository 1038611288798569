// SPDX-License-Identifier: MIT
// Planted changes found again in real dumps, and the arithmetic on made ones.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "callgrind_sample.h"
#include "measure/attribution.h"

// Compares windows; the result's strings live as long as the dumps.
static struct attribution compare(const struct profile *head, uint64_t head_ops,
                                  const struct profile *base, uint64_t base_ops)
{
    struct attribution result;
    struct fault fault = {""};
    const struct attribution_side head_side = {head, head_ops};
    const struct attribution_side base_side = {base, base_ops};
    cr_assert(attribution_make(&head_side, &base_side, &result, &fault), "%s", fault.text);
    return result;
}

// The reason that begins with "name: "; none ends the test.
static void expect_reason(const struct attribution *result, const char *reason)
{
    char text[ATTRIBUTION_TEXT];
    size_t name = strcspn(reason, ":");
    for (size_t i = 0; i < result->count; i++) {
        attribution_reason(result, i, text, sizeof text);
        if (strncmp(text, reason, name + 1) == 0) {
            sample_same(text, reason);
            return;
        }
    }
    cr_assert(0, "no reason like '%s'", reason);
}

Test(attribution, planted_changes_are_found_with_their_counts_callers_and_lines)
{
    struct callgrind_dump base = sample_read("table_base", "/fixture/base/loop");
    struct callgrind_dump head = sample_read("table_head", "/fixture/head/loop");
    // n2 against n2, and n1 against n2: the same work per op.
    struct attribution same = compare(&head.windows[1], 20, &base.windows[1], 20);
    cr_assert(eq(sz, same.count, 5));
    expect_reason(&same,
                  "hash: called +1 per op from ht_get, 44 instructions each (fixture_table.c:26)");
    expect_reason(
        &same,
        "audit: new, called 0.5 per op from op_htab, 4 instructions each (fixture_table.c:50)");
    expect_reason(&same, "old_check: no longer called, was 1 per op from op_htab, 4 instructions "
                         "each (fixture_table.c:55)");
    expect_reason(&same, "ht_get: same calls, +6 instructions each (fixture_table.c:37)");
    sample_same(same.functions[0].name, "op_htab");
    cr_assert(ge(i64, attribution_delta(&same, 0).total_centi, 100000)); // 1,000 nops
    sample_same(same.functions[1].name, "hash");
    cr_assert(not(attribution_only_libc_heap_or_string(&same)));
    struct attribution other = compare(&head.windows[0], 10, &base.windows[1], 20);
    for (size_t i = 0; i < same.count; i++) {
        char text[ATTRIBUTION_TEXT];
        attribution_reason(&same, i, text, sizeof text);
        expect_reason(&other, text);
    }
    attribution_release(&other);
    attribution_release(&same);
    callgrind_release(&head);
    callgrind_release(&base);
}

Test(attribution, the_deltas_of_all_functions_add_up_to_the_window)
{
    struct callgrind_dump base = sample_read("table_base", "/fixture/base/loop");
    struct callgrind_dump head = sample_read("table_head", "/fixture/head/loop");
    struct attribution result = compare(&head.windows[1], 20, &base.windows[1], 20);
    int64_t sum = 0;
    for (size_t i = 0; i < result.count; i++) {
        struct attribution_delta delta = attribution_delta(&result, i);
        cr_assert(eq(i64, delta.total_centi, delta.by_calls_centi + delta.by_cost_centi));
        sum += delta.total_centi;
    }
    // In hundredths per op; 20 ops make each one of them a multiple of 5.
    cr_assert(eq(i64, sum, (int64_t)(head.windows[1].total_ir - base.windows[1].total_ir) * 5));
    attribution_release(&result);
    callgrind_release(&head);
    callgrind_release(&base);
}

Test(attribution, equal_windows_have_no_reasons)
{
    struct callgrind_dump base = sample_read("table_base", NULL);
    struct attribution result = compare(&base.windows[1], 20, &base.windows[1], 20);
    cr_assert(eq(sz, result.count, 0));
    cr_assert(attribution_only_libc_heap_or_string(&result));
    attribution_release(&result);
    callgrind_release(&base);
}

#define F                "ob=/x/exe\nfl=/d/a.c\nfn=f\n"
#define G                "ob=/x/exe\nfl=/d/b.c\nfn=g\n"
#define LIBC(name, cost) "ob=/lib/libc.so.6\nfl=???\nfn=" name "\n0 " #cost "\n"

struct window {
    const char *records;
    uint64_t total, ops;
};

static const struct {
    struct window head, base;
    const char *reason; // of the first function; NULL: nothing moved
    int64_t total_centi, by_calls_centi;
} rows[] = {
    // the same rates in windows of different length
    {{F "1 10\ncfi=/d/b.c\ncfn=g\ncalls=4 1\n1 4\n" G "1 8\n", 18, 2},
     {F "1 20\ncfi=/d/b.c\ncfn=g\ncalls=8 1\n1 4\n" G "1 16\n", 36, 4},
     NULL,
     0,
     0},
    // more calls
    {{F "1 10\ncfi=/d/b.c\ncfn=g\ncalls=30 1\n1 4\n" G "5 300\n", 310, 10},
     {F "1 10\ncfi=/d/b.c\ncfn=g\ncalls=20 1\n1 4\n" G "5 200\n", 210, 10},
     "g: called +1 per op from f, 10 instructions each (b.c:5)",
     1000,
     1000},
    // fewer calls, dearer ones: 3 -> 1 a call, 2 -> 12 each
    {{F "1 10\ncfi=/d/b.c\ncfn=g\ncalls=1 1\n1 4\n" G "5 12\n", 22, 1},
     {F "1 10\ncfi=/d/b.c\ncfn=g\ncalls=3 1\n1 4\n" G "5 6\n", 16, 1},
     "g: called -2 per op from f, 2 -> 12 instructions each (b.c:5)",
     600,
     -400},
    // dearer, and the line that grew although all lines moved down by three
    {{F "1 7\ncfi=/d/b.c\ncfn=g\ncalls=7 1\n1 4\n" G "8 14\n9 21\n10 70\n11 7\n", 119, 7},
     {F "1 7\ncfi=/d/b.c\ncfn=g\ncalls=7 1\n1 4\n" G "5 14\n6 21\n7 35\n8 7\n", 84, 7},
     "g: same calls, +5 instructions each (b.c:10)",
     500,
     0},
    // a line of its own was added in the middle
    {{F "1 7\ncfi=/d/b.c\ncfn=g\ncalls=7 1\n1 4\n" G "5 14\n6 21\n7 5\n8 35\n9 7\n", 89, 7},
     {F "1 7\ncfi=/d/b.c\ncfn=g\ncalls=7 1\n1 4\n" G "5 14\n6 21\n7 35\n8 7\n", 84, 7},
     "g: same calls, +0.71 instructions each (b.c:7)",
     71,
     0},
    // a line was added in front that costs what the last line costs
    {{F "1 7\ncfi=/d/b.c\ncfn=g\ncalls=7 1\n1 4\n" G "4 7\n5 14\n6 21\n7 7\n", 56, 7},
     {F "1 7\ncfi=/d/b.c\ncfn=g\ncalls=7 1\n1 4\n" G "5 14\n6 21\n7 7\n", 49, 7},
     "g: same calls, +1 instructions each (b.c:4)",
     100,
     0},
    // code went away
    {{F "1 7\ncfi=/d/b.c\ncfn=g\ncalls=7 1\n1 4\n" G "5 14\n6 7\n", 28, 7},
     {F "1 7\ncfi=/d/b.c\ncfn=g\ncalls=7 1\n1 4\n" G "5 14\n6 21\n7 7\n", 49, 7},
     "g: same calls, -3 instructions each (b.c:6)",
     -300,
     0},
    // thirds are rounded, not cut
    {{F "1 3\ncfi=/d/b.c\ncfn=g\ncalls=3 1\n1 4\n" G "5 32\n", 35, 3},
     {F "1 3\ncfi=/d/b.c\ncfn=g\ncalls=3 1\n1 4\n" G "5 30\n", 33, 3},
     "g: same calls, +0.67 instructions each (b.c:5)",
     67,
     0},
    // what is too little to be seen is not called nothing
    {{F "1 3000\ncfi=/d/b.c\ncfn=g\ncalls=3000 1\n1 4\n" G "5 3001\n", 6001, 3000},
     {F "1 3000\ncfi=/d/b.c\ncfn=g\ncalls=3000 1\n1 4\n" G "5 3000\n", 6000, 3000},
     "g: same calls, +<0.01 instructions each (b.c:5)",
     0,
     0},
    // running when the window opened, so never called
    {{F "1 30\n", 30, 2}, {F "1 25\n", 25, 2}, "f: +2.5 instructions per op (a.c:1)", 250, 0},
    {{F "1 30\n" G "2 8\n", 38, 2},
     {F "1 30\n", 30, 2},
     "g: new, +4 instructions per op (b.c:2)",
     400,
     0},
    {{F "1 30\n", 30, 2},
     {F "1 30\n" G "2 8\n", 38, 2},
     "g: gone, -4 instructions per op (b.c:2)",
     -400,
     0},
    // its first instruction is a header's
    {{"ob=/x/exe\nfl=/d/num.h\nfn=f\n11 30\nfi=/d/a.c\n52 6\n51 6\ncfi=/d/num.h\ncfn=f\ncalls=3 "
      "11\n51 1\n",
      42, 1},
     {"ob=/x/exe\nfl=/d/num.h\nfn=f\n11 20\nfi=/d/a.c\n52 4\n51 4\ncfi=/d/num.h\ncfn=f\ncalls=2 "
      "11\n51 1\n",
      28, 1},
     "f: called +1 per op from itself, 14 instructions each (a.c:51)",
     1400,
     1400},
    // recursion
    {{F "1 2\ncfn=f'2\ncalls=2 1\n1 1\nfn=f'2\n1 8\ncfn=f'2\ncalls=2 1\n1 1\n", 10, 2},
     {F "1 2\ncfn=f'2\ncalls=2 1\n1 1\nfn=f'2\n1 2\n", 4, 2},
     "f: called +1 per op from itself, 2 -> 2.5 instructions each (a.c:1)",
     300,
     200},
    // a name no terminal should get to see
    {{"ob=/x/exe\nfl=\x1b[1m.c\nfn=\x1b]0;f\x07\n1 30\n", 30, 2},
     {"ob=/x/exe\nfl=\x1b[1m.c\nfn=\x1b]0;f\x07\n1 25\n", 25, 2},
     "?]0;f?: +2.5 instructions per op (?[1m.c:1)",
     250,
     0},
};

static struct callgrind_dump read_window(const struct window *window)
{
    char text[2048];
    struct fault fault = {""};
    struct callgrind_dump dump;
    sample_window(text, sizeof text, window->records, window->total);
    cr_assert(sample_parse(text, &dump, &fault), "%s", fault.text);
    return dump;
}

Test(attribution, a_change_is_split_into_calls_and_cost)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct callgrind_dump head = read_window(&rows[i].head);
        struct callgrind_dump base = read_window(&rows[i].base);
        struct attribution result =
            compare(&head.windows[1], rows[i].head.ops, &base.windows[1], rows[i].base.ops);
        if (rows[i].reason == NULL) {
            cr_assert(eq(sz, result.count, 0));
        } else {
            char text[ATTRIBUTION_TEXT];
            cr_assert(ge(sz, result.count, 1));
            attribution_reason(&result, 0, text, sizeof text);
            sample_same(text, rows[i].reason);
            struct attribution_delta delta = attribution_delta(&result, 0);
            cr_assert(delta.total_centi == rows[i].total_centi, "row %zu", i);
            cr_assert(delta.by_calls_centi == rows[i].by_calls_centi, "row %zu", i);
        }
        attribution_release(&result);
        callgrind_release(&head);
        callgrind_release(&base);
    }
}

Test(attribution, the_largest_change_comes_first_whichever_its_sign)
{
    struct callgrind_dump head =
        read_window(&(struct window){F "1 10\nfn=a\n1 20\nfn=b\n1 5\nfn=c\n1 31\n", 66, 1});
    struct callgrind_dump base =
        read_window(&(struct window){F "1 10\nfn=a\n1 10\nfn=b\n1 50\nfn=c\n1 30\n", 100, 1});
    struct attribution result = compare(&head.windows[1], 1, &base.windows[1], 1);
    cr_assert(eq(sz, result.count, 3));
    sample_same(result.functions[0].name, "b");
    sample_same(result.functions[1].name, "a");
    sample_same(result.functions[2].name, "c");
    attribution_release(&result);
    callgrind_release(&head);
    callgrind_release(&base);
}

Test(attribution, callers_are_those_whose_calls_changed_most)
{
    struct callgrind_dump head = read_window(
        &(struct window){F "1 1\ncfn=g\ncalls=100 1\n1 1\nfn=p\n1 1\ncfn=g\ncalls=9 1\n1 1\n"
                           "fn=q\n1 1\ncfn=g\ncalls=5 1\n1 1\nfn=g\n1 300\n",
                         303, 1});
    struct callgrind_dump base = read_window(
        &(struct window){F "1 1\ncfn=g\ncalls=100 1\n1 1\nfn=p\n1 1\ncfn=g\ncalls=2 1\n1 1\n"
                           "fn=q\n1 1\nfn=r\n1 1\ncfn=g\ncalls=3 1\n1 1\nfn=g\n1 300\n",
                         304, 1});
    struct attribution result = compare(&head.windows[1], 1, &base.windows[1], 1);
    cr_assert(ge(sz, result.count, 1));
    for (size_t i = 0; i < result.count; i++) {
        if (strcmp(result.functions[i].name, "g") == 0) {
            const struct attribution_function *g = &result.functions[i];
            cr_assert(eq(sz, g->caller_count, 3));
            sample_same(g->callers[0].name, "p");
            cr_assert(eq(u64, g->callers[0].head_calls, 9));
            cr_assert(eq(u64, g->callers[0].base_calls, 2));
            sample_same(g->callers[1].name, "q");
            sample_same(g->callers[2].name, "r");
            cr_assert(eq(u64, g->callers[2].base_calls, 3));
            char text[ATTRIBUTION_TEXT];
            attribution_reason(&result, i, text, sizeof text);
            cr_assert(strstr(text, "from p and q, 2.86 -> 2.63 instructions") != NULL, "%s", text);
        }
    }
    attribution_release(&result);
    callgrind_release(&head);
    callgrind_release(&base);
}

Test(attribution, only_the_allocator_and_string_code_of_the_c_library_is_excused)
{
    static const struct {
        struct window head;
        bool is_excused;
    } cases[] = {
        {{F "1 9\n" LIBC("_int_free", 12) LIBC("__strcmp_avx2", 7), 28, 1}, true},
        {{F "1 9\n" LIBC("_int_free", 10) LIBC("__strcmp_avx2", 7), 26, 1}, true},
        {{F "1 10\n" LIBC("_int_free", 12) LIBC("__strcmp_avx2", 5), 27, 1}, false},
        {{F "1 9\n" LIBC("_int_free", 10) LIBC("__strcmp_avx2", 5) LIBC("qsort", 1), 25, 1}, false},
        {{F "1 9\nfn=_int_free\n1 2\n" LIBC("_int_free", 10) LIBC("__strcmp_avx2", 5), 26, 1},
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct callgrind_dump head = read_window(&cases[i].head);
        struct callgrind_dump base = read_window(
            &(struct window){F "1 9\n" LIBC("_int_free", 10) LIBC("__strcmp_avx2", 5), 24, 1});
        struct attribution result = compare(&head.windows[1], 1, &base.windows[1], 1);
        cr_assert(ge(sz, result.count, 1));
        cr_assert(attribution_only_libc_heap_or_string(&result) == cases[i].is_excused, "case %zu",
                  i);
        attribution_release(&result);
        callgrind_release(&head);
        callgrind_release(&base);
    }
}

Test(attribution, huge_counts_neither_wrap_nor_overflow)
{
    struct callgrind_dump head = read_window(&(struct window){
        F "1 1\ncfn=g\ncalls=18446744073709551615 1\n1 1\nfn=g\n1 18446744073709551000\n",
        UINT64_C(18446744073709551001), 1});
    struct callgrind_dump base =
        read_window(&(struct window){F "1 1\ncfn=g\ncalls=1 1\n1 1\nfn=g\n1 1\n", 2, 1});
    struct attribution result = compare(&head.windows[1], 1, &base.windows[1], 4294967295);
    struct attribution_delta delta = attribution_delta(&result, 0);
    char text[ATTRIBUTION_TEXT];
    cr_assert(eq(i64, delta.total_centi, INT64_MAX)); // saturated
    attribution_reason(&result, 0, text, sizeof text);
    cr_assert(strstr(text, "from f, 1 instructions each") != NULL, "%s", text);
    attribution_release(&result);
    result = compare(&base.windows[1], 4294967295, &head.windows[1], 1);
    cr_assert(eq(i64, attribution_delta(&result, 0).total_centi, -INT64_MAX));
    attribution_release(&result);
    callgrind_release(&head);
    callgrind_release(&base);
}

Test(attribution, a_reason_fits_its_buffer_whatever_the_names)
{
    char records[2048];
    char name[600];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    (void)snprintf(records, sizeof records, "ob=/x/exe\nfl=a.c\nfn=%s\n1 30\n", name);
    struct callgrind_dump head = read_window(&(struct window){records, 30, 1});
    struct callgrind_dump base = read_window(&(struct window){F "1 1\n", 1, 1});
    struct attribution result = compare(&head.windows[1], 1, &base.windows[1], 1);
    for (size_t size = 0; size <= ATTRIBUTION_TEXT; size++) {
        char text[ATTRIBUTION_TEXT + 1];
        memset(text, '#', sizeof text);
        attribution_reason(&result, 0, text, size);
        cr_assert(text[size] == '#');
        cr_assert(size == 0 || strlen(text) < size);
    }
    attribution_release(&result);
    callgrind_release(&head);
    callgrind_release(&base);
}

Test(attribution, windows_without_ops_are_refused)
{
    struct attribution result;
    struct fault fault = {""};
    struct callgrind_dump base = sample_read("table_base", NULL);
    const struct attribution_side good = {&base.windows[0], 10};
    const struct attribution_side none = {&base.windows[0], 0};
    const struct attribution_side many = {&base.windows[0], UINT64_C(4294967296)};
    cr_assert(not(attribution_make(&good, &none, &result, &fault)));
    cr_assert(not(attribution_make(&none, &good, &result, &fault)));
    cr_assert(not(attribution_make(&many, &good, &result, &fault)));
    cr_assert(result.functions == NULL);
    callgrind_release(&base);
}
