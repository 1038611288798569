// SPDX-License-Identifier: MIT
// Questions to a profile. Functions of two profiles meet by object class and name; only where a
// class has several functions of one name (static ones) does the source's file name decide, so a
// function that moved to another file stays itself.
#include "measure/profile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/checked.h"
#include "measure/symbol.h"

static const char *class_of(const struct profile *profile, size_t function)
{
    return profile->objects[profile->functions[function].object].class_name;
}

bool profile_is_under(const char *path, const char *root)
{
    size_t len = root != NULL ? strlen(root) : 0;
    while (len > 1 && root[len - 1] == '/') {
        len--;
    }
    return len > 0 && strncmp(path, root, len) == 0 && (path[len] == '/' || len == 1);
}

static bool is_listed(const struct profile_object *object, const struct own_rule *rule)
{
    const char *below = object->path;
    if (profile_is_under(below, rule->root)) {
        below += strlen(rule->root);
        below += strspn(below, "/");
    }
    for (size_t i = 0; i < rule->name_count; i++) {
        const char *name = rule->names[i];
        if (strcmp(name, object->class_name) == 0 ||
            strcmp(name, symbol_file_name(object->path)) == 0 || strcmp(name, below) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_own_object(const struct profile_object *object, const struct own_rule *rule)
{
    return profile_is_under(object->path, rule->root) || is_listed(object, rule) ||
           (rule->exe && strcmp(object->class_name, SYMBOL_EXE) == 0);
}

// Does it exist under the root? `relative` may climb out of it, and is then not.
static bool exists_below(const char *root, const char *relative)
{
    char joined[PATH_MAX];
    char real[PATH_MAX];
    int len = snprintf(joined, sizeof joined, "%s/%s", root, relative);
    return len > 0 && (size_t)len < sizeof joined && realpath(joined, real) != NULL &&
           profile_is_under(real, root);
}

// A source is relative when the build maps its directory away. Then it is own if it exists in the
// checkout, by itself or, for what was compiled in a build directory (./build/gate/./lib/a.c),
// without that directory.
static bool is_own_source(const char *source, const struct own_rule *rule)
{
    if (source[0] == '\0' || rule->root == NULL) {
        return false;
    }
    if (source[0] == '/') {
        return profile_is_under(source, rule->root);
    }
    const char *behind = strstr(source, "/./");
    return exists_below(rule->root, source) ||
           (behind != NULL && exists_below(rule->root, behind + 3));
}

static int compare_line_functions(const void *key, const void *item)
{
    uint32_t function = *(const uint32_t *)key;
    uint32_t other = ((const struct profile_line *)item)->function;
    return (function > other) - (function < other);
}

// Own by its source, or by that of any line: a function that begins with inlined code of a system
// header has the header for its source.
static bool is_own_by_source(const struct profile *profile, size_t function,
                             const struct own_rule *rule)
{
    uint32_t key = (uint32_t)function;
    if (is_own_source(profile->functions[function].source, rule)) {
        return true;
    }
    const struct profile_line *line = profile->line_count == 0
                                          ? NULL
                                          : bsearch(&key, profile->lines, profile->line_count,
                                                    sizeof *profile->lines, compare_line_functions);
    if (line == NULL) {
        return false;
    }
    while (line > profile->lines && line[-1].function == key) {
        line--;
    }
    for (; line < profile->lines + profile->line_count && line->function == key; line++) {
        bool is_new = line == profile->lines || line[-1].source != line->source;
        if (is_new && is_own_source(line->source, rule)) {
            return true;
        }
    }
    return false;
}

// The kit's code: by its mark, or one of the clock, entropy and pid functions that it puts in front
// of the C library's.
static bool is_kit(const struct profile_object *object, const char *name)
{
    return symbol_is_kit(name) ||
           (strcmp(object->class_name, SYMBOL_EXE) == 0 && symbol_input(name) != SYMBOL_INPUT_NONE);
}

bool profile_is_own(const struct profile *profile, size_t function, const struct own_rule *rule)
{
    const struct profile_function *it = &profile->functions[function];
    const struct profile_object *object = &profile->objects[it->object];
    if (is_kit(object, it->name)) {
        return false;
    }
    if (rule->by_source && strcmp(object->class_name, SYMBOL_EXE) == 0) {
        return is_own_by_source(profile, function, rule);
    }
    return is_own_object(object, rule);
}

// Has any function of the executable but the kit's a source?
static bool has_sources(const struct profile *profile)
{
    for (size_t i = 0; i < profile->function_count; i++) {
        if (profile->functions[i].source[0] != '\0' && !symbol_is_kit(profile->functions[i].name) &&
            strcmp(class_of(profile, i), SYMBOL_EXE) == 0) {
            return true;
        }
    }
    return false;
}

bool profile_own(const struct profile *profile, const struct own_rule *rule, uint64_t *own_ir)
{
    *own_ir = 0;
    if (rule->by_source && !has_sources(profile)) {
        return false;
    }
    for (size_t i = 0; i < profile->function_count; i++) {
        if (profile->functions[i].self_ir > 0 && profile_is_own(profile, i, rule)) {
            *own_ir += profile->functions[i].self_ir; // part of the total, so it fits
        }
    }
    return true;
}

uint64_t profile_cycles(const struct profile *profile)
{
    uint64_t cycles = 0;
    for (size_t i = 0; i < profile->thread_count; i++) {
        const uint64_t *c = profile->threads[i].cache;
        uint64_t first = c[PROFILE_I1MR] + c[PROFILE_D1MR] + c[PROFILE_D1MW];
        uint64_t last = c[PROFILE_ILMR] + c[PROFILE_DLMR] + c[PROFILE_DLMW];
        uint64_t accesses = profile->threads[i].total_ir + c[PROFILE_DR] + c[PROFILE_DW];
        if (c[PROFILE_DR] + c[PROFILE_DW] > 0 && accesses >= first && first >= last) {
            cycles += accesses - first + 5 * (first - last) + 35 * last;
        }
    }
    return cycles;
}

uint64_t profile_allocations(const struct profile *profile)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < profile->edge_count; i++) {
        const struct profile_edge *edge = &profile->edges[i];
        const char *callee = profile->functions[edge->callee].name;
        const char *caller = profile->functions[edge->caller].name;
        if (symbol_is_allocator(class_of(profile, edge->callee), callee) &&
            !symbol_is_allocator(class_of(profile, edge->caller), caller) &&
            !checked_add(&sum, edge->calls)) {
            return UINT64_MAX;
        }
    }
    return sum;
}

static int compare_names(const struct profile *a, size_t i, const struct profile *b, size_t j)
{
    int order = strcmp(class_of(a, i), class_of(b, j));
    return order != 0 ? order : strcmp(a->functions[i].name, b->functions[j].name);
}

struct range {
    size_t first, end;
};

// Functions of `other` with the class and name of `function`.
static struct range namesakes(const struct profile *profile, size_t function,
                              const struct profile *other)
{
    struct range range = {0, other->function_count};
    while (range.first < range.end) {
        size_t middle = range.first + (range.end - range.first) / 2;
        if (compare_names(other, middle, profile, function) < 0) {
            range.first = middle + 1;
        } else {
            range.end = middle;
        }
    }
    while (range.end < other->function_count &&
           compare_names(other, range.end, profile, function) == 0) {
        range.end++;
    }
    return range;
}

static bool same_file_name(const char *a, const char *b)
{
    return strcmp(symbol_file_name(a), symbol_file_name(b)) == 0;
}

size_t profile_find_match(const struct profile *profile, size_t function,
                          const struct profile *other)
{
    struct range mine = namesakes(profile, function, profile);
    struct range theirs = namesakes(profile, function, other);
    const char *source = profile->functions[function].source;
    size_t rank = 0; // among ours of that file name
    if (mine.end - mine.first == 1 && theirs.end - theirs.first == 1) {
        return theirs.first;
    }
    for (size_t i = mine.first; i < function; i++) {
        rank += same_file_name(profile->functions[i].source, source) ? 1 : 0;
    }
    for (size_t i = theirs.first; i < theirs.end; i++) {
        if (same_file_name(other->functions[i].source, source) && rank-- == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static int compare_edge_ends(const void *a, const void *b)
{
    const struct profile_edge *left = a;
    const struct profile_edge *right = b;
    if (left->caller != right->caller) {
        return left->caller < right->caller ? -1 : 1;
    }
    return (left->callee > right->callee) - (left->callee < right->callee);
}

static const struct profile_edge *find_edge(const struct profile *profile, size_t caller,
                                            size_t callee)
{
    if (caller == SIZE_MAX || callee == SIZE_MAX) {
        return NULL;
    }
    struct profile_edge key = {(uint32_t)caller, (uint32_t)callee, 0, 0};
    return profile->edge_count == 0
               ? NULL
               : bsearch(&key, profile->edges, profile->edge_count, sizeof key, compare_edge_ends);
}

bool profile_same_edges(const struct profile *head, uint64_t head_ops, const struct profile *base,
                        uint64_t base_ops)
{
    if (head->edge_count != base->edge_count) {
        return false;
    }
    for (size_t i = 0; i < head->edge_count; i++) {
        const struct profile_edge *edge = &head->edges[i];
        const struct profile_edge *other =
            find_edge(base, profile_find_match(head, edge->caller, base),
                      profile_find_match(head, edge->callee, base));
        if (other == NULL ||
            checked_product(edge->calls, base_ops) != checked_product(other->calls, head_ops)) {
            return false;
        }
    }
    return true;
}
