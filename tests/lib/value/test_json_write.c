// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

#include <cJSON.h>

#include <cachekit/json.h>

#include "fault_allocator.h"
#include "hex.h"

static void expect_text(const cachekit_value *value, unsigned flags, const char *expected)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
    cr_expect(eq(int, cachekit_json_encode(value, flags, &out, &error), CACHEKIT_OK), "%s",
              error.text);
    cr_expect(eq(sz, out.len, strlen(expected)), "%s, not %.*s", expected, (int)out.len, out.data);
    cr_expect(eq(int, memcmp(out.data, expected, out.len), 0), "%s, not %.*s", expected,
              (int)out.len, out.data);
    cachekit_buffer_release(&out);
}

static void expect_refusal(const cachekit_value *value, unsigned flags, cachekit_status expected)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
    cr_assert(eq(int, cachekit_buffer_append(&out, "old", 3), CACHEKIT_OK));
    cr_expect(eq(int, cachekit_json_encode(value, flags, &out, &error), expected));
    cr_expect(eq(int, error.status, expected));
    cr_expect(eq(sz, out.len, 0));
    cachekit_buffer_release(&out);
}

Test(json_write, text_is_escaped_no_more_than_needed)
{
    static const struct {
        const char *text;
        size_t len;
        const char *expected;
    } rows[] = {
        {"", 0, "\"\""},
        {"plain text of some length", 25, "\"plain text of some length\""},
        {"\"\\/", 3, "\"\\\"\\\\/\""},
        {"\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\""},
        {"\0\x01\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\x7f\""},
        {"12345678\x0b", 9, "\"12345678\\u000b\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xe2\x80\xa8", 3, "\"\xe2\x80\xa8\""},
        {"a\xc3\xa9\n\xc3\xa9", 6, "\"a\xc3\xa9\\n\xc3\xa9\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_value value = cachekit_value_str(rows[i].text, rows[i].len);
        expect_text(&value, 0, rows[i].expected);
    }
}

Test(json_write, text_that_is_not_utf8_is_refused)
{
    static const char *const rows[] = {"\x80", "\xc3", "12345678\xff", "\xed\xa0\x80",
                                       "\n\xc0\x80"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_value value = cachekit_value_text(rows[i]);
        expect_refusal(&value, 0, CACHEKIT_E_VALUE);
        const cachekit_value pair[] = {value, cachekit_value_nil()};
        cachekit_value map = cachekit_value_map(pair, 1);
        expect_refusal(&map, CACHEKIT_JSON_SORTED, CACHEKIT_E_VALUE);
    }
}

Test(json_write, collections_are_compact)
{
    const cachekit_value none = cachekit_value_array(NULL, 0);
    const cachekit_value empty = cachekit_value_map(NULL, 0);
    const cachekit_value list[] = {none, empty, cachekit_value_nil(), cachekit_value_bool(true),
                                   cachekit_value_bool(false)};
    const cachekit_value array = cachekit_value_array(list, 5);
    const cachekit_value pairs[] = {cachekit_value_text("b"), array, cachekit_value_text("a"),
                                    cachekit_value_i64(-1)};
    const cachekit_value map = cachekit_value_map(pairs, 2);
    expect_text(&map, 0, "{\"b\":[[],{},null,true,false],\"a\":-1}");
    expect_text(&map, CACHEKIT_JSON_SORTED, "{\"a\":-1,\"b\":[[],{},null,true,false]}");
}

Test(json_write, sorted_is_bytewise_and_stable_on_every_level)
{
    // U+FFFF sorts before U+10000 in UTF-8 and after it in UTF-16.
    const cachekit_value inner[] = {cachekit_value_text("\xf0\x90\x80\x80"),
                                    cachekit_value_i64(1),
                                    cachekit_value_text("\xef\xbf\xbf"),
                                    cachekit_value_i64(2),
                                    cachekit_value_text("aa"),
                                    cachekit_value_i64(3),
                                    cachekit_value_text("a"),
                                    cachekit_value_i64(4),
                                    cachekit_value_text(""),
                                    cachekit_value_i64(5),
                                    cachekit_value_text("a"),
                                    cachekit_value_i64(6),
                                    cachekit_value_text("B"),
                                    cachekit_value_i64(7)};
    const cachekit_value map = cachekit_value_map(inner, 7);
    const cachekit_value outer[] = {cachekit_value_text("z"), map, cachekit_value_text("y"), map};
    const cachekit_value root = cachekit_value_map(outer, 2);
#define SORTED_INNER                                                                               \
    "{\"\":5,\"B\":7,\"a\":4,\"a\":6,\"aa\":3,\"\xef\xbf\xbf\":2,\"\xf0\x90\x80\x80\":1}"
    expect_text(&root, CACHEKIT_JSON_SORTED, "{\"y\":" SORTED_INNER ",\"z\":" SORTED_INNER "}");
    const cachekit_value mixed[] = {cachekit_value_text("b"), cachekit_value_nil(),
                                    cachekit_value_i64(1),    cachekit_value_nil(),
                                    cachekit_value_text("a"), cachekit_value_nil()};
    const cachekit_value tagged = cachekit_value_map(mixed, 3);
    expect_text(&tagged, CACHEKIT_JSON_SORTED, "{\"$map\":[[\"b\",null],[1,null],[\"a\",null]]}");
}

Test(json_write, large_maps_sort_too)
{
    enum { COUNT = 2000 };
    static cachekit_value items[2 * COUNT];
    static char names[COUNT][8];
    uint32_t state = 1;
    for (size_t i = 0; i < COUNT; i++) {
        state = state * 1664525 + 1013904223;
        snprintf(names[i], sizeof names[i], "%u", state >> 22); // duplicates occur
        items[2 * i] = cachekit_value_text(names[i]);
        items[2 * i + 1] = cachekit_value_i64((int64_t)i);
    }
    for (size_t count = 0; count <= COUNT; count = count < 80 ? count + 1 : count * 5) {
        cachekit_value map = cachekit_value_map(items, count);
        cachekit_buffer out = CACHEKIT_BUFFER_INIT;
        cr_assert(
            eq(int, cachekit_json_encode(&map, CACHEKIT_JSON_SORTED, &out, NULL), CACHEKIT_OK));
        cJSON *json = cJSON_ParseWithLength((const char *)out.data, out.len);
        cr_assert(eq(sz, (size_t)cJSON_GetArraySize(json), count));
        const cJSON *last = NULL;
        const cJSON *item = NULL;
        cJSON_ArrayForEach(item, json)
        {
            int order = last != NULL ? strcmp(last->string, item->string) : -1;
            cr_assert(order < 0 || (order == 0 && last->valueint < item->valueint));
            last = item;
        }
        cJSON_Delete(json);
        cachekit_buffer_release(&out);
    }
}

Test(json_write, what_is_no_value_is_refused)
{
    const cachekit_value unknown = {.type = 12};
    const cachekit_value date = {.type = CACHEKIT_DATE, .len = 3, .as.text = "\"\"\""};
    expect_refusal(&unknown, 0, CACHEKIT_E_VALUE);
    expect_refusal(&date, 0, CACHEKIT_E_VALUE);
    const cachekit_value fine = cachekit_value_nil();
    expect_refusal(&fine, CACHEKIT_JSON_COPY, CACHEKIT_E_INVALID);
    expect_refusal(&fine, 8, CACHEKIT_E_INVALID);
}

Test(json_write, refused_memory_at_every_point_is_an_error)
{
    struct fault_allocator few;
    static char text[3000];
    memset(text, '\n', sizeof text);
    const cachekit_value pairs[] = {cachekit_value_text("b"), cachekit_value_str(text, 3000),
                                    cachekit_value_text("a"), cachekit_value_bin(text, 3000),
                                    cachekit_value_text("c"), cachekit_value_f64(0.1)};
    const cachekit_value map = cachekit_value_map(pairs, 3);
    cachekit_status status = CACHEKIT_E_NOMEM;
    int failures = 0;
    for (; status != CACHEKIT_OK; failures++) {
        cachekit_buffer out;
        fault_allocator_init(&few);
        few.fail_at = failures;
        few.fail_on = true;
        cachekit_buffer_init(&out, &few.hooks);
        status = cachekit_json_encode(&map, CACHEKIT_JSON_SORTED, &out, NULL);
        cr_assert(status == CACHEKIT_OK || (status == CACHEKIT_E_NOMEM && out.len == 0));
        cachekit_buffer_release(&out);
        cr_assert(eq(sz, few.live_blocks, 0));
    }
    cr_assert(gt(int, failures, 5));
}
