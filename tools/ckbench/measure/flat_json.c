// SPDX-License-Identifier: MIT
// A subject is not trusted, so its lines are read by the letter of RFC 8259 and nothing more is
// understood than the protocol needs. One pass, no allocation; values that are nested are skipped,
// to a bounded depth.
#include "measure/flat_json.h"

#include <string.h>

#include "json_token.h"

enum { DEPTH_MAX = 16 };

struct reader {
    const char *at;
    const char *end;
    struct flat_object *object;
    const char *problem;
};

static bool refuse(struct reader *r, const char *problem)
{
    if (r->problem == NULL) {
        r->problem = problem;
    }
    return false;
}

static void skip_space(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) {
        r->at++;
    }
}

static bool take(struct reader *r, char wanted)
{
    if (r->at < r->end && *r->at == wanted) {
        r->at++;
        return true;
    }
    return false;
}

// The room suffices: it is that of a line, and a decoded string is shorter than its spelling.
static bool read_string(struct reader *r, const char **text)
{
    char *to = r->object->text + r->object->text_length;
    *text = to;
    if (r->at == r->end || *r->at != '"') {
        return refuse(r, "no string where one is due");
    }
    const char *wrong = json_token_text(&r->at, r->end, &to);
    r->object->text_length = (size_t)(to - r->object->text);
    return wrong == NULL || refuse(r, wrong);
}

static bool to_integer(const char *from, const char *to, int64_t *number)
{
    bool negative = *from == '-';
    int64_t value = 0;
    for (from += negative; from < to; from++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *from - '0', &value)) {
            return false;
        }
    }
    // Built downwards, because the most negative number has no positive twin.
    return negative ? (*number = value, true) : !__builtin_sub_overflow(0, value, number);
}

static bool read_number(struct reader *r, struct flat_member *member)
{
    const char *from = r->at;
    bool is_decimal;
    const char *wrong = json_token_number(&r->at, r->end, &is_decimal);
    if (wrong != NULL) {
        return refuse(r, wrong);
    }
    member->kind = is_decimal ? FLAT_OTHER : FLAT_INT;
    return is_decimal || to_integer(from, r->at, &member->number) ||
           refuse(r, "an integer beyond 64 bits");
}

