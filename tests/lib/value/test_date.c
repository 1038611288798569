// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include <cachekit/value.h>

#include "value/sentinel.h"

static const struct {
    cachekit_type type;
    const char *text;
    bool is_valid;
} texts[] = {
    {CACHEKIT_DATE, "2024-01-01", true},
    {CACHEKIT_DATE, "0001-01-01", true},
    {CACHEKIT_DATE, "9999-12-31", true},
    {CACHEKIT_DATE, "2024-02-29", true},
    {CACHEKIT_DATE, "2000-02-29", true},
    {CACHEKIT_DATE, "2023-02-29", false},
    {CACHEKIT_DATE, "1900-02-29", false},
    {CACHEKIT_DATE, "2024-04-31", false},
    {CACHEKIT_DATE, "2024-04-30", true},
    {CACHEKIT_DATE, "0000-01-01", false},
    {CACHEKIT_DATE, "2024-13-01", false},
    {CACHEKIT_DATE, "2024-00-01", false},
    {CACHEKIT_DATE, "2024-01-00", false},
    {CACHEKIT_DATE, "2024-01-32", false},
    {CACHEKIT_DATE, "2024-1-1", false},
    {CACHEKIT_DATE, "20240101", false},
    {CACHEKIT_DATE, "2024-01-01 ", false},
    {CACHEKIT_DATE, " 2024-01-01", false},
    {CACHEKIT_DATE, "2024-01-0a", false},
    {CACHEKIT_DATE, "-024-01-01", false},
    {CACHEKIT_DATE, "2024-01-01Z", false},
    {CACHEKIT_DATE, "2024-01-01T00:00:00", false},
    {CACHEKIT_DATE, "", false},
    {CACHEKIT_TIME, "00:00:00", true},
    {CACHEKIT_TIME, "23:59:59.999999", true},
    {CACHEKIT_TIME, "12:00:00+01:00", true},
    {CACHEKIT_TIME, "12:00:00.5Z", true},
    {CACHEKIT_TIME, "12:00:00z", true},
    {CACHEKIT_TIME, "24:00:00", false},
    {CACHEKIT_TIME, "12:60:00", false},
    {CACHEKIT_TIME, "12:00:60", false},
    {CACHEKIT_TIME, "12:00", false},
    {CACHEKIT_TIME, "12:00:00.", false},
    {CACHEKIT_TIME, "12:00:00.1234567", false},
    {CACHEKIT_TIME, "12:00:00,5", false},
    {CACHEKIT_TIME, "", false},
    {CACHEKIT_TIME, "2024-01-01T12:00:00", false},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45", true},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45.123456", true},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45.123", true},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45+00:00", true},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45.123456-23:59", true},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45+05:30:15", true},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45+05:30:15.000001", true},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45Z", true},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45z", true},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45ZZ", false},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45Z+00:00", false},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45+24:00", false},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45+00:60", false},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45+0000", false},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45+00", false},
    {CACHEKIT_DATETIME, "2024-01-01T12:30:45 +00:00", false},
    {CACHEKIT_DATETIME, "2024-01-01 12:30:45", false},
    {CACHEKIT_DATETIME, "2024-01-01t12:30:45", false},
    {CACHEKIT_DATETIME, "2024-01-01T", false},
    {CACHEKIT_DATETIME, "2024-01-01", false},
    {CACHEKIT_DATETIME, "12:30:45", false},
    {CACHEKIT_STR, "2024-01-01", false},
    {CACHEKIT_NIL, "", false},
};

Test(date, takes_what_isoformat_writes)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cachekit_value value = cachekit_value_nil();
        cachekit_status status =
            cachekit_value_date(texts[i].type, texts[i].text, strlen(texts[i].text), &value);
        cr_assert(eq(int, status, texts[i].is_valid ? CACHEKIT_OK : CACHEKIT_E_VALUE), "%s",
                  texts[i].text);
        cachekit_slice text;
        cr_assert(texts[i].is_valid == cachekit_value_to_text(&value, &text));
        cr_assert(eq(uint, value.type, texts[i].is_valid ? texts[i].type : CACHEKIT_NIL));
    }
}

