// SPDX-License-Identifier: MIT
// The grammar by a table: what must be read, and as what MessagePack; where text and memory lie.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

#include <cJSON.h>

#include <cachekit/json.h>

#include "hex.h"
#include "json_exact.h"

static const struct accepted {
    const char *text;
    size_t len;
    const char *msgpack;
    bool is_odd_for_cjson; // cJSON reads it wrongly or not at all
} accepted[] = {
    {TEXT("null"), "c0", false},
    {TEXT("true"), "c3", false},
    {TEXT("false"), "c2", false},
    {TEXT(" \t\r\n null \t\r\n "), "c0", false},
    {TEXT("0"), "00", false},
    {TEXT("-0"), "00", false},
    {TEXT("127"), "7f", false},
    {TEXT("128"), "cc80", false},
    {TEXT("-1"), "ff", false},
    {TEXT("-32"), "e0", false},
    {TEXT("-33"), "d0df", false},
    {TEXT("9007199254740993"), "cf0020000000000001", true},
    {TEXT("-9007199254740993"), "d3ffdfffffffffffff", true},
    {TEXT("9223372036854775807"), "cf7fffffffffffffff", true},
    {TEXT("9223372036854775808"), "cf8000000000000000", true},
    {TEXT("18446744073709551615"), "cfffffffffffffffff", true},
    {TEXT("-9223372036854775808"), "d38000000000000000", true},
    {TEXT("1.0"), "cb3ff0000000000000", false},
    {TEXT("-0.0"), "cb8000000000000000", false},
    {TEXT("0.0"), "cb0000000000000000", false},
    {TEXT("1e0"), "cb3ff0000000000000", false},
    {TEXT("1E+2"), "cb4059000000000000", false},
    {TEXT("1e-2"), "cb3f847ae147ae147b", false},
    {TEXT("1.5e300"), "cb7e41eb2d66005835", false},
    {TEXT("0.1"), "cb3fb999999999999a", false},
    {TEXT("1e00000000000000000000001"), "cb4024000000000000", false},
    {TEXT("18446744073709551616.0"), "cb43f0000000000000", false},
    {TEXT("\"\""), "a0", false},
    {TEXT("\"a\""), "a161", false},
    {TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "a8225c2f080c0a0d09", false},
    {TEXT("\"\\u0041\\u00e9\\u20aC\""), "a641c3a9e282ac", false},
    {TEXT("\"\\ud83d\\ude00\""), "a4f09f9880", false},
    {TEXT("\"\\uD800\\uDC00\\uDBFF\\uDFFF\""), "a8f0908080f48fbfbf", false},
    {TEXT("\"\\u0000\""), "a100", true},
    {TEXT("\"a\\u0000b\""), "a3610062", true},
    {TEXT("\"\\uFFFF\\uFFFE\""), "a6efbfbfefbfbe", false},
    {TEXT("\"\\uD7FF\\uE000\""), "a6ed9fbfee8080", false},
    {TEXT("\"\x7f\""), "a17f", false},
    {TEXT("\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""),
     "af c280dfbfe0a080f0908080f48fbfbf", false},
    {TEXT("\"\xed\x9f\xbf\xee\x80\x80\""), "a6ed9fbfee8080", false},
    {TEXT("\"12345678\\n12345678\\\\\""), "b2 31323334353637380a31323334353637385c", false},
    {TEXT("\"123456789012345678901234567890123\""),
     "d921 313233343536373839303132333435363738393031323334353637383930313233", false},
    {TEXT("[]"), "90", false},
    {TEXT("[ ]"), "90", false},
    {TEXT("[1]"), "9101", false},
    {TEXT("[1,2]"), "920102", false},
    {TEXT("[ 1 , [ ] , { } ]"), "93019080", false},
    {TEXT("[[[[]]],[]]"), "929191 90 90", false},
    {TEXT("[null,true,false,0,\"\"]"), "95c0c3c200a0", false},
    {TEXT("{}"), "80", false},
    {TEXT("{ }"), "80", false},
    {TEXT("{\"a\":1}"), "81a16101", false},
    {TEXT(" { \"a\" : 1 , \"b\" : 2 } "), "82a16101a16202", false},
    {TEXT("{\"b\":1,\"a\":2}"), "82a16201a16102", false},
    {TEXT("{\"a\":1,\"a\":2}"), "82a16101a16102", false},
    {TEXT("{\"\":0}"), "81a000", false},
    {TEXT("{\"a\\u0000b\":1}"), "81a361006201", true},
    {TEXT("{\"a\":{\"b\":[{}]}}"), "81a16181a1629180", false},
    {TEXT("{\"a\":[],\"b\":{},\"c\":[{},[]]}"), "83a16190a16280a163928090", false},
};

static void hex_of(const cachekit_value *value, char *out, size_t room)
{
    cachekit_buffer buffer = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_value_encode(value, &buffer, NULL), CACHEKIT_OK));
    cr_assert(lt(sz, 2 * buffer.len, room));
    out[0] = '\0';
    for (size_t i = 0; i < buffer.len; i++) {
        snprintf(out + 2 * i, room - 2 * i, "%02x", buffer.data[i]);
    }
    cachekit_buffer_release(&buffer);
}

