// SPDX-License-Identifier: MIT
// What JSON has no words for: MessagePack in hexadecimal beside the text that stands for it.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <cachekit/json.h>

#include "hex.h"

static const struct pair {
    const char *msgpack;
    const char *json;
} pairs[] = {
    {"c400", "{\"$bytes\":\"\"}"},
    {"c404deadbeef", "{\"$bytes\":\"deadbeef\"}"},
    {"c40100", "{\"$bytes\":\"00\"}"},
    {"cf001fffffffffffff", "9007199254740991"},
    {"cf0020000000000000", "{\"$int\":\"9007199254740992\"}"},
    {"cf0020000000000001", "{\"$int\":\"9007199254740993\"}"},
    {"cfffffffffffffffff", "{\"$int\":\"18446744073709551615\"}"},
    {"d3ffe0000000000001", "-9007199254740991"},
    {"d3ffe0000000000000", "{\"$int\":\"-9007199254740992\"}"},
    {"d38000000000000000", "{\"$int\":\"-9223372036854775808\"}"},
    {"cb7ff8000000000000", "{\"$float\":\"nan\"}"},
    {"cb7ff0000000000000", "{\"$float\":\"inf\"}"},
    {"cbfff0000000000000", "{\"$float\":\"-inf\"}"},
    {"cb8000000000000000", "-0.0"},
    {"cb7fefffffffffffff", "1.7976931348623157e308"},
    {"cb0000000000000001", "5e-324"},
    {"cb4340000000000000", "9007199254740992.0"},
    {"80", "{}"},
    {"810102", "{\"$map\":[[1,2]]}"},
    {"82a161010203", "{\"$map\":[[\"a\",1],[2,3]]}"},
    {"81c0c0", "{\"$map\":[[null,null]]}"},
    {"81c400 81 90 80", "{\"$map\":[[{\"$bytes\":\"\"},{\"$map\":[[[],{}]]}]]}"},
    {"81a22461 01", "{\"$map\":[[\"$a\",1]]}"},
    {"81a124 01", "{\"$map\":[[\"$\",1]]}"},
    {"81a624627974657301", "{\"$map\":[[\"$bytes\",1]]}"},
    {"81a4246d617090", "{\"$map\":[[\"$map\",[]]]}"},
    {"82a2246101a2246202", "{\"$a\":1,\"$b\":2}"},
    {"82a6246279746573 01 a162 02", "{\"$bytes\":1,\"b\":2}"}, // two pairs are no tag
    {"81a161 81a2246101", "{\"a\":{\"$map\":[[\"$a\",1]]}}"},
    {"82ac5f5f6461746574696d655f5fc3a576616c7565d920323032342d30312d30315431323a33303a34352e3132"
     "333435362b30303a3030",
     "{\"__datetime__\":true,\"value\":\"2024-01-01T12:30:45.123456+00:00\"}"},
    {"82a85f5f646174655f5fc3a576616c7565aa323032342d30322d3239",
     "{\"__date__\":true,\"value\":\"2024-02-29\"}"},
    {"82a85f5f74696d655f5fc3a576616c7565a830313a30323a3033",
     "{\"__time__\":true,\"value\":\"01:02:03\"}"},
};

static void decode_msgpack(const char *hex, uint8_t *bytes, size_t room, cachekit_arena *arena,
                           cachekit_value *root)
{
    cachekit_slice input = {bytes, hex_append(bytes, 0, room, hex)};
    cr_assert(eq(int, cachekit_value_decode(input, 0, arena, root, NULL), CACHEKIT_OK), "%s", hex);
}

static cachekit_status decode_json(const char *text, unsigned flags, cachekit_arena *arena,
                                   cachekit_value *root)
{
    cachekit_slice input = {(const uint8_t *)text, strlen(text)};
    return cachekit_json_decode(input, flags, arena, root, NULL);
}

Test(json_tags, both_directions)
{
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const char *json = pairs[i].json;
        uint8_t bytes[256];
        cachekit_value from_msgpack, from_json;
        decode_msgpack(pairs[i].msgpack, bytes, sizeof bytes, &arena, &from_msgpack);
        cr_expect(eq(int, cachekit_json_encode(&from_msgpack, 0, &out, NULL), CACHEKIT_OK));
        cr_expect(eq(sz, out.len, strlen(json)), "%s", json);
        cr_expect(eq(int, memcmp(out.data, json, out.len), 0), "%s, not %.*s", json, (int)out.len,
                  out.data);
        cr_expect(eq(int, decode_json(json, 0, &arena, &from_json), CACHEKIT_OK), "%s", json);
        cr_expect(cachekit_value_equal(&from_json, &from_msgpack), "%s", json);
        cachekit_arena_reset(&arena);
    }
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&out);
}

