// SPDX-License-Identifier: MIT
// What the reader takes is what RFC 8259 allows and a double can hold; cJSON, which is lenient, is
// the judge of what the taken text means.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/json.h"
#include "same.h"

static void compare(const struct json_value *ours, const cJSON *theirs)
{
    struct fault fault;
    int64_t number;
    const char *text;
    bool truth;
    static const struct json_text_rule any = {.max = 1000000, .is_free = true};
    switch (json_kind(ours)) {
    case JSON_NULL:
        cr_assert(cJSON_IsNull(theirs));
        break;
    case JSON_BOOL:
        cr_assert(json_as_bool(ours, &truth, &fault));
        cr_assert(eq(int, truth, cJSON_IsTrue(theirs)));
        break;
    case JSON_INTEGER:
        cr_assert(json_as_i64(ours, -JSON_SAFE_INTEGER, JSON_SAFE_INTEGER, &number, &fault));
        cr_assert(eq(dbl, (double)number, cJSON_GetNumberValue(theirs)));
        break;
    case JSON_DECIMAL:
        cr_assert(cJSON_IsNumber(theirs));
        break;
    case JSON_TEXT:
        cr_assert(json_as_text(ours, &any, &text, &fault), "%s", fault.text);
        SAME(text, cJSON_GetStringValue(theirs));
        break;
    case JSON_ARRAY:
    case JSON_OBJECT: {
        const cJSON *their = theirs->child;
        cr_assert(eq(int, json_kind(ours) == JSON_OBJECT, cJSON_IsObject(theirs)));
        cr_assert(eq(sz, json_count(ours), (size_t)cJSON_GetArraySize(theirs)));
        for (const struct json_value *our = json_first(ours); our; our = json_next(our)) {
            if (json_key(our) != NULL) {
                SAME(json_key(our), their->string);
            }
            compare(our, their);
            their = their->next;
        }
        break;
    }
    }
}

Test(json, what_is_taken_means_what_another_reader_says)
{
    static const char *const texts[] = {
        "{}",
        " \t\r\n{ }\n",
        "{\"a\":[]}",
        "{\"a\":[1,-1,0,-0,9007199254740991,-9007199254740991]}",
        "{\"a\":{\"b\":{\"c\":[true,false,null]}}}",
        "{\"a\":[1.5,1e2,1E+2,1e-2,-0.0,0.125,1.0]}",
        "{\"\":\"\"}",
        "{\"a\":\"\\\"\\\\\\/ \\u0041\\u00e9\\u20ac\\ud83d\\ude00\"}",
        "{\"a\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf\"}",
        "{\"a\":1,\"b\":2,\"aa\":3,\"ab\":4}",
        "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}",
        "{\"a\":[{\"x\":1},{\"x\":2}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct fault fault;
        struct json_doc *doc;
        cr_assert(json_read_text("t", texts[i], strlen(texts[i]), &doc, &fault), "%s: %s", texts[i],
                  fault.text);
        cJSON *theirs = cJSON_Parse(texts[i]);
        cr_assert(theirs != NULL, "%s", texts[i]);
        compare(json_root(doc), theirs);
        cJSON_Delete(theirs);
        json_free(doc);
    }
}

