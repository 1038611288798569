// SPDX-License-Identifier: MIT
// Text to value and back, one pair of functions for each kind. Numbers are read by hand because
// strtoull takes signs, blanks and hexadecimal.
#include "cli/opt_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/nearest.h"

enum { MS_PER_MINUTE = 60000, TYPED_MAX = 80 };

static void *field(void *options, const struct opt *row)
{
    return (char *)options + row->offset;
}

static const void *const_field(const void *options, const struct opt *row)
{
    return (const char *)options + row->offset;
}

// Digits up to `*end`; false when there is none or the number does not fit.
static bool read_digits(const char *text, const char **end, uint64_t *out)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *end = at;
    *out = value;
    return at != text;
}

static bool read_bounded(const struct opt *row, const char *text, const char *shown, uint64_t *out,
                         struct fault *fault)
{
    const char *end = text;
    uint64_t value = 0;
    bool is_number = read_digits(text, &end, &value);
    bool is_too_long = !is_number && text[strspn(text, "0123456789")] == '\0';
    if ((!is_number && !is_too_long) || (is_number && *end != '\0')) {
        return fault_set(fault, "%s: '%.*s' is no whole number", shown, TYPED_MAX, text);
    }
    if (is_too_long || value < row->min || value > row->max) {
        return fault_set(fault, "%s: %.*s is out of range, %" PRIu64 " to %" PRIu64, shown,
                         TYPED_MAX, text, row->min, row->max);
    }
    *out = value;
    return true;
}

static bool set_count(const struct opt *row, const char *text, void *to, const char *shown,
                      struct fault *fault)
{
    uint64_t value;
    if (!read_bounded(row, text, shown, &value, fault)) {
        return false;
    }
    *(unsigned *)to = (unsigned)value;
    return true;
}

static bool set_u64(const struct opt *row, const char *text, void *to, const char *shown,
                    struct fault *fault)
{
    return read_bounded(row, text, shown, to, fault);
}

// "15", "0.5", "1.125": thousandths of a minute.
static bool read_thousandths(const char *text, uint64_t *out)
{
    const char *end;
    uint64_t whole;
    uint64_t part = 0;
    if (!read_digits(text, &end, &whole) || whole > 1000000000) {
        return false;
    }
    if (*end == '.') {
        const char *from = end + 1;
        if (!read_digits(from, &end, &part) || end - from > 3) {
            return false;
        }
        for (long digits = end - from; digits < 3; digits++) {
            part *= 10;
        }
    }
    *out = whole * 1000 + part;
    return *end == '\0';
}

void opt_value_show_minutes(uint64_t ms, char *out, size_t size)
{
    // Rounded up, so that a lower bound never looks lower than it is.
    uint64_t thousandths = (ms * 1000 + MS_PER_MINUTE - 1) / MS_PER_MINUTE;
    int len = snprintf(out, size, "%" PRIu64 ".%03" PRIu64, thousandths / 1000, thousandths % 1000);
    while (len > 0 && out[len - 1] == '0') {
        out[--len] = '\0';
    }
    if (len > 0 && out[len - 1] == '.') {
        out[len - 1] = '\0';
    }
}

static bool set_minutes(const struct opt *row, const char *text, void *to, const char *shown,
                        struct fault *fault)
{
    uint64_t thousandths;
    if (!read_thousandths(text, &thousandths)) {
        return fault_set(fault, "%s: '%.*s' is no number of minutes (as 15 or 0.5)", shown,
                         TYPED_MAX, text);
    }
    uint64_t ms = thousandths * (MS_PER_MINUTE / 1000);
    if (ms < row->min || ms > row->max) {
        char low[32];
        char high[32];
        opt_value_show_minutes(row->min, low, sizeof low);
        opt_value_show_minutes(row->max, high, sizeof high);
        return fault_set(fault, "%s: %.*s is out of range, %s to %s minutes", shown, TYPED_MAX,
                         text, low, high);
    }
    *(int64_t *)to = (int64_t)ms;
    return true;
}

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (words[count] != NULL) {
        count++;
    }
    return count;
}

