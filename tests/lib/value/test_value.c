// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include <cachekit/value.h>

Test(value, numbers_have_one_node)
{
    cr_assert(eq(uint, cachekit_value_u64(0).type, CACHEKIT_INT));
    cr_assert(eq(uint, cachekit_value_u64(INT64_MAX).type, CACHEKIT_INT));
    cr_assert(eq(uint, cachekit_value_u64((uint64_t)INT64_MAX + 1).type, CACHEKIT_UINT));
    cachekit_value a = cachekit_value_u64(7), b = cachekit_value_i64(7);
    cr_assert(cachekit_value_equal(&a, &b));
}

Test(value, reads_integers_that_fit)
{
    cachekit_value low = cachekit_value_i64(INT64_MIN), minus = cachekit_value_i64(-1),
                   high = cachekit_value_u64(UINT64_MAX), zero = cachekit_value_i64(0);
    int64_t i = 5;
    uint64_t u = 5;
    cr_assert(cachekit_value_to_i64(&low, &i) && i == INT64_MIN);
    cr_assert(cachekit_value_to_u64(&high, &u) && u == UINT64_MAX);
    cr_assert(cachekit_value_to_u64(&zero, &u) && u == 0);
    i = 5, u = 5;
    cr_assert(cachekit_value_to_i64(&high, &i) == false && i == 5);
    cr_assert(cachekit_value_to_u64(&minus, &u) == false && u == 5);
    cachekit_value real = cachekit_value_f64(1);
    cr_assert(cachekit_value_to_i64(&real, &i) == false);
    cr_assert(cachekit_value_to_u64(&real, &u) == false);
    cr_assert(cachekit_value_to_i64(NULL, &i) == false && cachekit_value_to_u64(NULL, &u) == false);
}

Test(value, reads_integers_as_floats_only_when_exact)
{
    static const struct {
        uint64_t number;
        bool is_exact;
    } rows[] = {
        {0, true},
        {UINT64_C(1) << 53, true},
        {(UINT64_C(1) << 53) + 1, false},
        {(UINT64_C(1) << 53) + 2, true},
        {INT64_MAX, false},
        {UINT64_C(1) << 63, true},
        {(UINT64_C(1) << 63) + 1, false},
        {UINT64_MAX, false},
        {UINT64_MAX - 2047, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_value value = cachekit_value_u64(rows[i].number);
        double f = -1;
        cr_assert(cachekit_value_to_f64(&value, &f) == rows[i].is_exact, "row %zu", i);
        cr_assert(f == (rows[i].is_exact ? (double)rows[i].number : -1), "row %zu", i);
    }
    cachekit_value low = cachekit_value_i64(INT64_MIN);
    double f;
    cr_assert(cachekit_value_to_f64(&low, &f) && f == -9223372036854775808.0);
    cachekit_value real = cachekit_value_f64(0.1), text = cachekit_value_text("1");
    cr_assert(cachekit_value_to_f64(&real, &f) && f == 0.1);
    cr_assert(cachekit_value_to_f64(&text, &f) == false &&
              cachekit_value_to_f64(NULL, &f) == false);
}

Test(value, reads_text_bytes_and_booleans_apart)
{
    cachekit_value text = cachekit_value_text("ab"), bytes = cachekit_value_bin("cd", 2),
                   yes = cachekit_value_bool(true), one = cachekit_value_i64(1);
    cachekit_slice slice = {NULL, 0};
    bool boolean = false;
    cr_assert(cachekit_value_to_text(&text, &slice) && slice.len == 2 &&
              memcmp(slice.data, "ab", 2) == 0);
    cr_assert(cachekit_value_to_bin(&bytes, &slice) && memcmp(slice.data, "cd", 2) == 0);
    cr_assert(cachekit_value_to_text(&bytes, &slice) == false);
    cr_assert(cachekit_value_to_bin(&text, &slice) == false);
    cr_assert(cachekit_value_to_bool(&yes, &boolean) && boolean);
    cr_assert(cachekit_value_to_bool(&one, &boolean) == false);
    cr_assert(cachekit_value_to_text(NULL, &slice) == false);
}

Test(value, finds_by_index_and_by_key)
{
    const cachekit_value pairs[] = {
        cachekit_value_text("a"),      cachekit_value_i64(1), // twice: the last counts
        cachekit_value_text("a"),      cachekit_value_i64(2),
        cachekit_value_bin("b", 1),    cachekit_value_i64(3), // no text
        cachekit_value_str("c\0d", 3), cachekit_value_i64(4),
        cachekit_value_str(NULL, 0),   cachekit_value_i64(5),
    };
    cachekit_value map = cachekit_value_map(pairs, 5), array = cachekit_value_array(pairs, 10);
    cr_assert(cachekit_value_get(&map, "a") == &pairs[3]);
    cr_assert(cachekit_value_get(&map, "") == &pairs[9]);
    cr_assert_null(cachekit_value_get(&map, "b"));
    cr_assert_null(cachekit_value_get(&map, "c"));
    cr_assert(cachekit_value_get_str(&map, "c\0d", 3) == &pairs[7]);
    cr_assert_null(cachekit_value_get(&array, "a"));
    cr_assert_null(cachekit_value_get(NULL, "a"));
    cr_assert(cachekit_value_at(&array, 9) == &pairs[9]);
    cr_assert_null(cachekit_value_at(&array, 10));
    cr_assert_null(cachekit_value_at(&map, 0));
    cr_assert_null(cachekit_value_at(NULL, 0));
}

Test(value, chains_of_lookups_pass_absence_on)
{
    cachekit_value nil = cachekit_value_nil();
    int64_t number;
    cr_assert(cachekit_value_to_i64(cachekit_value_at(cachekit_value_get(&nil, "a"), 3), &number) ==
              false);
}

Test(value, equality_is_strict)
{
    const cachekit_value one = cachekit_value_i64(1), two = cachekit_value_i64(2);
    const cachekit_value ab[] = {one, two}, ba[] = {two, one};
    cachekit_value date;
    cr_assert(eq(int, cachekit_value_date(CACHEKIT_DATE, "2024-01-01", 10, &date), CACHEKIT_OK));
    const cachekit_value all[] = {
        cachekit_value_nil(),
        cachekit_value_bool(false),
        cachekit_value_bool(true),
        one,
        two,
        cachekit_value_u64(UINT64_MAX),
        cachekit_value_i64(-1),
        cachekit_value_f64(1),
        cachekit_value_f64(0.0),
        cachekit_value_f64(-0.0),
        cachekit_value_f64(NAN),
        cachekit_value_text("a"),
        cachekit_value_text("b"),
        cachekit_value_text("ab"),
        cachekit_value_text(""),
        cachekit_value_bin("a", 1),
        cachekit_value_bin("", 0),
        cachekit_value_array(ab, 2),
        cachekit_value_array(ba, 2),
        cachekit_value_array(ab, 1),
        cachekit_value_array(NULL, 0),
        cachekit_value_map(ab, 1),
        cachekit_value_map(ba, 1),
        cachekit_value_map(NULL, 0),
        cachekit_value_text("2024-01-01"),
        date,
    };
    size_t count = sizeof all / sizeof all[0];
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            cr_assert(cachekit_value_equal(&all[i], &all[k]) == (i == k), "%zu and %zu", i, k);
        }
    }
    cachekit_value unknown = {.type = CACHEKIT_TIME + 1};
    cr_assert(cachekit_value_equal(&unknown, &unknown) == false);
}