static void same_hex(const char *text, const char *expected, const cachekit_value *root)
{
    uint8_t bytes[256];
    char want[513];
    char have[513];
    size_t len = hex_append(bytes, 0, sizeof bytes, expected);
    for (size_t i = 0; i < len; i++) {
        snprintf(want + 2 * i, 3, "%02x", bytes[i]);
    }
    hex_of(root, have, sizeof have);
    cr_expect(eq(str, have, want), "%s", text);
}

Test(json_read, the_grammar_gives_these_values)
{
    static const unsigned all_flags[] = {CACHEKIT_JSON_BORROW, CACHEKIT_JSON_COPY,
                                         CACHEKIT_JSON_PLAIN,
                                         CACHEKIT_JSON_COPY | CACHEKIT_JSON_PLAIN};
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        for (size_t k = 0; k < 4; k++) {
            uint8_t *kept;
            cachekit_value root;
            cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
            cr_expect(eq(int,
                         json_exact(accepted[i].text, accepted[i].len, all_flags[k], &arena, &root,
                                    &error, &kept),
                         CACHEKIT_OK),
                      "%s: %s", accepted[i].text, error.text);
            same_hex(accepted[i].text, accepted[i].msgpack, &root);
            free(kept);
            cachekit_arena_reset(&arena);
        }
    }
    cachekit_arena_release(&arena);
}

Test(json_read, cjson_accepts_the_same_texts)
{
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        if (accepted[i].is_odd_for_cjson) {
            continue;
        }
        cJSON *json = cJSON_ParseWithLength(accepted[i].text, accepted[i].len);
        cr_expect(ne(ptr, json, NULL), "%s", accepted[i].text);
        cJSON_Delete(json);
    }
}

Test(json_read, text_is_borrowed_or_copied_as_asked)
{
    static const char text[] = "[\"plain\",\"esc\\u0061ped\"]";
    cachekit_slice input = {(const uint8_t *)text, sizeof text - 1};
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    cr_assert(eq(int, cachekit_json_decode(input, CACHEKIT_JSON_BORROW, &arena, &root, NULL),
                 CACHEKIT_OK));
    cr_assert(eq(ptr, (void *)root.as.items[0].as.text, (void *)(text + 2)));
    cr_assert(eq(int, memcmp(root.as.items[1].as.text, "escaped", 8), 0), "with a NUL");
    cr_assert(
        eq(int, cachekit_json_decode(input, CACHEKIT_JSON_COPY, &arena, &root, NULL), CACHEKIT_OK));
    cr_assert(eq(int, memcmp(root.as.items[0].as.text, "plain", 6), 0), "with a NUL");
    cr_assert(eq(int, memcmp(root.as.items[1].as.text, "escaped", 8), 0), "with a NUL");
    cachekit_arena_release(&arena);
}

Test(json_read, other_flags_are_refused)
{
    cachekit_slice input = {(const uint8_t *)"1", 1};
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    cr_assert(eq(int, cachekit_json_decode(input, CACHEKIT_JSON_SORTED, &arena, &root, NULL),
                 CACHEKIT_E_INVALID));
    cr_assert(eq(int, cachekit_json_decode(input, 8, &arena, &root, NULL), CACHEKIT_E_INVALID));
}

