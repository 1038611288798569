// SPDX-License-Identifier: MIT
// What must be refused, with which status, and where the error says it is.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "json_exact.h"

static const struct refused {
    const char *text;
    size_t len;
} refused[] = {
    // nothing, or not one document
    {TEXT("")},
    {TEXT(" ")},
    {TEXT("\n\t")},
    {TEXT("1 2")},
    {TEXT("[] []")},
    {TEXT("{}{}")},
    {TEXT("null,")},
    {TEXT("[]]")},
    {TEXT("{}}")},
    {TEXT("\"a\"b")},
    {TEXT("true false")},
    {TEXT("[1]x")},
    {TEXT("[1]\0")},
    {TEXT("1\0")},
    {TEXT("\0")},
    {TEXT("\xef\xbb\xbf[]")},
    {TEXT("[]\xef\xbb\xbf")},
    {TEXT("\xfe\xff\0[\0]")},
    {TEXT("\x0b[]")},
    {TEXT("[\x0c]")},
    {TEXT("\xc2\xa0[]")},
    {TEXT("// remark\n[]")},
    {TEXT("[/* remark */]")},
    {TEXT("# remark\n1")},
    // words
    {TEXT("nul")},
    {TEXT("nulL")},
    {TEXT("nullx")},
    {TEXT("NULL")},
    {TEXT("True")},
    {TEXT("TRUE")},
    {TEXT("tru")},
    {TEXT("fals")},
    {TEXT("undefined")},
    {TEXT("NaN")},
    {TEXT("nan")},
    {TEXT("Infinity")},
    {TEXT("-Infinity")},
    {TEXT("inf")},
    {TEXT("-inf")},
    {TEXT("-NaN")},
    {TEXT("None")},
    // numbers
    {TEXT("01")},
    {TEXT("00")},
    {TEXT("-01")},
    {TEXT("-00.1")},
    {TEXT("+1")},
    {TEXT("-")},
    {TEXT("--1")},
    {TEXT("- 1")},
    {TEXT("-a")},
    {TEXT(".5")},
    {TEXT("-.5")},
    {TEXT("1.")},
    {TEXT("1.e5")},
    {TEXT("1..2")},
    {TEXT("1.2.3")},
    {TEXT("1e")},
    {TEXT("1e+")},
    {TEXT("1e-")},
    {TEXT("1E")},
    {TEXT("1e1.5")},
    {TEXT("1e1e1")},
    {TEXT("1ee1")},
    {TEXT("1e+-1")},
    {TEXT("e1")},
    {TEXT("0x10")},
    {TEXT("0b1")},
    {TEXT("1_000")},
    {TEXT("1,000")},
    {TEXT("1 000")},
    {TEXT("1f")},
    {TEXT("12n")},
    {TEXT("1.0f")},
    {TEXT("\xd9\xa1")}, // an Arabic digit
    {TEXT("\xef\xbc\x91")},
    // text
    {TEXT("\"")},
    {TEXT("\"a")},
    {TEXT("\"a\\")},
    {TEXT("\"a\\\"")},
    {TEXT("'a'")},
    {TEXT("a")},
    {TEXT("\"\n\"")},
    {TEXT("\"\t\"")},
    {TEXT("\"\0\"")},
    {TEXT("\"\x1f\"")},
    {TEXT("\"12345678\x01\"")},
    {TEXT("\"\\a\"")},
    {TEXT("\"\\x41\"")},
    {TEXT("\"\\'\"")},
    {TEXT("\"\\0\"")},
    {TEXT("\"\\\n\"")},
    {TEXT("\"\\N\"")},
    {TEXT("\"\\u\"")},
    {TEXT("\"\\u1\"")},
    {TEXT("\"\\u12\"")},
    {TEXT("\"\\u123\"")},
    {TEXT("\"\\u123g\"")},
    {TEXT("\"\\u 123\"")},
    {TEXT("\"\\u+123\"")},
    {TEXT("\"\\u12")},
    {TEXT("\"\\U0041\"")},
    {TEXT("\"\\u{41}\"")},
    {TEXT("\"\\ud800\"")},
    {TEXT("\"\\udfff\"")},
    {TEXT("\"\\udc00\\ud800\"")},
    {TEXT("\"\\ud800\\ud800\"")},
    {TEXT("\"\\ud800\\u0041\"")},
    {TEXT("\"\\ud800\\n\"")},
    {TEXT("\"\\ud800abcdef\"")},
    {TEXT("\"\\ud800\\u\"")},
    {TEXT("\"\\ud800\\udc0\"")},
    {TEXT("\"\\ud800\\")},
    {TEXT("\"\\ud800\xed\xb0\x80\"")},
    {TEXT("\"\x80\"")},
    {TEXT("\"\xbf\"")},
    {TEXT("\"\xc0\x80\"")},
    {TEXT("\"\xc1\xbf\"")},
    {TEXT("\"\xc3\"")},
    {TEXT("\"\xc3(\"")},
    {TEXT("\"\xe0\x9f\xbf\"")},
    {TEXT("\"\xe2\x82\"")},
    {TEXT("\"\xed\xa0\x80\"")},
    {TEXT("\"\xed\xbf\xbf\"")},
    {TEXT("\"\xf0\x8f\xbf\xbf\"")},
    {TEXT("\"\xf0\x9f\x98\"")},
    {TEXT("\"\xf4\x90\x80\x80\"")},
    {TEXT("\"\xf5\x80\x80\x80\"")},
    {TEXT("\"\xff\"")},
    {TEXT("\"\xfe\"")},
    {TEXT("\"12345678\xff\"")},
    {TEXT("\"\\n\xff\"")},
    // arrays
    {TEXT("[")},
    {TEXT("]")},
    {TEXT("[1")},
    {TEXT("[1,")},
    {TEXT("[1,]")},
    {TEXT("[,1]")},
    {TEXT("[,]")},
    {TEXT("[1,,2]")},
    {TEXT("[1 2]")},
    {TEXT("[1;2]")},
    {TEXT("[1:2]")},
    {TEXT("[\"a\":1]")},
    {TEXT("[1}")},
    {TEXT("[[]")},
    {TEXT("[\"a\"")},
    {TEXT("[\"a\",")},
    {TEXT("[1,2,...]")},
    {TEXT("(1)")},
    // objects
    {TEXT("{")},
    {TEXT("}")},
    {TEXT("{\"a\"")},
    {TEXT("{\"a\":")},
    {TEXT("{\"a\":1")},
    {TEXT("{\"a\":1,")},
    {TEXT("{\"a\":1,}")},
    {TEXT("{,}")},
    {TEXT("{,\"a\":1}")},
    {TEXT("{\"a\":1,,\"b\":2}")},
    {TEXT("{\"a\" 1}")},
    {TEXT("{\"a\",1}")},
    {TEXT("{\"a\"}")},
    {TEXT("{\"a\":}")},
    {TEXT("{:1}")},
    {TEXT("{a:1}")},
    {TEXT("{'a':1}")},
    {TEXT("{1:1}")},
    {TEXT("{null:1}")},
    {TEXT("{[]:1}")},
    {TEXT("{\"a\"::1}")},
    {TEXT("{\"a\":1 \"b\":2}")},
    {TEXT("{\"a\":1:2}")},
    {TEXT("{\"a\":1]")},
    {TEXT("{\"a\\ud800\":1}")},
    {TEXT("{\"a\xff\":1}")},
    {TEXT("{\"a\":1}}")},
    {TEXT("{\"a\":{\"b\":1}")},
};

