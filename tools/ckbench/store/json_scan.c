// SPDX-License-Identifier: MIT
// From the bytes of a file to a tree, in one recursive descent whose depth is bounded. A value
// hangs in the tree before it is read, so that a fault can name the field it broke in.
#include "store/json_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json_token.h"

struct scan {
    struct json_doc *doc;
    const char *at, *end;
    char *to; // next decoded text
    unsigned line, depth;
    struct fault *fault;
};

static bool scan_value(struct scan *scan, struct json_value *value);

static bool fail(const struct scan *scan, const struct json_value *value, const char *wrong)
{
    char path[160];
    json_path(value, path, sizeof path);
    return fault_set(scan->fault, "%.200s:%u: %s%s%s", scan->doc->name, scan->line, path,
                     path[0] != '\0' ? ": " : "", wrong);
}

static void skip_space(struct scan *scan)
{
    for (; scan->at < scan->end; scan->at++) {
        if (*scan->at == '\n') {
            scan->line++;
        } else if (*scan->at != ' ' && *scan->at != '\t' && *scan->at != '\r') {
            return;
        }
    }
}

static bool is_next(const struct scan *scan, char c)
{
    return scan->at < scan->end && *scan->at == c;
}

static struct json_value *append(struct scan *scan, struct json_value *parent)
{
    struct json_value *value = json_value_new(scan->doc);
    if (value == NULL) {
        (void)fail(scan, parent, "too many values, or no memory for them");
        return NULL;
    }
    value->parent = parent;
    value->line = scan->line;
    if (parent->last == NULL) {
        parent->first = value;
    } else {
        parent->last->next = value;
    }
    parent->last = value;
    parent->count++;
    return value;
}

static bool scan_text(struct scan *scan, const struct json_value *value, const char **out)
{
    char *text = scan->to;
    const char *wrong = json_token_text(&scan->at, scan->end, &scan->to);
    *out = text;
    return wrong == NULL || fail(scan, value, wrong);
}

static bool scan_member(struct scan *scan, struct json_value *object)
{
    if (!is_next(scan, '"')) {
        return fail(scan, object, "a member's name is missing");
    }
    const char *key;
    if (!scan_text(scan, object, &key)) {
        return false;
    }
    struct json_value *member = append(scan, object);
    if (member == NULL) {
        return false;
    }
    member->key = key;
    skip_space(scan);
    if (!is_next(scan, ':')) {
        return fail(scan, member, "a colon is missing");
    }
    scan->at++;
    return scan_value(scan, member);
}

static bool scan_element(struct scan *scan, struct json_value *array)
{
    struct json_value *element = append(scan, array);
    return element != NULL && scan_value(scan, element);
}

static int compare_keys(const void *a, const void *b)
{
    const struct json_value *const *left = a;
    const struct json_value *const *right = b;
    return strcasecmp((*left)->key, (*right)->key);
}

static bool check_keys(const struct scan *scan, const struct json_value *object)
{
    if (object->count < 2) {
        return true;
    }
    const struct json_value **members = calloc(object->count, sizeof *members);
    if (members == NULL) {
        return fail(scan, object, "no memory");
    }
    size_t count = 0;
    for (const struct json_value *member = object->first; member; member = member->next) {
        members[count++] = member;
    }
    qsort(members, count, sizeof *members, compare_keys);
    bool is_good = true;
    for (size_t i = 1; i < count && is_good; i++) {
        if (strcasecmp(members[i - 1]->key, members[i]->key) == 0) {
            is_good = fail(scan, members[i], "a member is there twice");
        }
    }
    free(members);
    return is_good;
}

typedef bool scan_item(struct scan *scan, struct json_value *parent);

// The inside of an object or array, behind its opening bracket.
static bool scan_items(struct scan *scan, struct json_value *value, char close, scan_item *item)
{
    skip_space(scan);
    if (is_next(scan, close)) {
        scan->at++;
        return true;
    }
    for (;;) {
        if (!item(scan, value)) {
            return false;
        }
        skip_space(scan);
        if (is_next(scan, close)) {
            scan->at++;
            return true;
        }
        if (!is_next(scan, ',')) {
            return fail(scan, value,
                        scan->at == scan->end ? "the file is cut here" : "a comma is missing");
        }
        scan->at++;
        skip_space(scan);
    }
}

