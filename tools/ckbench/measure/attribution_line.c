// SPDX-License-Identifier: MIT
// Line numbers shift when code is added above, so lines are not compared by number: equal costs per
// call in equal order are taken for the same code, and what is left over on either side is the
// change. Only where a left-over line has the same number on both sides its two costs are
// subtracted.
#include "measure/attribution_line.h"

#include <string.h>

#include "measure/checked.h"
#include "measure/symbol.h"

struct lines {
    const struct profile_line *first;
    size_t count;
    uint64_t times; // divides costs: calls of the function, or of the path where there are none
};

static struct lines lines_of(const struct profile *profile, size_t function, uint64_t times)
{
    size_t first = 0;
    size_t end = profile->line_count;
    if (function == SIZE_MAX || end == 0) {
        return (struct lines){NULL, 0, times};
    }
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (profile->lines[middle].function < function) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    struct lines lines = {profile->lines + first, 0, times};
    while (first + lines.count < profile->line_count &&
           lines.first[lines.count].function == function) {
        lines.count++;
    }
    return lines;
}

// Cost per time at `i` of head less that at `j` of base, scaled; a line that is not there costs 0.
static checked_signed difference(const struct lines *head, const struct profile_line *i,
                                 const struct lines *base, const struct profile_line *j)
{
    checked_wide left = i != NULL ? checked_product(i->self_ir, base->times) : 0;
    checked_wide right = j != NULL ? checked_product(j->self_ir, head->times) : 0;
    // 2^64 * 2^64 does not fit a signed sum; a quarter of it keeps the order.
    return (checked_signed)(left / 4) - (checked_signed)(right / 4);
}

static bool is_same(const struct lines *head, const struct profile_line *i,
                    const struct lines *base, const struct profile_line *j)
{
    return checked_product(i->self_ir, base->times) == checked_product(j->self_ir, head->times) &&
           strcmp(symbol_file_name(i->source), symbol_file_name(j->source)) == 0;
}

// Cuts what is the same at both ends.
static void trim(struct lines *head, struct lines *base)
{
    while (head->count > 0 && base->count > 0 && is_same(head, head->first, base, base->first)) {
        head->first++;
        head->count--;
        base->first++;
        base->count--;
    }
    while (head->count > 0 && base->count > 0 &&
           is_same(head, &head->first[head->count - 1], base, &base->first[base->count - 1])) {
        head->count--;
        base->count--;
    }
}

static const struct profile_line *line_of_number(const struct lines *lines,
                                                 const struct profile_line *wanted)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->first[i].line == wanted->line && strcmp(symbol_file_name(lines->first[i].source),
                                                           symbol_file_name(wanted->source)) == 0) {
            return &lines->first[i];
        }
    }
    return NULL;
}

// The next line of base, from `from` on, that is the same as `line`; `count`: none.
static size_t find_same(const struct lines *head, const struct profile_line *line,
                        const struct lines *base, size_t from)
{
    while (from < base->count && !is_same(head, line, base, &base->first[from])) {
        from++;
    }
    return from;
}

// The left-over line of `mine` whose cost differs most from the other side's.
static const struct profile_line *largest(const struct lines *mine, const struct lines *other)
{
    const struct profile_line *best = NULL;
    checked_signed most = 0;
    size_t next = 0;
    for (size_t i = 0; i < mine->count; i++) {
        const struct profile_line *line = &mine->first[i];
        size_t same = find_same(mine, line, other, next);
        if (same < other->count) {
            next = same + 1;
            continue;
        }
        checked_signed change = difference(mine, line, other, line_of_number(other, line));
        change = change < 0 ? -change : change;
        if (best == NULL || change > most) {
            best = line;
            most = change;
        }
    }
    return best;
}

static bool is_header(const char *source)
{
    static const char *const ends[] = {".h", ".hh", ".hpp", ".hxx", ".inc", ".inl"};
    const char *end = strrchr(symbol_file_name(source), '.');
    for (size_t i = 0; end != NULL && i < sizeof ends / sizeof *ends; i++) {
        if (strcmp(end, ends[i]) == 0) {
            return true;
        }
    }
    return end == NULL; // such as <vector>
}

// valgrind takes the file of a function's first instruction for the function's. Where that was
// inlined from a header, the first line of another file is nearer to what people look for.
void attribution_find_place(const struct profile *profile, size_t index,
                            struct attribution_function *function)
{
    function->source = profile->functions[index].source;
    function->first_line = profile->functions[index].first_line;
    if (function->source[0] == '\0' || !is_header(function->source)) {
        return;
    }
    struct lines lines = lines_of(profile, index, 1);
    for (size_t i = 0; i < lines.count; i++) {
        if (!is_header(lines.first[i].source)) {
            function->source = lines.first[i].source;
            function->first_line = lines.first[i].line;
            return;
        }
    }
}

void attribution_find_line(const struct attribution_side *head, size_t in_head,
                           const struct attribution_side *base, size_t in_base,
                           struct attribution_function *function)
{
    bool by_calls = function->head_calls > 0 && function->base_calls > 0;
    struct lines mine =
        lines_of(head->profile, in_head, by_calls ? function->head_calls : head->ops);
    struct lines theirs =
        lines_of(base->profile, in_base, by_calls ? function->base_calls : base->ops);
    trim(&mine, &theirs);
    const struct profile_line *line = largest(&mine, &theirs);
    if (line == NULL) {
        line = largest(&theirs, &mine);
    }
    if (line != NULL) {
        function->change_source = line->source;
        function->change_line = line->line;
    }
}