// Differences in the last place of the deepest level, and behind it.
Test(value, equality_looks_everywhere)
{
    static cachekit_value chains[2][CACHEKIT_VALUE_DEPTH_MAX + 1][2];
    for (int side = 0; side < 2; side++) {
        for (int i = CACHEKIT_VALUE_DEPTH_MAX; i >= 0; i--) {
            chains[side][i][0] = i == CACHEKIT_VALUE_DEPTH_MAX
                                     ? cachekit_value_i64(1)
                                     : cachekit_value_array(chains[side][i + 1], 2);
            chains[side][i][1] = cachekit_value_i64(i);
        }
    }
    cr_assert(cachekit_value_equal(&chains[0][0][0], &chains[1][0][0]));
    cachekit_value *places[] = {&chains[1][CACHEKIT_VALUE_DEPTH_MAX][0],
                                &chains[1][CACHEKIT_VALUE_DEPTH_MAX][1], &chains[1][1][1]};
    for (size_t i = 0; i < 3; i++) {
        cachekit_value kept = *places[i];
        *places[i] = cachekit_value_nil();
        cr_assert(cachekit_value_equal(&chains[0][0][0], &chains[1][0][0]) == false, "%zu", i);
        *places[i] = kept;
    }
    cachekit_value outer = cachekit_value_array(&chains[0][0][0], 1);
    cr_assert(cachekit_value_equal(&outer, &outer) == false); // one level too many
}

Test(value, types_have_names)
{
    cr_assert(strcmp(cachekit_type_name(CACHEKIT_NIL), "nil") == 0);
    cr_assert(strcmp(cachekit_type_name(CACHEKIT_TIME), "time") == 0);
    cr_assert(strcmp(cachekit_type_name(CACHEKIT_TIME + 1), "?") == 0);
}

Test(value, arena_nodes_start_as_nil)
{
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value *values = cachekit_arena_values(&arena, 3);
    cr_assert_not_null(values);
    for (size_t i = 0; i < 3; i++) {
        cr_assert(eq(uint, values[i].type, CACHEKIT_NIL));
    }
    cr_assert_null(cachekit_arena_values(&arena, SIZE_MAX / 8));
    cachekit_arena_release(&arena);
}