Test(json_read, a_document_over_4_gib_is_not_looked_at)
{
    const uint8_t byte = '1';
    cachekit_slice over = {&byte, (size_t)UINT32_MAX + 1};
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    cr_assert(eq(int, cachekit_json_decode(over, 0, &arena, &root, NULL), CACHEKIT_E_TOO_LARGE));
}

Test(json_read, an_arena_without_memory_is_an_error_and_no_half_tree)
{
    static const char text[] = "{\"a\":[1,2,\"\\n\",{\"$bytes\":\"00\"},{\"$map\":[[1,2]]}]}";
    cachekit_slice input = {(const uint8_t *)text, sizeof text - 1};
    cachekit_arena arena;
    size_t budget = 0;
    for (;; budget += 16) {
        cachekit_value root;
        cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
        cachekit_arena_init(&arena, NULL, budget);
        cachekit_status status =
            cachekit_json_decode(input, CACHEKIT_JSON_COPY, &arena, &root, &error);
        cachekit_arena_release(&arena);
        if (status == CACHEKIT_OK) {
            break;
        }
        cr_assert(eq(int, status, CACHEKIT_E_NOMEM));
        cr_assert(eq(int, error.status, CACHEKIT_E_NOMEM));
        cr_assert(eq(u32, root.type, CACHEKIT_NIL));
    }
    cr_assert(gt(sz, budget, 160));
}

Test(json_read, a_document_wider_than_the_first_stack)
{
    enum { COUNT = 5000 };
    cachekit_buffer text = CACHEKIT_BUFFER_INIT;
    for (int i = 0; i < COUNT; i++) {
        char item[32];
        int len = snprintf(item, sizeof item, "%c%d", i == 0 ? '[' : ',', i);
        cr_assert(eq(int, cachekit_buffer_append(&text, item, (size_t)len), CACHEKIT_OK));
    }
    cr_assert(eq(int, cachekit_buffer_append(&text, "]", 1), CACHEKIT_OK));
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    cachekit_slice input = {text.data, text.len};
    cr_assert(eq(int, cachekit_json_decode(input, 0, &arena, &root, NULL), CACHEKIT_OK));
    cr_assert(eq(u32, root.len, COUNT));
    for (int i = 0; i < COUNT; i++) {
        cr_assert(eq(i64, root.as.items[i].as.i64, i));
    }
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&text);
}

// Each text is repeated to about a megabyte: what packs the most nodes into the fewest bytes.
Test(json_read, memory_is_bounded_by_the_input)
{
    static const char *const rows[][3] = {
        {"[", "1,", "]"},
        {"[", "[],", "]"},
        {"[", "[1],", "]"},
        {"[", "\"\",", "]"},
        {"[", "\"\\n\",", "]"},
        {"{", "\"\":1,", "}"},
        {"[", "{\"\":0},", "]"},
        {"{\"$map\":[", "[1,1],", "]}"},
        {"[", "{\"$map\":[]},", "]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_buffer text = CACHEKIT_BUFFER_INIT;
        const char *const *row = rows[i];
        cr_assert(eq(int, cachekit_buffer_append(&text, row[0], strlen(row[0])), CACHEKIT_OK));
        while (text.len < 1000000) {
            cr_assert(eq(int, cachekit_buffer_append(&text, row[1], strlen(row[1])), CACHEKIT_OK));
        }
        text.len--; // the last comma
        cr_assert(eq(int, cachekit_buffer_append(&text, row[2], strlen(row[2])), CACHEKIT_OK));
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        cachekit_value root;
        cachekit_slice input = {text.data, text.len};
        cr_expect(eq(int, cachekit_json_decode(input, CACHEKIT_JSON_COPY, &arena, &root, NULL),
                     CACHEKIT_OK),
                  "%s", row[1]);
        cr_expect(le(sz, arena.reserved, 64 * text.len), "%s: %zu for %zu", row[1], arena.reserved,
                  text.len);
        cachekit_arena_release(&arena);
        cachekit_buffer_release(&text);
    }
}