Test(json_refuse, everything_else_is_refused)
{
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        for (unsigned k = 0; k < 2; k++) {
            uint8_t *kept;
            cachekit_value root = cachekit_value_i64(7);
            cachekit_error error = {CACHEKIT_OK, 0, UINT64_MAX, ""};
            unsigned flags =
                k == 0 ? CACHEKIT_JSON_BORROW : CACHEKIT_JSON_COPY | CACHEKIT_JSON_PLAIN;
            cachekit_status status =
                json_exact(refused[i].text, refused[i].len, flags, &arena, &root, &error, &kept);
            cr_expect(eq(int, status, CACHEKIT_E_DECODE), "%zu: %s", i, refused[i].text);
            cr_expect(eq(int, error.status, CACHEKIT_E_DECODE), "%zu: %s", i, refused[i].text);
            cr_expect(le(u64, error.position, refused[i].len), "%zu: %s", i, refused[i].text);
            cr_expect(eq(u32, root.type, CACHEKIT_NIL), "a failure leaves nil");
            free(kept);
            cachekit_arena_reset(&arena);
        }
    }
    cachekit_arena_release(&arena);
}

Test(json_refuse, numbers_are_exact_or_refused)
{
    static const char *const rows[] = {
        "18446744073709551616",
        "-9223372036854775809",
        "99999999999999999999",
        "184467440737095516150",
        "-18446744073709551615",
        "1000000000000000000000000000000000000000",
        "1e309",
        "-1e309",
        "1.7976931348623159e308",
        "1e999999999999999999999",
        "[0,1e400]",
        "{\"a\":18446744073709551616}",
    };
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t *kept;
        cachekit_value root;
        cr_expect(eq(int, json_exact(rows[i], strlen(rows[i]), 0, &arena, &root, NULL, &kept),
                     CACHEKIT_E_VALUE),
                  "%s", rows[i]);
        free(kept);
    }
    cachekit_arena_release(&arena);
}

