// SPDX-License-Identifier: MIT
// Arguments from JSON, told again in a notation of the test's own, so that nothing of the library
// stands between the tree and the claim.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arg_json.h"
#include "same.h"

enum { TOLD_SIZE = 512 };

static void tell(const cachekit_arg *arg, char *out);

__attribute__((format(printf, 2, 3))) static void add(char *out, const char *format, ...)
{
    va_list args;
    size_t len = strlen(out);
    va_start(args, format);
    vsnprintf(out + len, TOLD_SIZE - len, format, args);
    va_end(args);
}

static void tell_items(const cachekit_arg *arg, size_t count, char open, char close, char *out)
{
    const cachekit_arg *items = arg->as.data;
    add(out, "%c", open);
    for (size_t i = 0; i < count; i++) {
        add(out, "%s", i > 0 ? " " : "");
        tell(&items[i], out);
    }
    add(out, "%c", close);
}

static void tell_bytes(const char *kind, const cachekit_arg *arg, char *out)
{
    const uint8_t *bytes = arg->as.data;
    add(out, "%s:", kind);
    for (size_t i = 0; i < arg->len; i++) {
        add(out, "%02x", bytes[i]);
    }
}

static void tell(const cachekit_arg *arg, char *out)
{
    switch (arg->type) {
    case CACHEKIT_ARG_NULL:
        add(out, "null");
        break;
    case CACHEKIT_ARG_BOOL:
        add(out, "%s", arg->as.bits != 0 ? "true" : "false");
        break;
    case CACHEKIT_ARG_I64:
        add(out, "i:%lld", (long long)arg->as.i64);
        break;
    case CACHEKIT_ARG_U64:
        add(out, "u:%llu", (unsigned long long)arg->as.u64);
        break;
    case CACHEKIT_ARG_F64:
        add(out, "f:%a", arg->as.f64);
        break;
    case CACHEKIT_ARG_STR:
        add(out, "'%.*s'", (int)arg->len, (const char *)arg->as.data);
        break;
    case CACHEKIT_ARG_DATETIME_TEXT:
        add(out, "at:%.*s", (int)arg->len, (const char *)arg->as.data);
        break;
    case CACHEKIT_ARG_BYTES:
        tell_bytes("bytes", arg, out);
        break;
    case CACHEKIT_ARG_UUID:
        tell_bytes("uuid", &(cachekit_arg){CACHEKIT_ARG_BYTES, 16, {.data = arg->as.data}}, out);
        break;
    case CACHEKIT_ARG_LIST:
        tell_items(arg, arg->len, '[', ']', out);
        break;
    case CACHEKIT_ARG_SET:
        tell_items(arg, arg->len, '<', '>', out);
        break;
    case CACHEKIT_ARG_MAP:
        tell_items(arg, 2 * (size_t)arg->len, '{', '}', out);
        break;
    default:
        add(out, "?");
    }
}

static cachekit_slice slice_of(const char *text)
{
    return (cachekit_slice){(const uint8_t *)text, strlen(text)};
}