Test(json_tags, other_spellings_that_are_read)
{
    static const struct pair rows[] = {
        {"c404deadbeef", "{\"$bytes\":\"DEADbeef\"}"},
        {"c40161", "{ \"\\u0024bytes\" : \"\\u00361\" }"},
        {"05", "{\"$int\":\"5\"}"},
        {"00", "{\"$int\":\"-0\"}"},
        {"cfffffffffffffffff", "18446744073709551615"},
        {"cb3ff8000000000000", "{\"$float\":\"1.5\"}"},
        {"cb4000000000000000", "{\"$float\":\"2\"}"},
        {"cb43f0000000000000", "{\"$float\":\"18446744073709551616\"}"},
        {"cb8000000000000000", "{\"$float\":\"-0\"}"},
        {"81a16101", "{\"$map\":[[\"a\",1]]}"},
        {"80", "{\"$map\":[]}"},
        {"820102 0103", "{\"$map\":[[1,2],[1,3]]}"},
        // The text under "value" may come first, as in MessagePack.
        {"82a85f5f646174655f5fc3a576616c7565aa323032342d30322d3239",
         "{\"value\":\"2024-02-29\",\"__date__\":true}"},
        {"82ac5f5f6461746574696d655f5fc3a576616c7565b4323032342d30312d30315430303a30303a30305a",
         "{\"$datetime\":\"2024-01-01T00:00:00Z\"}"},
    };
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[256];
        cachekit_value expected, root;
        decode_msgpack(rows[i].msgpack, bytes, sizeof bytes, &arena, &expected);
        cr_expect(eq(int, decode_json(rows[i].json, 0, &arena, &root), CACHEKIT_OK), "%s",
                  rows[i].json);
        cr_expect(cachekit_value_equal(&root, &expected), "%s", rows[i].json);
    }
    cachekit_arena_release(&arena);
}

Test(json_tags, malformed_tags_are_refused)
{
    static const struct {
        const char *json;
        cachekit_status expected;
    } rows[] = {
        {"{\"$bytes\":\"0\"}", CACHEKIT_E_DECODE},
        {"{\"$bytes\":\"0g\"}", CACHEKIT_E_DECODE},
        {"{\"$bytes\":\"0x00\"}", CACHEKIT_E_DECODE},
        {"{\"$bytes\":\" 00\"}", CACHEKIT_E_DECODE},
        {"{\"$bytes\":\"\\u00e9\"}", CACHEKIT_E_DECODE},
        {"{\"$bytes\":0}", CACHEKIT_E_DECODE},
        {"{\"$bytes\":null}", CACHEKIT_E_DECODE},
        {"{\"$bytes\":[\"00\"]}", CACHEKIT_E_DECODE},
        {"{\"$bytes\":{\"$bytes\":\"00\"}}", CACHEKIT_E_DECODE},
        {"{\"$int\":\"\"}", CACHEKIT_E_DECODE},
        {"{\"$int\":\"-\"}", CACHEKIT_E_DECODE},
        {"{\"$int\":\"01\"}", CACHEKIT_E_DECODE},
        {"{\"$int\":\"+1\"}", CACHEKIT_E_DECODE},
        {"{\"$int\":\" 1\"}", CACHEKIT_E_DECODE},
        {"{\"$int\":\"1 \"}", CACHEKIT_E_DECODE},
        {"{\"$int\":\"1\\u0000\"}", CACHEKIT_E_DECODE},
        {"{\"$int\":\"1.0\"}", CACHEKIT_E_DECODE},
        {"{\"$int\":\"1e3\"}", CACHEKIT_E_DECODE},
        {"{\"$int\":\"0x1\"}", CACHEKIT_E_DECODE},
        {"{\"$int\":5}", CACHEKIT_E_DECODE},
        {"{\"$int\":\"18446744073709551616\"}", CACHEKIT_E_VALUE},
        {"{\"$int\":\"-9223372036854775809\"}", CACHEKIT_E_VALUE},
        {"{\"$float\":\"NaN\"}", CACHEKIT_E_DECODE},
        {"{\"$float\":\"-nan\"}", CACHEKIT_E_DECODE},
        {"{\"$float\":\"infinity\"}", CACHEKIT_E_DECODE},
        {"{\"$float\":\"\"}", CACHEKIT_E_DECODE},
        {"{\"$float\":\"1.\"}", CACHEKIT_E_DECODE},
        {"{\"$float\":\"1,5\"}", CACHEKIT_E_DECODE},
        {"{\"$float\":\"0x1p3\"}", CACHEKIT_E_DECODE},
        {"{\"$float\":1.5}", CACHEKIT_E_DECODE},
        {"{\"$float\":\"1e999\"}", CACHEKIT_E_VALUE},
        {"{\"$datetime\":\"2024-01-01T00:00:00\"}", CACHEKIT_E_DECODE},
        {"{\"$datetime\":\"2024-01-01\"}", CACHEKIT_E_DECODE},
        {"{\"$datetime\":\"2024-13-01T00:00:00Z\"}", CACHEKIT_E_DECODE},
        {"{\"$datetime\":0}", CACHEKIT_E_DECODE},
        {"{\"$map\":{}}", CACHEKIT_E_DECODE},
        {"{\"$map\":\"\"}", CACHEKIT_E_DECODE},
        {"{\"$map\":[1]}", CACHEKIT_E_DECODE},
        {"{\"$map\":[[]]}", CACHEKIT_E_DECODE},
        {"{\"$map\":[[1]]}", CACHEKIT_E_DECODE},
        {"{\"$map\":[[1,2,3]]}", CACHEKIT_E_DECODE},
        {"{\"$map\":[[1,2],3]}", CACHEKIT_E_DECODE},
        {"{\"$map\":[{\"1\":2,\"3\":4}]}", CACHEKIT_E_DECODE},
        {"{\"$set\":[1]}", CACHEKIT_E_DECODE},
        {"{\"$uuid\":\"550e8400-e29b-41d4-a716-446655440000\"}", CACHEKIT_E_DECODE},
        {"{\"$\":1}", CACHEKIT_E_DECODE},
        {"{\"$byte\":\"00\"}", CACHEKIT_E_DECODE},
        {"{\"$Bytes\":\"00\"}", CACHEKIT_E_DECODE},
        {"{\"$bytes\\u0000\":\"00\"}", CACHEKIT_E_DECODE},
        {"{\"$bytes \":\"00\"}", CACHEKIT_E_DECODE},
    };
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_value root;
        cachekit_status status = decode_json(rows[i].json, 0, &arena, &root);
        cr_expect(eq(int, status, rows[i].expected), "%s: %s", rows[i].json,
                  cachekit_status_name(status));
    }
    cachekit_arena_release(&arena);
}

