// SPDX-License-Identifier: MIT
// Typed looks into a document. Every check that a reader of foreign files needs is one call, so
// that leaving one out is more work than making it.
#include "store/json.h"

#include <inttypes.h>
#include <string.h>

#include "store/json_tree.h"

const struct json_text_rule json_rule_name = {.min = 1, .max = 64};
const struct json_text_rule json_rule_line = {.min = 1, .max = 4096, .is_free = true};

static const char *kind_word(enum json_kind kind)
{
    static const char *const words[] = {"null",   "true or false", "an integer", "a number",
                                        "a text", "an array",      "an object"};
    return words[kind];
}

bool json_is(const struct json_value *value, enum json_kind kind, struct fault *fault)
{
    return value->kind == kind || json_fail(value, fault, "%s is wanted, here is %s",
                                            kind_word(kind), kind_word(value->kind));
}

bool json_as_i64(const struct json_value *value, int64_t min, int64_t max, int64_t *out,
                 struct fault *fault)
{
    if (!json_is(value, JSON_INTEGER, fault)) {
        return false;
    }
    if (value->integer < min || value->integer > max) {
        return json_fail(value, fault, "%" PRId64 " is out of range, %" PRId64 " to %" PRId64,
                         value->integer, min, max);
    }
    *out = value->integer;
    return true;
}

// "-1.25" as -1250; false for exponents and more than three decimals.
static bool read_milli(const char *text, size_t len, int64_t *out)
{
    size_t at = text[0] == '-';
    int64_t number = 0;
    size_t decimals = 0;
    bool is_behind = false;
    for (; at < len; at++) {
        if (text[at] == '.') {
            is_behind = true;
            continue;
        }
        if (text[at] < '0' || text[at] > '9' || number > JSON_SAFE_INTEGER / 10) {
            return false;
        }
        number = number * 10 + (text[at] - '0');
        decimals += is_behind;
    }
    if (decimals > 3) {
        return false;
    }
    for (; decimals < 3; decimals++) {
        if (number > JSON_SAFE_INTEGER / 10) {
            return false;
        }
        number *= 10;
    }
    *out = text[0] == '-' ? -number : number;
    return true;
}

static bool as_milli(const struct json_value *value, int64_t min, int64_t max, int64_t *out,
                     struct fault *fault)
{
    int64_t number;
    if (value->kind != JSON_INTEGER && !json_is(value, JSON_DECIMAL, fault)) {
        return false;
    }
    if (!read_milli(value->raw, value->raw_len, &number)) {
        return json_fail(value, fault, "a number of at most three decimals is wanted");
    }
    if (number < min || number > max) {
        return json_fail(
            value, fault,
            "%.*s is out of range, %" PRId64 ".%03" PRId64 " to %" PRId64 ".%03" PRId64,
            (int)value->raw_len, value->raw, min / 1000, min % 1000, max / 1000, max % 1000);
    }
    *out = number;
    return true;
}

static uint32_t next_code(const unsigned char **at)
{
    static const unsigned char masks[] = {0x7f, 0x1f, 0x0f, 0x07};
    unsigned more = **at >= 0xf0 ? 3 : **at >= 0xe0 ? 2 : **at >= 0xc0 ? 1 : 0;
    uint32_t code = *(*at)++ & masks[more];
    for (; more > 0; more--) {
        code = code << 6 | (*(*at)++ & 0x3f);
    }
    return code;
}

// Control characters, line and paragraph separators, and what turns the direction of writing: they
// make a shown line say something else than the file does.
static bool is_unfit(uint32_t code)
{
    static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x061c, 0x061c},
                                         {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
                                         {0xfeff, 0xfeff}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code >= ranges[i][0] && code <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

static bool is_named(char c, const char *extra)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           (extra != NULL && strchr(extra, c) != NULL);
}

static bool fits(const char *text, const struct json_text_rule *rule)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        if (rule->is_free ? is_unfit(next_code(&at)) : !is_named((char)*at++, rule->extra)) {
            return false;
        }
    }
    return true;
}