Test(json, what_is_refused_says_where_and_why)
{
    static const struct {
        const char *text;
        size_t len; // 0: as strlen says
        const char *wanted;
    } cases[] = {
        {"", 0, "t:1: the file is empty"},
        {"\n\n", 0, "t:3: the file is empty"},
        {"[1]", 0, "t:1: the file is no JSON object"},
        {"\xef\xbb\xbf{}", 0, "byte order mark"},
        {"{}x", 0, "something follows"},
        {"{} {}", 0, "something follows"},
        {"{}\0", 3, "something follows"},
        {"{\"a\":1", 0, "the file is cut here"},
        {"{\"a\":", 0, "t:1: a: the file is cut here"},
        {"{\"a\":\"x", 0, "t:1: a: the text is cut"},
        {"{\"a\":\"x\\", 0, "t:1: a: the text is cut"},
        {"{\"a\":1,}", 0, "a member's name is missing"},
        {"{\"a\":[1,]}", 0, "t:1: a[1]: no JSON value"},
        {"{\"a\":[1 2]}", 0, "t:1: a: a comma is missing"},
        {"{\"a\" 1}", 0, "t:1: a: a colon is missing"},
        {"{\n\"a\":1,\n\"a\":2}", 0, "a: a member is there twice"},
        {"{\"b\":{\"x\":1,\"a\":2,\"X\":3,\"b\":4}}", 0, "a member is there twice"},
        {"{\"a\":1,\"\\u0061\":2}", 0, "a member is there twice"},
        {"{\"a\":01}", 0, "leading zeros"},
        {"{\"a\":-01}", 0, "leading zeros"},
        {"{\"a\":0123}", 0, "leading zeros"},
        {"{\"a\":1.}", 0, "ends in its decimal point"},
        {"{\"a\":.5}", 0, "no JSON value"},
        {"{\"a\":+1}", 0, "no JSON value"},
        {"{\"a\":-}", 0, "no JSON value"},
        {"{\"a\":1e}", 0, "empty exponent"},
        {"{\"a\":1e+}", 0, "empty exponent"},
        {"{\"a\":NaN}", 0, "no JSON value"},
        {"{\"a\":nan}", 0, "no JSON value"},
        {"{\"a\":Infinity}", 0, "no JSON value"},
        {"{\"a\":0x10}", 0, "a comma is missing"},
        {"{\"a\":1e999}", 0, "beyond 2^53"},
        {"{\"a\":1e16}", 0, "beyond 2^53"},
        {"{\"a\":9007199254740992}", 0, "beyond 2^53"},
        {"{\"a\":-9007199254740992}", 0, "beyond 2^53"},
        {"{\"a\":99999999999999999999999999}", 0, "beyond 2^53"},
        {"{\"a\":0.0000000000000000000000000000000000000000000000000000000000000001}", 0,
         "more than 63 characters"},
        {"{\"a\":True}", 0, "no JSON value"},
        {"{\"a\":nul}", 0, "no JSON value"},
        {"{\"a\":'x'}", 0, "no JSON value"},
        {"{a:1}", 0, "a member's name is missing"},
        {"{\"a\":\"\\u0000\"}", 0, "U+0000"},
        {"{\"a\\u0000b\":1}", 0, "U+0000"},
        {"{\"a\":\"x\0y\"}", 11, "a NUL byte"},
        {"{\"a\":\"\n\"}", 0, "a control character"},
        {"{\"a\":\"\\x41\"}", 0, "an unknown escape"},
        {"{\"a\":\"\\u12g4\"}", 0, "four hex digits"},
        {"{\"a\":\"\\ud800\"}", 0, "half a surrogate pair"},
        {"{\"a\":\"\\udc00\"}", 0, "half a surrogate pair"},
        {"{\"a\":\"\\ud800\\u0041\"}", 0, "half a surrogate pair"},
        {"{\"a\":\"\x80\"}", 0, "no UTF-8"},
        {"{\"a\":\"\xc3\"}", 0, "no UTF-8"},
        {"{\"a\":\"\xc0\xaf\"}", 0, "no UTF-8"},
        {"{\"a\":\"\xe0\x80\x80\"}", 0, "no UTF-8"},
        {"{\"a\":\"\xed\xa0\x80\"}", 0, "no UTF-8"},
        {"{\"a\":\"\xf4\x90\x80\x80\"}", 0, "no UTF-8"},
        {"{\"a\":\"\xf8\x88\x80\x80\x80\"}", 0, "no UTF-8"},
        {"{\"a\":1 /* no */}", 0, "a comma is missing"},
        {"{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}", 0,
         "nested too deeply"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fault fault;
        struct json_doc *doc;
        size_t len = cases[i].len != 0 ? cases[i].len : strlen(cases[i].text);
        cr_assert_not(json_read_text("t", cases[i].text, len, &doc, &fault), "taken: %s",
                      cases[i].text);
        cr_assert(doc == NULL);
        cr_assert(strstr(fault.text, cases[i].wanted) != NULL, "%s: %s", cases[i].text, fault.text);
    }
}

Test(json, a_long_key_or_a_deep_path_keeps_the_fault_in_one_line)
{
    struct fault fault;
    struct json_doc *doc;
    char text[9000];
    memset(text, 'k', sizeof text);
    memcpy(text, "{\"", 2);
    memcpy(text + sizeof text - 6, "\":01}", 6);
    cr_assert_not(json_read_text("t", text, sizeof text - 1, &doc, &fault));
    cr_assert(strstr(fault.text, "leading zeros") != NULL, "%s", fault.text);
}

Test(json, a_million_values_are_the_end)
{
    struct fault fault;
    struct json_doc *doc;
    size_t len = 2200010;
    char *text = malloc(len);
    memset(text, ',', len);
    for (size_t i = 6; i < len; i += 2) {
        text[i - 1] = '1';
    }
    memcpy(text, "{\"a\":[", 6);
    text[6] = '1';
    for (size_t i = 7; i < len - 2; i++) {
        text[i] = i % 2 == 1 ? ',' : '1';
    }
    text[len - 2] = ']';
    text[len - 1] = '}';
    cr_assert_not(json_read_text("t", text, len, &doc, &fault));
    cr_assert(strstr(fault.text, "too many values") != NULL, "%s", fault.text);
    free(text);
}

static bool read_wrong_types(const struct json_value *root, const char *key, struct fault *fault)
{
    int64_t number = 77;
    const char *text = "kept";
    bool truth = true;
    const struct json_value *value = root;
    bool taken = json_want_i64(root, key, 0, 100, &number, fault);
    taken |= json_want_text(root, key, &json_rule_name, &text, fault);
    taken |= json_want_bool(root, key, &truth, fault);
    taken |= json_want(root, key, JSON_OBJECT, &value, fault);
    cr_assert(number == 77 && truth && value == root && strcmp(text, "kept") == 0);
    return taken;
}

Test(json, typed_looks_refuse_other_types_ranges_and_case)
{
    static const char text[] =
        "{\"null\":null,\"array\":[1],\"decimal\":1.0,\"exponent\":1e1,"
        "\"big\":101,\"small\":7,\"negative\":-1,\"name\":\"Not a name\",\"empty\":\"\"}";
    static const char *const keys[] = {"null",     "array", "decimal", "exponent", "big",
                                       "negative", "name",  "empty",   "absent",   "Small"};
    struct fault fault;
    struct json_doc *doc;
    cr_assert(json_read_text("t", text, strlen(text), &doc, &fault), "%s", fault.text);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        cr_assert_not(read_wrong_types(json_root(doc), keys[i], &fault), "%s", keys[i]);
    }
    json_free(doc);
}