Test(json_tags, plain_reading_knows_no_tags)
{
    static const struct pair rows[] = {
        {"81a6246279746573a23030", "{\"$bytes\":\"00\"}"},
        {"81a42473657490", "{\"$set\":[]}"},
        {"81a42472656601", "{\"$ref\":1}"},
    };
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[64];
        cachekit_value expected, root;
        decode_msgpack(rows[i].msgpack, bytes, sizeof bytes, &arena, &expected);
        cr_expect(
            eq(int, decode_json(rows[i].json, CACHEKIT_JSON_PLAIN, &arena, &root), CACHEKIT_OK));
        cr_expect(cachekit_value_equal(&root, &expected), "%s", rows[i].json);
        cr_expect(
            eq(int, cachekit_json_encode(&root, CACHEKIT_JSON_PLAIN, &out, NULL), CACHEKIT_OK));
        cr_expect(eq(sz, out.len, strlen(rows[i].json)));
        cr_expect(eq(int, memcmp(out.data, rows[i].json, out.len), 0));
    }
    const char *date = "{\"__date__\":true,\"value\":\"2024-02-29\"}";
    cachekit_value root;
    cr_assert(eq(int, decode_json(date, CACHEKIT_JSON_PLAIN, &arena, &root), CACHEKIT_OK));
    cr_assert(eq(u32, root.type, CACHEKIT_MAP));
    cr_assert(eq(int, decode_json(date, 0, &arena, &root), CACHEKIT_OK));
    cr_assert(eq(u32, root.type, CACHEKIT_DATE));
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&out);
}

Test(json_tags, plain_writing_refuses_what_needs_a_tag)
{
    static const struct {
        const char *msgpack;
        cachekit_status expected;
    } rows[] = {
        {"c400", CACHEKIT_E_VALUE},
        {"cb7ff8000000000000", CACHEKIT_E_VALUE},
        {"cbfff0000000000000", CACHEKIT_E_VALUE},
        {"810102", CACHEKIT_E_VALUE},
        {"91 810102", CACHEKIT_E_VALUE},
        {"cfffffffffffffffff", CACHEKIT_OK},
        {"d38000000000000000", CACHEKIT_OK},
        {"81a2246101", CACHEKIT_OK},
        {"82a85f5f646174655f5fc3a576616c7565aa323032342d30322d3239", CACHEKIT_OK},
    };
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[64];
        cachekit_value root;
        decode_msgpack(rows[i].msgpack, bytes, sizeof bytes, &arena, &root);
        cachekit_status status = cachekit_json_encode(&root, CACHEKIT_JSON_PLAIN, &out, NULL);
        cr_expect(eq(int, status, rows[i].expected), "%s", rows[i].msgpack);
        cr_expect(eq(int, out.len > 0, status == CACHEKIT_OK));
    }
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&out);
}

// A NaN's sign and payload are no part of what JSON is told.
Test(json_tags, every_nan_becomes_the_one_nan)
{
    static const char *const rows[] = {"cbfff8000000000000", "cb7ff0000000000001",
                                       "cbffffffffffffffff"};
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[16];
        cachekit_value root, one;
        decode_msgpack(rows[i], bytes, sizeof bytes, &arena, &root);
        cr_assert(eq(int, cachekit_json_encode(&root, 0, &out, NULL), CACHEKIT_OK));
        cachekit_slice text = {out.data, out.len};
        cr_assert(eq(int, cachekit_json_decode(text, 0, &arena, &root, NULL), CACHEKIT_OK));
        decode_msgpack("cb7ff8000000000000", bytes, sizeof bytes, &arena, &one);
        cr_assert(cachekit_value_equal(&root, &one));
    }
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&out);
}