static bool read_word(struct reader *r, struct flat_member *member)
{
    static const struct {
        const char *word;
        enum flat_kind kind;
        int64_t number;
    } words[] = {{"null", FLAT_NULL, 0}, {"true", FLAT_BOOL, 1}, {"false", FLAT_BOOL, 0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if ((size_t)(r->end - r->at) >= length && memcmp(r->at, words[i].word, length) == 0) {
            r->at += length;
            member->kind = words[i].kind;
            member->number = words[i].number;
            return true;
        }
    }
    return refuse(r, "a value that is no JSON");
}

static bool read_scalar(struct reader *r, struct flat_member *member)
{
    char c = r->at < r->end ? *r->at : '\0';
    if (c == '"') {
        member->kind = FLAT_STRING;
        return read_string(r, &member->text);
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        return read_number(r, member);
    }
    return read_word(r, member);
}

static bool read_key(struct reader *r, const char **key)
{
    skip_space(r);
    if (!read_string(r, key)) {
        return false;
    }
    skip_space(r);
    bool colon = take(r, ':');
    skip_space(r);
    return colon || refuse(r, "no colon after a member's name");
}

static bool skip_value(struct reader *r, int depth);

// Skips what is between a bracket that was taken and `close`.
static bool skip_until(struct reader *r, char close, int depth)
{
    const char *key;
    if (depth > DEPTH_MAX) {
        return refuse(r, "a value nested too deep");
    }
    skip_space(r);
    if (take(r, close)) {
        return true;
    }
    do {
        skip_space(r);
        if ((close == '}' && !read_key(r, &key)) || !skip_value(r, depth)) {
            return false;
        }
        skip_space(r);
    } while (take(r, ','));
    return take(r, close) || refuse(r, "a bracket that is not closed");
}

// Skips any value; the room of its strings is given back.
static bool skip_value(struct reader *r, int depth)
{
    struct flat_member ignored = {.kind = FLAT_OTHER};
    size_t text_length = r->object->text_length;
    bool good = false;
    if (take(r, '{')) {
        good = skip_until(r, '}', depth + 1);
    } else if (take(r, '[')) {
        good = skip_until(r, ']', depth + 1);
    } else {
        good = read_scalar(r, &ignored);
    }
    r->object->text_length = text_length;
    return good;
}

// An array of strings, its bracket taken already. False without a problem: it is of another kind.
static bool read_strings(struct reader *r, struct flat_member *member)
{
    struct flat_object *object = r->object;
    member->kind = FLAT_STRINGS;
    member->items = object->items + object->item_count;
    member->number = 0;
    skip_space(r);
    if (take(r, ']')) {
        return true;
    }
    do {
        skip_space(r);
        if (r->at == r->end || *r->at != '"') {
            return false;
        }
        if (object->item_count == FLAT_ITEMS_MAX) {
            return refuse(r, "too many strings");
        }
        if (!read_string(r, &object->items[object->item_count])) {
            return false;
        }
        object->item_count++;
        member->number++;
        skip_space(r);
    } while (take(r, ','));
    return take(r, ']');
}

// The same of integers.
static bool read_integers(struct reader *r, struct flat_member *member)
{
    struct flat_object *object = r->object;
    member->kind = FLAT_INTS;
    member->numbers = object->integers + object->integer_count;
    member->number = 0;
    do {
        struct flat_member one = {.kind = FLAT_OTHER};
        skip_space(r);
        if (r->at == r->end || (*r->at != '-' && (*r->at < '0' || *r->at > '9')) ||
            !read_number(r, &one) || one.kind != FLAT_INT) {
            return false;
        }
        if (object->integer_count == FLAT_ITEMS_MAX) {
            return refuse(r, "too many integers");
        }
        object->integers[object->integer_count++] = one.number;
        member->number++;
        skip_space(r);
    } while (take(r, ','));
    return take(r, ']');
}

// Back to where an array began, which was none of its kind.
static void rewind_array(struct reader *r, const struct reader *before, size_t text_length,
                         size_t item_count, size_t integer_count)
{
    r->at = before->at;
    r->object->text_length = text_length;
    r->object->item_count = item_count;
    r->object->integer_count = integer_count;
}

static bool read_array(struct reader *r, struct flat_member *member)
{
    const struct reader before = *r;
    const struct flat_object *object = r->object;
    const size_t texts = object->text_length, items = object->item_count;
    const size_t integers = object->integer_count;
    if (read_strings(r, member)) {
        return true;
    }
    if (r->problem == NULL) {
        rewind_array(r, &before, texts, items, integers);
        *member = (struct flat_member){.name = member->name};
        if (read_integers(r, member)) {
            return true;
        }
    }
    rewind_array(r, &before, texts, items, integers);
    *member = (struct flat_member){.name = member->name, .kind = FLAT_OTHER};
    return r->problem == NULL && skip_until(r, ']', 1);
}

static bool read_value(struct reader *r, struct flat_member *member)
{
    if (take(r, '[')) {
        return read_array(r, member);
    }
    if (r->at < r->end && *r->at == '{') {
        member->kind = FLAT_OTHER;
        return skip_value(r, 0);
    }
    return read_scalar(r, member);
}

static bool read_member(struct reader *r)
{
    struct flat_object *object = r->object;
    struct flat_member member = {.kind = FLAT_NULL};
    if (object->member_count == FLAT_MEMBERS_MAX) {
        return refuse(r, "too many members");
    }
    if (!read_key(r, &member.name)) {
        return false;
    }
    if (flat_find(object, member.name) != NULL) {
        return refuse(r, "a member twice");
    }
    if (!read_value(r, &member)) {
        return false;
    }
    object->members[object->member_count++] = member;
    return true;
}

static bool read_object(struct reader *r)
{
    skip_space(r);
    if (!take(r, '{')) {
        return refuse(r, "no object");
    }
    skip_space(r);
    if (!take(r, '}')) {
        do {
            if (!read_member(r)) {
                return false;
            }
            skip_space(r);
        } while (take(r, ','));
        if (!take(r, '}')) {
            return refuse(r, "an object that is not closed");
        }
    }
    skip_space(r);
    return r->at == r->end || refuse(r, "something after its object");
}

bool flat_read(const char *line, size_t length, struct flat_object *object, struct fault *fault)
{
    object->member_count = 0;
    object->item_count = 0;
    object->integer_count = 0;
    object->text_length = 0;
    struct reader r = {.at = line, .end = line + length, .object = object};
    if (length <= FLAT_TEXT_MAX && read_object(&r)) {
        return true;
    }
    return fault_set(fault, "not a line of JSON (%s)",
                     r.problem != NULL ? r.problem : "it is too long");
}

const struct flat_member *flat_find(const struct flat_object *object, const char *name)
{
    for (size_t i = 0; i < object->member_count; i++) {
        if (strcmp(object->members[i].name, name) == 0) {
            return &object->members[i];
        }
    }
    return NULL;
}