static bool scan_nested(struct scan *scan, struct json_value *value)
{
    bool is_object = *scan->at == '{';
    if (scan->depth == JSON_DEPTH_MAX) {
        return fail(scan, value, "nested too deeply");
    }
    scan->depth++;
    scan->at++;
    value->kind = is_object ? JSON_OBJECT : JSON_ARRAY;
    bool is_good =
        scan_items(scan, value, is_object ? '}' : ']', is_object ? scan_member : scan_element) &&
        (!is_object || check_keys(scan, value));
    scan->depth--;
    return is_good;
}

static const char *set_integer(struct json_value *value, const char *from, const char *end)
{
    bool is_negative = *from == '-';
    int64_t number = 0;
    for (const char *c = from + is_negative; c < end; c++) {
        number = number * 10 + (*c - '0');
        if (number > JSON_SAFE_INTEGER) {
            return "an integer beyond 2^53 - 1";
        }
    }
    value->kind = JSON_INTEGER;
    value->integer = is_negative ? -number : number;
    return NULL;
}

static const char *set_decimal(struct json_value *value, const char *from, size_t len)
{
    char copy[64];
    if (len >= sizeof copy) {
        return "a number of more than 63 characters";
    }
    memcpy(copy, from, len);
    copy[len] = '\0';
    double number = strtod(copy, NULL);
    if (!isfinite(number) || fabs(number) > (double)JSON_SAFE_INTEGER) {
        return "a number beyond 2^53 - 1";
    }
    value->kind = JSON_DECIMAL;
    return NULL;
}

// Both readers of JSON agree what a number is; what fits is this one's own.
static const char *scan_number(struct scan *scan, struct json_value *value)
{
    const char *from = scan->at;
    bool is_decimal;
    const char *wrong = json_token_number(&scan->at, scan->end, &is_decimal);
    if (wrong != NULL) {
        return wrong;
    }
    return is_decimal ? set_decimal(value, from, (size_t)(scan->at - from))
                      : set_integer(value, from, scan->at);
}

static bool scan_word(struct scan *scan, struct json_value *value)
{
    static const struct {
        const char *word;
        enum json_kind kind;
        bool truth;
    } words[] = {
        {"null", JSON_NULL, false}, {"true", JSON_BOOL, true}, {"false", JSON_BOOL, false}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t len = strlen(words[i].word);
        if ((size_t)(scan->end - scan->at) >= len && memcmp(scan->at, words[i].word, len) == 0) {
            scan->at += len;
            value->kind = words[i].kind;
            value->truth = words[i].truth;
            return true;
        }
    }
    const char *wrong = scan_number(scan, value);
    return wrong == NULL || fail(scan, value, wrong);
}

static bool scan_value(struct scan *scan, struct json_value *value)
{
    bool is_good;
    skip_space(scan);
    value->line = scan->line;
    value->raw = scan->at;
    if (scan->at == scan->end) {
        return fail(scan, value, "the file is cut here");
    }
    if (*scan->at == '{' || *scan->at == '[') {
        is_good = scan_nested(scan, value);
    } else if (*scan->at == '"') {
        value->kind = JSON_TEXT;
        is_good = scan_text(scan, value, &value->text);
        value->text_len = is_good ? (size_t)(scan->to - value->text) - 1 : 0;
    } else {
        is_good = scan_word(scan, value);
    }
    value->raw_len = (size_t)(scan->at - value->raw);
    return is_good;
}

bool json_scan(struct json_doc *doc, struct fault *fault)
{
    struct scan scan = {.doc = doc,
                        .at = doc->raw,
                        .end = doc->raw + doc->len,
                        .to = doc->texts,
                        .line = 1,
                        .fault = fault};
    doc->root = json_value_new(doc);
    if (doc->root == NULL) {
        return fault_set(fault, "%.200s: no memory", doc->name);
    }
    doc->root->line = 1;
    if (doc->len >= 3 && memcmp(doc->raw, "\xef\xbb\xbf", 3) == 0) {
        return fail(&scan, doc->root, "the file begins with a byte order mark");
    }
    skip_space(&scan);
    if (scan.at == scan.end) {
        return fail(&scan, doc->root, "the file is empty");
    }
    if (*scan.at != '{') {
        return fail(&scan, doc->root, "the file is no JSON object");
    }
    if (!scan_value(&scan, doc->root)) {
        return false;
    }
    skip_space(&scan);
    return scan.at == scan.end || fail(&scan, doc->root, "something follows the object");
}
