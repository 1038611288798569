// SPDX-License-Identifier: MIT
// A subject is not trusted, so its lines are read by the letter of RFC 8259 and nothing more is
// understood than the protocol needs. One pass, no allocation, no recursion: nested values are
// skipped with a count of open brackets.
#include "measure/flat_json.h"

#include <string.h>

enum { DEPTH_MAX = 16, NUMBER_MAX = 64 };

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

static bool put(struct reader *r, unsigned char byte)
{
    struct flat_object *object = r->object;
    if (object->text_length + 1 >= sizeof object->text) {
        return refuse(r, "its strings are too long");
    }
    object->text[object->text_length++] = (char)byte;
    return true;
}

static bool put_code(struct reader *r, unsigned code)
{
    if (code == 0) {
        return refuse(r, "a string with U+0000");
    }
    if (code < 0x80) {
        return put(r, (unsigned char)code);
    }
    if (code < 0x800) {
        return put(r, (unsigned char)(0xc0 | code >> 6)) &&
               put(r, (unsigned char)(0x80 | (code & 0x3f)));
    }
    if (code < 0x10000) {
        return put(r, (unsigned char)(0xe0 | code >> 12)) &&
               put(r, (unsigned char)(0x80 | (code >> 6 & 0x3f))) &&
               put(r, (unsigned char)(0x80 | (code & 0x3f)));
    }
    return put(r, (unsigned char)(0xf0 | code >> 18)) &&
           put(r, (unsigned char)(0x80 | (code >> 12 & 0x3f))) &&
           put(r, (unsigned char)(0x80 | (code >> 6 & 0x3f))) &&
           put(r, (unsigned char)(0x80 | (code & 0x3f)));
}

static bool read_hex4(struct reader *r, unsigned *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        int c = r->at < r->end ? *r->at++ : 0;
        c = c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c;
        const char *found = c == 0 ? NULL : strchr(digits, c);
        if (found == NULL) {
            return refuse(r, "a bad \\u escape");
        }
        *value = *value << 4 | (unsigned)(found - digits);
    }
    return true;
}

static bool read_unicode_escape(struct reader *r)
{
    unsigned code = 0;
    unsigned low = 0;
    if (!read_hex4(r, &code)) {
        return false;
    }
    if (code >= 0xdc00 && code <= 0xdfff) {
        return refuse(r, "half a surrogate pair");
    }
    if (code >= 0xd800 && code <= 0xdbff) {
        if (!take(r, '\\') || !take(r, 'u') || !read_hex4(r, &low) || low < 0xdc00 ||
            low > 0xdfff) {
            return refuse(r, "half a surrogate pair");
        }
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    return put_code(r, code);
}

static bool read_escape(struct reader *r)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->end ? *r->at++ : '\0';
    if (c == 'u') {
        return read_unicode_escape(r);
    }
    const char *found = c == '\0' ? NULL : strchr(from, c);
    return found != NULL ? put(r, (unsigned char)to[found - from]) : refuse(r, "a bad escape");
}

// Bytes of the UTF-8 sequence at `at`, 0 when it is not well formed (RFC 3629).
static size_t utf8_length(const char *at, const char *end)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t length;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *bytes = (const unsigned char *)at;
    size_t room = (size_t)(end - at);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (bytes[0] < forms[i].first_low || bytes[0] > forms[i].first_high) {
            continue;
        }
        bool good = room >= forms[i].length && bytes[1] >= forms[i].second_low &&
                    bytes[1] <= forms[i].second_high;
        for (size_t k = 2; good && k < forms[i].length; k++) {
            good = (bytes[k] & 0xc0) == 0x80;
        }
        return good ? forms[i].length : 0;
    }
    return 0;
}

static bool read_plain(struct reader *r)
{
    unsigned char c = (unsigned char)*r->at;
    if (c < 0x20) {
        return refuse(r, "a control character in a string");
    }
    size_t length = c < 0x80 ? 1 : utf8_length(r->at, r->end);
    if (length == 0) {
        return refuse(r, "a string that is not UTF-8");
    }
    for (size_t i = 0; i < length; i++) {
        if (!put(r, (unsigned char)*r->at++)) {
            return false;
        }
    }
    return true;
}

// The opening quote is at `at`.
static bool read_string(struct reader *r, const char **text)
{
    *text = r->object->text + r->object->text_length;
    if (!take(r, '"')) {
        return refuse(r, "no string where one is due");
    }
    while (!take(r, '"')) {
        if (r->at == r->end) {
            return refuse(r, "a string without end");
        }
        if (!(take(r, '\\') ? read_escape(r) : read_plain(r))) {
            return false;
        }
    }
    return put(r, 0);
}

static size_t count_digits(struct reader *r)
{
    const char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        r->at++;
    }
    return (size_t)(r->at - from);
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
    (void)take(r, '-');
    bool zero = r->at < r->end && *r->at == '0';
    size_t digits = count_digits(r);
    if (digits == 0 || (zero && digits > 1)) {
        return refuse(r, "a bad number");
    }
    const char *whole_end = r->at;
    if (take(r, '.') && count_digits(r) == 0) {
        return refuse(r, "a bad number");
    }
    if (take(r, 'e') || take(r, 'E')) {
        (void)(take(r, '+') || take(r, '-'));
        if (count_digits(r) == 0) {
            return refuse(r, "a bad number");
        }
    }
    member->kind = FLAT_OTHER;
    if (r->at == whole_end) {
        member->kind = FLAT_INT;
        return to_integer(from, whole_end, &member->number) ||
               refuse(r, "an integer beyond 64 bits");
    }
    return true;
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

static bool read_value(struct reader *r, struct flat_member *member)
{
    const char *from = r->at;
    size_t text_length = r->object->text_length;
    size_t item_count = r->object->item_count;
    if (take(r, '[')) {
        if (read_strings(r, member)) {
            return true;
        }
        r->at = from;
        r->object->text_length = text_length;
        r->object->item_count = item_count;
        *member = (struct flat_member){.name = member->name, .kind = FLAT_OTHER};
        return r->problem == NULL && skip_value(r, 0);
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
