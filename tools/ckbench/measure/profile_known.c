// SPDX-License-Identifier: MIT
// What a profile tells by well-known names: the variants that the dynamic linker chose for this
// CPU, and who reads a clock, entropy or the process id.
#include <stdlib.h>
#include <string.h>

#include "measure/profile.h"
#include "measure/symbol.h"

enum { ROOT_MAX = 64 };

struct chosen {
    char root[ROOT_MAX];
    const char *variant;
};

static int compare_chosen(const void *a, const void *b)
{
    const struct chosen *left = a;
    const struct chosen *right = b;
    int order = strcmp(left->root, right->root);
    return order != 0 ? order : strcmp(left->variant, right->variant);
}

static size_t collect_chosen(const struct profile *profile, struct chosen *all)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->function_count; i++) {
        const struct profile_function *function = &profile->functions[i];
        const char *root = NULL;
        const char *variant = NULL;
        size_t len = 0;
        if (function->self_ir > 0 &&
            symbol_ifunc(profile->objects[function->object].class_name, function->name, &root, &len,
                         &variant) &&
            len < ROOT_MAX) {
            memcpy(all[count].root, root, len);
            all[count].root[len] = '\0';
            all[count++].variant = variant;
        }
    }
    return count;
}

bool profile_ifuncs(const struct profile *profile, profile_ifunc_visit visit, void *context)
{
    struct chosen *all = calloc(profile->function_count + 1, sizeof *all);
    bool ok = all != NULL;
    size_t count = ok ? collect_chosen(profile, all) : 0;
    if (count > 1) {
        qsort(all, count, sizeof *all, compare_chosen);
    }
    for (size_t i = 0; ok && i < count; i++) {
        if (i == 0 || compare_chosen(&all[i - 1], &all[i]) != 0) {
            ok = visit(context, all[i].root, all[i].variant);
        }
    }
    free(all);
    return ok;
}

static enum profile_input input_of(enum symbol_input input)
{
    return input == SYMBOL_INPUT_CLOCK     ? PROFILE_INPUT_CLOCK
           : input == SYMBOL_INPUT_ENTROPY ? PROFILE_INPUT_ENTROPY
                                           : PROFILE_INPUT_PID;
}

static bool goes_before(const struct profile_reader *a, const struct profile_reader *b)
{
    if (a->calls != b->calls) {
        return a->calls > b->calls;
    }
    int order = strcmp(a->callee, b->callee);
    return order != 0 ? order < 0 : strcmp(a->caller, b->caller) < 0;
}

// Keeps the first `cap` in order.
static void insert(struct profile_reader *out, size_t cap, size_t count,
                   const struct profile_reader *reader)
{
    size_t at = count < cap ? count : cap;
    while (at > 0 && goes_before(reader, &out[at - 1])) {
        if (at < cap) {
            out[at] = out[at - 1];
        }
        at--;
    }
    if (at < cap) {
        out[at] = *reader;
    }
}

size_t profile_readers(const struct profile *profile, struct profile_reader *out, size_t cap)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->edge_count; i++) {
        const struct profile_edge *edge = &profile->edges[i];
        const char *callee = profile->functions[edge->callee].name;
        const char *caller = profile->functions[edge->caller].name;
        enum symbol_input input = symbol_input(callee);
        if (input != SYMBOL_INPUT_NONE && symbol_input(caller) == SYMBOL_INPUT_NONE &&
            !symbol_is_kit(caller)) {
            struct profile_reader reader = {input_of(input), callee, caller, edge->calls};
            insert(out, cap, count++, &reader);
        }
    }
    return count;
}