Test(json_refuse, the_error_names_the_cause_and_its_place)
{
    static const struct {
        const char *text;
        uint64_t position;
        const char *error;
    } rows[] = {
        {"", 0, "empty input"},
        {"[1,x]", 3, "no value, at byte 3"},
        {"[1 2]", 3, "no comma and no ] behind an item, at byte 3"},
        {"{\"a\":1 2}", 7, "no comma and no } behind a pair, at byte 7"},
        {"{\"a\" 1}", 5, "no colon behind a key, at byte 5"},
        {"{1:2}", 1, "no key, at byte 1"},
        {"[1", 2, "the document ends too early, at byte 2"},
        {"[] x", 3, "bytes behind the document, at byte 3"},
        {"[\"a\xff\"]", 3, "text that is not UTF-8, at byte 3"},
        {"[\"a\x01\"]", 3, "control character in text, at byte 3"},
        {"[\"a\\q\"]", 3, "no such escape, at byte 3"},
        {"[\"a", 3, "text without an end, at byte 3"},
        {"[-]", 1, "malformed number, at byte 1"},
        {"[18446744073709551616]", 1, "integer beyond 64 bits, at byte 1"},
        {"[1e999]", 1, "float beyond binary64, at byte 1"},
        {"[{\"$set\":[]}]", 1, "$set is for arguments only, at byte 1"},
        {"[{\"$x\":1}]", 1, "unknown tag, at byte 1"},
    };
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t *kept;
        cachekit_value root;
        cachekit_error error;
        cr_expect(
            lt(int, json_exact(rows[i].text, strlen(rows[i].text), 0, &arena, &root, &error, &kept),
               0));
        cr_expect(eq(u64, error.position, rows[i].position), "%s", rows[i].text);
        cr_expect(eq(str, error.text, (char *)rows[i].error));
        free(kept);
    }
    cachekit_arena_release(&arena);
}

Test(json_refuse, every_truncation_is_refused)
{
    static const char text[] = "[{\"a\":[1.5e3,-0,{\"$bytes\":\"00\"}],\"\\u20ac\":{\"$map\":[[1,"
                               "true]]}},\"\xf0\x9f\x98\x80\",null,false]";
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    for (size_t len = 0; len <= sizeof text - 1; len++) {
        uint8_t *kept;
        cachekit_value root;
        cachekit_status status = json_exact(text, len, 0, &arena, &root, NULL, &kept);
        cr_expect(eq(int, status, len == sizeof text - 1 ? CACHEKIT_OK : CACHEKIT_E_DECODE),
                  "cut to %zu", len);
        free(kept);
    }
    cachekit_arena_release(&arena);
}