// The index of the `len` bytes among the row's words, or a fault that names the nearest.
static bool find_word(const struct opt *row, const char *text, size_t len, const char *shown,
                      size_t *index, struct fault *fault)
{
    char word[TYPED_MAX + 1];
    (void)snprintf(word, sizeof word, "%.*s", (int)(len < TYPED_MAX ? len : TYPED_MAX), text);
    size_t count = count_words(row->choices);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, row->choices[i]) == 0) {
            *index = i;
            return true;
        }
    }
    char all[160] = "";
    for (size_t i = 0, at = 0; i < count && at < sizeof all - 1; i++) {
        at +=
            (size_t)snprintf(all + at, sizeof all - at, "%s%s", i > 0 ? ", " : "", row->choices[i]);
    }
    const char *near = nearest_word(word, row->choices, count);
    return fault_set(fault, "%s: '%s' is none of %s%s%s%s", shown, word, all,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static bool set_choice(const struct opt *row, const char *text, void *to, const char *shown,
                       struct fault *fault)
{
    size_t index;
    if (!find_word(row, text, strlen(text), shown, &index, fault)) {
        return false;
    }
    *(int *)to = (int)index;
    return true;
}

static bool set_text(const struct opt *row, const char *text, void *to, const char *shown,
                     struct fault *fault)
{
    (void)row, (void)shown, (void)fault;
    *(const char **)to = text;
    return true;
}

static bool set_texts(const struct opt *row, const char *text, void *to, const char *shown,
                      struct fault *fault)
{
    struct opt_texts *texts = to;
    uint64_t most = row->max > 0 && row->max < OPT_TEXTS_MAX ? row->max : OPT_TEXTS_MAX;
    if (texts->count >= most) {
        return fault_set(fault, "%s may be given at most %" PRIu64 " times", shown, most);
    }
    texts->items[texts->count++] = text;
    return true;
}

static bool set_shard(const struct opt *row, const char *text, void *to, const char *shown,
                      struct fault *fault)
{
    const char *end;
    uint64_t index;
    uint64_t count;
    if (!read_digits(text, &end, &index) || *end != '/' || !read_digits(end + 1, &end, &count) ||
        *end != '\0') {
        return fault_set(fault, "%s: '%.*s' is not of the form K/N", shown, TYPED_MAX, text);
    }
    if (count > row->max || index < 1 || index > count) {
        return fault_set(fault, "%s: %.*s is out of range, 1/1 to %" PRIu64 "/%" PRIu64, shown,
                         TYPED_MAX, text, row->max, row->max);
    }
    *(struct opt_shard *)to = (struct opt_shard){(unsigned)index, (unsigned)count};
    return true;
}

static bool set_pair(const struct opt *row, const char *text, size_t len, struct opt_pairs *pairs,
                     const char *shown, struct fault *fault)
{
    const char *sign = memchr(text, '=', len);
    char number[TYPED_MAX + 1];
    size_t index = 0;
    if (sign == NULL) {
        return fault_set(fault, "%s: '%.*s' is not of the form KEY=N", shown,
                         (int)(len < TYPED_MAX ? len : TYPED_MAX), text);
    }
    if (!find_word(row, text, (size_t)(sign - text), shown, &index, fault)) {
        return false;
    }
    if (pairs->given[index]) {
        return fault_set(fault, "%s: %s is given twice", shown, row->choices[index]);
    }
    size_t number_len = len - (size_t)(sign + 1 - text);
    if (number_len > TYPED_MAX) {
        return fault_set(fault, "%s: the number of %s is too long", shown, row->choices[index]);
    }
    (void)snprintf(number, sizeof number, "%.*s", (int)number_len, sign + 1);
    pairs->given[index] = true;
    return read_bounded(row, number, shown, &pairs->values[index], fault);
}

static bool set_pairs(const struct opt *row, const char *text, void *to, const char *shown,
                      struct fault *fault)
{
    struct opt_pairs *pairs = to;
    const char *from = text;
    for (;;) {
        size_t len = strcspn(from, ",");
        if (!set_pair(row, from, len, pairs, shown, fault)) {
            return false;
        }
        if (from[len] == '\0') {
            return true;
        }
        from += len + 1;
    }
}

typedef bool set_function(const struct opt *, const char *, void *, const char *, struct fault *);

bool opt_value_set(const struct opt *row, const char *text, void *options, const char *shown,
                   struct fault *fault)
{
    static set_function *const setters[] = {
        [OPT_KIND_COUNT] = set_count,     [OPT_KIND_U64] = set_u64,
        [OPT_KIND_MINUTES] = set_minutes, [OPT_KIND_CHOICE] = set_choice,
        [OPT_KIND_TEXT] = set_text,       [OPT_KIND_PATH] = set_text,
        [OPT_KIND_TEXTS] = set_texts,     [OPT_KIND_SHARD] = set_shard,
        [OPT_KIND_PAIRS] = set_pairs,     [OPT_KIND_OPERANDS] = set_texts};
    if (text[0] == '\0') {
        return fault_set(fault, "%s: the value is empty", shown);
    }
    return setters[row->kind](row, text, field(options, row), shown, fault);
}

static bool is_within(const struct opt *row, uint64_t value)
{
    return value >= row->min && value <= row->max;
}

void opt_value_show(const struct opt *row, const void *options, char *out, size_t size)
{
    const void *from = const_field(options, row);
    out[0] = '\0';
    switch (row->kind) {
    case OPT_KIND_COUNT:
        if (is_within(row, *(const unsigned *)from)) {
            (void)snprintf(out, size, "%u", *(const unsigned *)from);
        }
        break;
    case OPT_KIND_U64:
        if (is_within(row, *(const uint64_t *)from)) {
            (void)snprintf(out, size, "%" PRIu64, *(const uint64_t *)from);
        }
        break;
    case OPT_KIND_MINUTES:
        if (is_within(row, (uint64_t) * (const int64_t *)from)) {
            opt_value_show_minutes((uint64_t) * (const int64_t *)from, out, size);
        }
        break;
    case OPT_KIND_CHOICE:
        (void)snprintf(out, size, "%s", row->choices[*(const int *)from]);
        break;
    case OPT_KIND_TEXT:
    case OPT_KIND_PATH:
        if (*(const char *const *)from != NULL) {
            (void)snprintf(out, size, "%s", *(const char *const *)from);
        }
        break;
    case OPT_KIND_SHARD: {
        const struct opt_shard *shard = from;
        if (shard->count > 0) {
            (void)snprintf(out, size, "%u/%u", shard->index, shard->count);
        }
        break;
    }
    case OPT_KIND_FLAG:
    case OPT_KIND_TEXTS:
    case OPT_KIND_PAIRS:
    case OPT_KIND_OPERANDS:
        break;
    }
}