Test(date, no_prefix_of_a_datetime_is_a_surprise)
{
    static const char whole[] = "2024-01-01T12:30:45.123456+05:30:15.000001";
    for (size_t len = 0; len < sizeof whole; len++) {
        cachekit_value value;
        bool is_valid = cachekit_value_date(CACHEKIT_DATETIME, whole, len, &value) == CACHEKIT_OK;
        cr_assert(is_valid == (len == 19 || (len >= 21 && len <= 26) || len == 32 || len == 35 ||
                               len >= 37),
                  "%zu", len);
    }
}

// Expected numbers are Python's: (fromisoformat(text) - epoch) // microsecond.
Test(date, names_the_instant_that_python_names)
{
    static const struct {
        const char *text;
        int64_t us;
    } rows[] = {
        {"2024-01-01T12:30:45.123456+00:00", 1704112245123456},
        {"1970-01-01T00:00:00+00:00", 0},
        {"1970-01-01T00:00:00Z", 0},
        {"0001-01-01T00:00:00+00:00", -62135596800000000},
        {"9999-12-31T23:59:59.999999+00:00", 253402300799999999},
        {"2000-02-29T23:59:59+05:30", 951848999000000},
        {"1969-12-31T23:59:59.999999+00:00", -1},
        {"2024-12-31T00:00:00-23:59", 1735689540000000},
        {"2024-03-01T00:00:00+00:00:30", 1709251170000000},
        {"2024-03-01T00:00:00-01:02:03.000004", 1709254923000004},
        {"1900-03-01T00:00:00+00:00", -2203891200000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_value value;
        int64_t us = 1;
        cr_assert(eq(
            int, cachekit_value_date(CACHEKIT_DATETIME, rows[i].text, strlen(rows[i].text), &value),
            CACHEKIT_OK));
        cr_assert(cachekit_value_to_unix_us(&value, &us), "%s", rows[i].text);
        cr_assert(eq(i64, us, rows[i].us), "%s", rows[i].text);
    }
}

Test(date, a_naive_datetime_names_no_instant)
{
    cachekit_value value;
    int64_t us;
    cr_assert(eq(int, cachekit_value_date(CACHEKIT_DATETIME, "2024-01-01T12:30:45", 19, &value),
                 CACHEKIT_OK));
    cr_assert(cachekit_value_to_unix_us(&value, &us) == false);
    cr_assert(eq(int, cachekit_value_date(CACHEKIT_TIME, "12:30:45Z", 9, &value), CACHEKIT_OK));
    cr_assert(cachekit_value_to_unix_us(&value, &us) == false);
    value = cachekit_value_text("2024-01-01T12:30:45Z");
    cr_assert(cachekit_value_to_unix_us(&value, &us) == false);
    cr_assert(cachekit_value_to_unix_us(NULL, &us) == false);
}

static cachekit_value pair_map(cachekit_value nodes[4], const char *name, cachekit_value mark,
                               const char *key, cachekit_value text, bool is_swapped)
{
    cachekit_value pairs[] = {cachekit_value_text(name), mark, cachekit_value_text(key), text};
    for (size_t i = 0; i < 4; i++) {
        nodes[is_swapped ? (i + 2) % 4 : i] = pairs[i];
    }
    return cachekit_value_map(nodes, 2);
}

// The same verdict from the tree and from its bytes, in both orders of the pairs.
static void check_sentinel(const char *name, cachekit_value mark, const char *key,
                           cachekit_value text, uint32_t expected)
{
    for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
        cachekit_value nodes[4];
        cachekit_value map = pair_map(nodes, name, mark, key, text, is_swapped);
        cachekit_buffer out = CACHEKIT_BUFFER_INIT;
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        cr_assert(eq(int, cachekit_value_encode(&map, &out, NULL), CACHEKIT_OK));
        for (unsigned flags = 0; flags < 4; flags++) {
            cachekit_value root;
            cachekit_slice bytes = {out.data, out.len};
            cr_assert(
                eq(int, cachekit_value_decode(bytes, flags, &arena, &root, NULL), CACHEKIT_OK));
            bool is_kept = (flags & CACHEKIT_DECODE_KEEP_SENTINELS) != 0;
            cr_assert(eq(uint, root.type, is_kept ? CACHEKIT_MAP : expected), "%s", name);
            cr_assert(root.type != expected || expected == CACHEKIT_MAP ||
                      (root.len == text.len && memcmp(root.as.text, text.as.text, text.len) == 0));
        }
        cr_assert(cki_sentinel_revive(&map) == (expected != CACHEKIT_MAP));
        cr_assert(eq(uint, map.type, expected));
        cachekit_buffer_release(&out);
        cachekit_arena_release(&arena);
    }
}