static bool check_text(const struct json_value *at, const char *text,
                       const struct json_text_rule *rule, struct fault *fault)
{
    size_t len = strlen(text);
    if (len < rule->min || len > rule->max) {
        return json_fail(at, fault, "a text of %zu bytes, wanted are %zu to %zu", len, rule->min,
                         rule->max);
    }
    if (rule->is_any || fits(text, rule)) {
        return true;
    }
    if (rule->is_free) {
        return json_fail(at, fault, "a control character in a text that is to be shown");
    }
    return json_fail(at, fault, "'%.64s' has other characters than a-z, 0-9, _%s%s", text,
                     rule->extra ? " and " : "", rule->extra ? rule->extra : "");
}

bool json_as_text(const struct json_value *value, const struct json_text_rule *rule,
                  const char **out, struct fault *fault)
{
    if (!json_is(value, JSON_TEXT, fault) || !check_text(value, value->text, rule, fault)) {
        return false;
    }
    *out = value->text;
    return true;
}

bool json_key_as_text(const struct json_value *member, const struct json_text_rule *rule,
                      const char **out, struct fault *fault)
{
    if (!check_text(member, member->key, rule, fault)) {
        return false;
    }
    *out = member->key;
    return true;
}

bool json_as_bool(const struct json_value *value, bool *out, struct fault *fault)
{
    if (!json_is(value, JSON_BOOL, fault)) {
        return false;
    }
    *out = value->truth;
    return true;
}

static const struct json_value *find_or_fail(const struct json_value *object, const char *key,
                                             struct fault *fault)
{
    const struct json_value *value = json_find(object, key);
    if (value == NULL) {
        (void)json_fail(object, fault, "the member '%s' is missing", key);
    }
    return value;
}

bool json_want(const struct json_value *object, const char *key, enum json_kind kind,
               const struct json_value **out, struct fault *fault)
{
    const struct json_value *value = find_or_fail(object, key, fault);
    if (value == NULL || !json_is(value, kind, fault)) {
        return false;
    }
    *out = value;
    return true;
}

bool json_want_i64(const struct json_value *object, const char *key, int64_t min, int64_t max,
                   int64_t *out, struct fault *fault)
{
    const struct json_value *value = find_or_fail(object, key, fault);
    return value != NULL && json_as_i64(value, min, max, out, fault);
}

bool json_want_text(const struct json_value *object, const char *key,
                    const struct json_text_rule *rule, const char **out, struct fault *fault)
{
    const struct json_value *value = find_or_fail(object, key, fault);
    return value != NULL && json_as_text(value, rule, out, fault);
}

bool json_want_bool(const struct json_value *object, const char *key, bool *out,
                    struct fault *fault)
{
    const struct json_value *value = find_or_fail(object, key, fault);
    return value != NULL && json_as_bool(value, out, fault);
}

bool json_want_schema(const struct json_value *object, const char *schema, struct fault *fault)
{
    const struct json_value *value = find_or_fail(object, "schema", fault);
    if (value == NULL || !json_is(value, JSON_TEXT, fault)) {
        return false;
    }
    return strcmp(value->text, schema) == 0 ||
           json_fail(value, fault, "'%.64s' is not the schema wanted, %s", value->text, schema);
}

bool json_may(const struct json_value *object, const char *key, enum json_kind kind,
              const struct json_value **out, struct fault *fault)
{
    return json_find(object, key) == NULL || json_want(object, key, kind, out, fault);
}

bool json_may_i64(const struct json_value *object, const char *key, int64_t min, int64_t max,
                  int64_t *out, struct fault *fault)
{
    return json_find(object, key) == NULL || json_want_i64(object, key, min, max, out, fault);
}

bool json_may_milli(const struct json_value *object, const char *key, int64_t min, int64_t max,
                    int64_t *out, struct fault *fault)
{
    const struct json_value *value = json_find(object, key);
    return value == NULL || as_milli(value, min, max, out, fault);
}

bool json_may_text(const struct json_value *object, const char *key,
                   const struct json_text_rule *rule, const char **out, struct fault *fault)
{
    return json_find(object, key) == NULL || json_want_text(object, key, rule, out, fault);
}

bool json_only(const struct json_value *object, const char *const *keys, struct fault *fault)
{
    for (const struct json_value *member = object->first; member; member = member->next) {
        size_t i = 0;
        while (keys[i] != NULL && strcmp(keys[i], member->key) != 0) {
            i++;
        }
        if (keys[i] == NULL) {
            return json_fail(member, fault, "the member is unknown");
        }
    }
    return true;
}