Test(json, thousandths_are_exact_or_refused)
{
    static const struct {
        const char *text;
        bool is_taken;
        int64_t milli;
    } cases[] = {{"1", true, 1000},
                 {"1.0", true, 1000},
                 {"0.2", true, 200},
                 {"0.001", true, 1},
                 {"12.345", true, 12345},
                 {"0.0001", false, 0},
                 {"0.2000", false, 0},
                 {"1e0", false, 0},
                 {"0", false, 0},
                 {"-1", false, 0},
                 {"1000.001", false, 0},
                 {"1000", true, 1000000},
                 {"9007199254740991", false, 0},
                 {"\"1\"", false, 0},
                 {"null", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        struct fault fault;
        struct json_doc *doc;
        int64_t milli = -5;
        (void)snprintf(text, sizeof text, "{\"a\":%s}", cases[i].text);
        cr_assert(json_read_text("t", text, strlen(text), &doc, &fault));
        bool taken = json_may_milli(json_root(doc), "a", 1, 1000000, &milli, &fault);
        cr_assert(eq(int, taken, cases[i].is_taken), "%s", text);
        cr_assert(eq(i64, milli, cases[i].is_taken ? cases[i].milli : -5), "%s", text);
        json_free(doc);
    }
}

Test(json, hostile_names_are_no_names_and_no_lines)
{
    static const char *const names[] = {
        "a|b",
        "a`b",
        "<img src=x>",
        "@everyone",
        "#1",
        "a b",
        "A",
        "../../x",
        "--flag",
        "a.b",
        "a/b",
        "a\\\\b",
        "a\\nb",
        "a\\tb",
        "<!-- marker -->",
        "\\u202eabc",
        "\xe2\x80\xaex",
        "\xc3\xa9",
        "$x",
        "a;b",
        "a'b",
        "a\\\"b",
        "",
        "%n",
        "a=b",
        "~",
        "*",
        "?",
        "a,b",
        "a:b",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", // 65
    };
    static const char *const lines[] = {"a\\nb",        "\\u001b[31m", "\\u202e",  "\xe2\x80\xae",
                                        "\xc2\x9b[31m", "\\u2028",     "\\u0007x", "",
                                        "\\u007f"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] + sizeof lines / sizeof lines[0]; i++) {
        size_t count = sizeof names / sizeof names[0];
        char text[256];
        struct fault fault;
        struct json_doc *doc;
        const char *out = NULL;
        const char *shown = i < count ? names[i] : lines[i - count];
        (void)snprintf(text, sizeof text, "{\"a\":\"%s\"}", shown);
        cr_assert(json_read_text("t", text, strlen(text), &doc, &fault), "%s", fault.text);
        cr_assert_not(json_want_text(json_root(doc), "a",
                                     i < count ? &json_rule_name : &json_rule_line, &out, &fault),
                      "%s", text);
        for (const char *c = fault.text; *c != '\0'; c++) {
            cr_assert(c[0] >= 0x20 && c[0] <= 0x7e);
        }
        json_free(doc);
    }
}

Test(json, a_file_beyond_the_limit_is_refused_unread)
{
    char path[] = "/tmp/test_json.XXXXXX";
    struct fault fault;
    struct json_doc *doc;
    int fd = mkstemp(path);
    cr_assert(eq(int, ftruncate(fd, (off_t)1 << 40), 0)); // more than memory: reading would show
    bool is_taken = json_read_file(path, &doc, &fault);
    (void)unlink(path);
    (void)close(fd);
    cr_assert(eq(int, is_taken, 0));
    cr_assert(strstr(fault.text, "larger than 67108864 bytes") != NULL, "%s", fault.text);
}

Test(json, what_is_no_ordinary_file_is_refused_at_once)
{
    static const char *const paths[] = {"/nonexistent/x", "/tmp", "/dev/zero", "/dev/null",
                                        "/proc/self/mem"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct fault fault;
        struct json_doc *doc;
        cr_assert_not(json_read_file(paths[i], &doc, &fault), "%s", paths[i]);
        cr_assert(strncmp(fault.text, paths[i], strlen(paths[i])) == 0, "%s", fault.text);
    }
}