Test(date, is_revived_only_from_its_exact_map)
{
    cachekit_value yes = cachekit_value_bool(true);
    cachekit_value datetime = cachekit_value_text("2024-01-01T12:30:45Z");
    cachekit_value date = cachekit_value_text("2024-01-01");
    cachekit_value time = cachekit_value_text("12:30:45");
    check_sentinel("__datetime__", yes, "value", datetime, CACHEKIT_DATETIME);
    check_sentinel("__date__", yes, "value", date, CACHEKIT_DATE);
    check_sentinel("__time__", yes, "value", time, CACHEKIT_TIME);
    check_sentinel("__date__", yes, "value", datetime, CACHEKIT_MAP);
    check_sentinel("__datetime__", yes, "value", date, CACHEKIT_MAP);
    check_sentinel("__datetime__", yes, "value", cachekit_value_text("yesterday"), CACHEKIT_MAP);
    check_sentinel("__datetime__", yes, "value", cachekit_value_i64(1), CACHEKIT_MAP);
    check_sentinel("__datetime__", yes, "value", cachekit_value_bin("2024-01-01T12:30:45Z", 20),
                   CACHEKIT_MAP);
    check_sentinel("__datetime__", yes, "values", datetime, CACHEKIT_MAP);
    check_sentinel("__datetime_", yes, "value", datetime, CACHEKIT_MAP);
    check_sentinel("__datetime__x", yes, "value", datetime, CACHEKIT_MAP);
    check_sentinel("value", yes, "value", datetime, CACHEKIT_MAP);
    check_sentinel("__datetime__", cachekit_value_bool(false), "value", datetime, CACHEKIT_MAP);
    check_sentinel("__datetime__", cachekit_value_i64(1), "value", datetime, CACHEKIT_MAP);
    check_sentinel("__datetime__", cachekit_value_text("true"), "value", datetime, CACHEKIT_MAP);
    check_sentinel("__datetime__", cachekit_value_nil(), "value", datetime, CACHEKIT_MAP);
}

Test(date, is_read_from_headers_of_any_width)
{
    // map32, str8 and str16 keys, str32 text; behind it another object of the array
    static const uint8_t bytes[] = "\x92\xdf\x00\x00\x00\x02\xd9\x08__date__\xc3\xda\x00\x05value"
                                   "\xdb\x00\x00\x00\x0a"
                                   "2024-01-01\x07";
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    cachekit_slice input = {bytes, sizeof bytes - 1};
    cr_assert(eq(int, cachekit_value_decode(input, 0, &arena, &root, NULL), CACHEKIT_OK));
    cr_assert(eq(uint, root.as.items[0].type, CACHEKIT_DATE));
    cr_assert(eq(i64, root.as.items[1].as.i64, 7));
    cachekit_arena_release(&arena);
}

Test(date, three_pairs_stay_a_map)
{
    const cachekit_value nodes[] = {
        cachekit_value_text("__date__"), cachekit_value_bool(true),
        cachekit_value_text("value"),    cachekit_value_text("2024-01-01"),
        cachekit_value_text("more"),     cachekit_value_nil()};
    cachekit_value map = cachekit_value_map(nodes, 3);
    cr_assert(cki_sentinel_revive(&map) == false);
    cr_assert(strcmp(cki_sentinel_name(CACHEKIT_DATE), "__date__") == 0);
    cr_assert_null(cki_sentinel_name(CACHEKIT_STR));
}