Test(arg_json, every_type_has_a_spelling)
{
    static const struct {
        const char *json;
        const char *told;
    } rows[] = {
        {"[]", "[]"},
        {"[null, true, false]", "[null true false]"},
        {"[0, -1, 9223372036854775807, -9223372036854775808]",
         "[i:0 i:-1 i:9223372036854775807 i:-9223372036854775808]"},
        {"[9223372036854775808, 18446744073709551615]",
         "[u:9223372036854775808 u:18446744073709551615]"},
        {"[2.5, 1.0, 1e0, -0.0]", "[f:0x1.4p+1 f:0x1p+0 f:0x1p+0 f:0x0p+0]"},
        {"[\"\", \"en\", \"\\u20ac\"]", "['' 'en' '\xe2\x82\xac']"},
        {"[[], [1, [2]]]", "[[] [i:1 [i:2]]]"},
        {"[{}, {\"b\": 1, \"a\": {\"c\": 2}}]", "[{} {'b' i:1 'a' {'c' i:2}}]"},
        {"[{\"$set\": []}, {\"$set\": [3, 1, {\"$set\": [2]}]}]", "[<> <i:3 i:1 <i:2>>]"},
        {"[{\"$bytes\": \"\"}, {\"$bytes\": \"00fF\"}]", "[bytes: bytes:00ff]"},
        {"[{\"$datetime\": \"2024-01-01T00:00:00Z\"}]", "[at:2024-01-01T00:00:00Z]"},
        {"[{\"$uuid\": \"550E8400-e29b-41d4-a716-446655440000\"}]",
         "[uuid:550e8400e29b41d4a716446655440000]"},
        {"[{\"$float\": \"2\"}, {\"$float\": \"1.5\"}, {\"$float\": \"18446744073709551616\"}]",
         "[f:0x1p+1 f:0x1.8p+0 f:0x1p+64]"},
        {"[{\"$float\": \"inf\"}, {\"$float\": \"-inf\"}]", "[f:inf f:-inf]"},
        {"[{\"$int\": \"5\"}, {\"$int\": \"18446744073709551615\"}]",
         "[i:5 u:18446744073709551615]"},
        {"[{\"$map\": []}, {\"$map\": [[1, 2], [{\"$bytes\": \"aa\"}, [3]]]}]",
         "[{} {i:1 i:2 bytes:aa [i:3]}]"},
        {"[{\"$map\": [[\"$set\", [1]]]}]", "[{'$set' [i:1]}]"},
        {"[{\"$set\": [1], \"a\": 2}, {\"a$\": 1}, {\"\": 1}]",
         "[{'$set' [i:1] 'a' i:2} {'a$' i:1} {'' i:1}]"},
        {"[{\"a\": 1, \"a\": 2}]", "[{'a' i:1 'a' i:2}]"},
        {"[{\"__date__\": true, \"value\": \"2024-02-29\"}]",
         "[{'__date__' true 'value' '2024-02-29'}]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arg_list list;
        cachekit_error error = {.text = ""};
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        char told[TOLD_SIZE] = "";
        char *json = strdup(rows[i].json);
        cr_assert(arg_json_read(slice_of(json), &arena, &list, &error) == CACHEKIT_OK, "%s: %s",
                  json, error.text);
        memset(json, '?', strlen(json)); // nothing may point into the text
        free(json);
        cachekit_arg whole = cachekit_list(list.items, list.count);
        tell(&whole, told);
        SAME(told, rows[i].told);
        cachekit_arena_release(&arena);
    }
}

Test(arg_json, names_come_with_their_values)
{
    struct arg_list list;
    char told[TOLD_SIZE] = "";
    cachekit_error error;
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    const char *json = "{\"lang\": \"en\", \"$set\": {\"$set\": [1]}}";
    cr_assert(eq(int, arg_json_read_named(slice_of(json), &arena, &list, &error), CACHEKIT_OK));
    cr_assert(eq(sz, list.count, 2));
    cachekit_arg whole = cachekit_map(list.items, list.count);
    tell(&whole, told);
    SAME(told, "{'lang' 'en' '$set' <i:1>}");
    // One name that begins with a dollar is a name, not a tag.
    cr_assert(eq(int, arg_json_read_named(slice_of("{\"$set\": 1}"), &arena, &list, &error),
                 CACHEKIT_OK));
    cr_assert(
        eq(int, arg_json_read_named(slice_of("[]"), &arena, &list, &error), CACHEKIT_E_DECODE));
    cr_assert(
        eq(int,
           arg_json_read_named(slice_of("{\"a\": 1, \"b\": {\"$no\": 1}}"), &arena, &list, &error),
           CACHEKIT_E_DECODE));
    cr_assert(strncmp(error.text, "argument 2: ", 12) == 0, "%s", error.text);
    cachekit_arena_release(&arena);
}

Test(arg_json, what_is_malformed_is_refused_with_its_place)
{
    static const struct {
        const char *json;
        cachekit_status status;
        const char *text;
    } rows[] = {
        {"", CACHEKIT_E_DECODE, ""},
        {"{}", CACHEKIT_E_DECODE, "arguments are a JSON array"},
        {"[1", CACHEKIT_E_DECODE, ""},
        {"[18446744073709551616]", CACHEKIT_E_VALUE, ""},
        {"[{\"$int\": \"18446744073709551616\"}]", CACHEKIT_E_VALUE, "argument 1: "},
        {"[0, {\"$int\": 5}]", CACHEKIT_E_DECODE, "argument 2: "},
        {"[0, 0, {\"$int\": \" 5\"}]", CACHEKIT_E_DECODE, "argument 3: "},
        {"[{\"$float\": \"0x1\"}]", CACHEKIT_E_DECODE, "argument 1: "},
        {"[{\"$float\": \"1e999\"}]", CACHEKIT_E_VALUE, "argument 1: "},
        {"[{\"$bytes\": \"abc\"}]", CACHEKIT_E_DECODE, "argument 1: "},
        {"[{\"$set\": {\"a\": 1}}]", CACHEKIT_E_DECODE, "argument 1: $set wants an array"},
        {"[{\"$map\": {}}]", CACHEKIT_E_DECODE, "argument 1: $map wants an array of pairs"},
        {"[{\"$map\": [[1, 2, 3]]}]", CACHEKIT_E_DECODE, "argument 1: $map wants an array of p"},
        {"[{\"$datetime\": 1}]", CACHEKIT_E_DECODE, "argument 1: $datetime wants"},
        {"[{\"$uuid\": \"550e8400-e29b-41d4-a716-44665544000\"}]", CACHEKIT_E_DECODE,
         "argument 1: $uuid wants"},
        {"[{\"$uuid\": \"550e8400-e29b-41d4-a7160446655440000\"}]", CACHEKIT_E_DECODE,
         "argument 1: $uuid wants"},
        {"[{\"$uuid\": \"550e8400-e29b-41d4-a716-44665544000\\u0000\"}]", CACHEKIT_E_DECODE,
         "argument 1: $uuid wants"},
        {"[{\"$setx\": []}]", CACHEKIT_E_DECODE, "argument 1: unknown tag"},
        {"[{\"$se\": []}]", CACHEKIT_E_DECODE, "argument 1: unknown tag"},
        {"[{\"$\": []}]", CACHEKIT_E_DECODE, "argument 1: unknown tag"},
        {"[[], [{\"a\": [{\"$no\": 1}]}]]", CACHEKIT_E_DECODE, "argument 2: unknown tag"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arg_list list = {NULL, 7};
        cachekit_error error = {.text = ""};
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        cachekit_status status = arg_json_read(slice_of(rows[i].json), &arena, &list, &error);
        cr_assert(status == rows[i].status, "%s: %d, %s", rows[i].json, status, error.text);
        cr_assert(strncmp(error.text, rows[i].text, strlen(rows[i].text)) == 0, "%s: %s",
                  rows[i].json, error.text);
        cr_assert(strstr(error.text, "at byte") == NULL || rows[i].text[0] == '\0', "%s",
                  error.text);
        cr_assert(list.items == NULL && list.count == 0);
        cr_assert(arg_json_read(slice_of(rows[i].json), &arena, &list, NULL) == status);
        cachekit_arena_release(&arena);
    }
}

// Sets in sets: the deepest tree that JSON may be, on the way down and no deeper.
Test(arg_json, depth_costs_no_stack)
{
    enum { SETS = 511 }; // a set is an object and an array
    char json[SETS * 12 + 8] = "[";
    struct arg_list list;
    cachekit_error error;
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    for (int i = 0; i < SETS; i++) {
        strcat(json, "{\"$set\":[");
    }
    for (int i = 0; i < SETS; i++) {
        strcat(json, "]}");
    }
    strcat(json, "]");
    cr_assert(eq(int, arg_json_read(slice_of(json), &arena, &list, &error), CACHEKIT_OK));
    const cachekit_arg *at = list.items;
    for (int i = 0; i < SETS; i++) {
        cr_assert(eq(u32, at->type, CACHEKIT_ARG_SET));
        cr_assert(eq(u32, at->len, i < SETS - 1 ? 1 : 0));
        at = at->as.data;
    }
    cachekit_arena_release(&arena);
}

Test(arg_json, memory_that_ends_is_said)
{
    const char *json = "[[1, 2], {\"$set\": [1]}, {\"$map\": [[1, 2]]}, {\"$uuid\": "
                       "\"550e8400-e29b-41d4-a716-446655440000\"}, {\"$bytes\": \"00\"}]";
    size_t refused = 0;
    cachekit_status status = CACHEKIT_E_NOMEM;
    for (size_t budget = 0; status != CACHEKIT_OK; budget += 64) {
        struct arg_list list;
        cachekit_arena arena;
        cachekit_error error;
        cr_assert(budget < 1 << 20);
        cachekit_arena_init(&arena, NULL, budget);
        status = arg_json_read(slice_of(json), &arena, &list, &error);
        cr_assert(status == CACHEKIT_OK || status == CACHEKIT_E_NOMEM, "%s", error.text);
        refused += status == CACHEKIT_E_NOMEM;
        cachekit_arena_release(&arena);
    }
    cr_assert(refused > 0);
}
