// SPDX-License-Identifier: MIT
// Pairs the functions of two windows and keeps those that moved. Windows may hold different
// numbers of calls of the path, so rates are compared by cross multiplication: a/m against b/n is
// a*n against b*m, whole numbers of at most 96 bits.
#include "measure/attribution.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "measure/attribution_line.h"
#include "measure/checked.h"
#include "measure/symbol.h"

// Both sides and, for each edge into a function, where to find it.
struct pairing {
    const struct attribution_side *head;
    const struct attribution_side *base;
    const struct profile_edge **head_edges; // sorted by callee
    const struct profile_edge **base_edges;
    bool *is_met; // base's functions that have a counterpart
};

static int compare_callees(const void *a, const void *b)
{
    const struct profile_edge *left = *(const struct profile_edge *const *)a;
    const struct profile_edge *right = *(const struct profile_edge *const *)b;
    if (left->callee != right->callee) {
        return left->callee < right->callee ? -1 : 1;
    }
    return (left->caller > right->caller) - (left->caller < right->caller);
}

static const struct profile_edge **edges_by_callee(const struct profile *profile)
{
    const struct profile_edge **edges = calloc(profile->edge_count + 1, sizeof *edges);
    if (edges != NULL) {
        for (size_t i = 0; i < profile->edge_count; i++) {
            edges[i] = &profile->edges[i];
        }
        if (profile->edge_count > 1) {
            qsort(edges, profile->edge_count, sizeof *edges, compare_callees);
        }
    }
    return edges;
}

// The first of the edges into `callee`; they end where the callee changes or at NULL.
static const struct profile_edge **edges_into(const struct profile_edge **edges, size_t count,
                                              size_t callee)
{
    size_t first = 0;
    size_t end = count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (edges[middle]->callee < callee) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return edges + first;
}

// Head's rate less base's, over head_ops * base_ops.
static checked_signed rate_change(uint64_t head, uint64_t base, uint64_t head_ops,
                                  uint64_t base_ops)
{
    return (checked_signed)checked_product(head, base_ops) -
           (checked_signed)checked_product(base, head_ops);
}

static checked_wide magnitude(checked_signed value)
{
    return value < 0 ? (checked_wide)-value : (checked_wide)value;
}

// Does `a` belong before `b`? The larger change in calls, then the more calls, then the name.
static bool caller_goes_before(const struct pairing *pairing, const struct attribution_caller *a,
                               const struct attribution_caller *b)
{
    uint64_t head_ops = pairing->head->ops;
    uint64_t base_ops = pairing->base->ops;
    checked_wide change_a =
        magnitude(rate_change(a->head_calls, a->base_calls, head_ops, base_ops));
    checked_wide change_b =
        magnitude(rate_change(b->head_calls, b->base_calls, head_ops, base_ops));
    if (change_a != change_b) {
        return change_a > change_b;
    }
    if (a->head_calls != b->head_calls) {
        return a->head_calls > b->head_calls;
    }
    return strcmp(a->name, b->name) < 0;
}

static void add_caller(const struct pairing *pairing, struct attribution_function *function,
                       const struct attribution_caller *caller)
{
    size_t at = function->caller_count;
    while (at > 0 && caller_goes_before(pairing, caller, &function->callers[at - 1])) {
        if (at < ATTRIBUTION_CALLERS) {
            function->callers[at] = function->callers[at - 1];
        }
        at--;
    }
    if (at < ATTRIBUTION_CALLERS) {
        function->callers[at] = *caller;
        if (function->caller_count < ATTRIBUTION_CALLERS) {
            function->caller_count++;
        }
    }
}

static uint64_t calls_from(const struct profile_edge *const *edges, size_t callee, size_t caller)
{
    for (; *edges != NULL && (*edges)->callee == callee; edges++) {
        if ((*edges)->caller == caller) {
            return (*edges)->calls;
        }
    }
    return 0;
}

// Callers of a function that lies at `in_head` and `in_base`; SIZE_MAX: not there.
static void add_callers(const struct pairing *pairing, size_t in_head, size_t in_base,
                        struct attribution_function *function)
{
    const struct profile *head = pairing->head->profile;
    const struct profile *base = pairing->base->profile;
    const struct profile_edge **into_head =
        edges_into(pairing->head_edges, head->edge_count, in_head);
    const struct profile_edge **into_base =
        edges_into(pairing->base_edges, base->edge_count, in_base);
    for (const struct profile_edge **edge = into_head; *edge != NULL && (*edge)->callee == in_head;
         edge++) {
        size_t other = profile_find_match(head, (*edge)->caller, base);
        struct attribution_caller caller = {head->functions[(*edge)->caller].name, (*edge)->calls,
                                            calls_from(into_base, in_base, other)};
        add_caller(pairing, function, &caller);
    }
    for (const struct profile_edge **edge = into_base; *edge != NULL && (*edge)->callee == in_base;
         edge++) {
        size_t other = profile_find_match(base, (*edge)->caller, head);
        if (calls_from(into_head, in_head, other) == 0) {
            struct attribution_caller caller = {base->functions[(*edge)->caller].name, 0,
                                                (*edge)->calls};
            add_caller(pairing, function, &caller);
        }
    }
}

static bool has_moved(const struct pairing *pairing, const struct attribution_function *function)
{
    uint64_t head_ops = pairing->head->ops;
    uint64_t base_ops = pairing->base->ops;
    return rate_change(function->head_ir, function->base_ir, head_ops, base_ops) != 0 ||
           rate_change(function->head_calls, function->base_calls, head_ops, base_ops) != 0;
}

static void set_base(struct attribution_function *function, const struct profile *base, size_t at)
{
    function->in_base = true;
    function->base_ir = base->functions[at].self_ir;
    function->base_calls = base->functions[at].calls;
}

static void set_name(struct attribution_function *function, const struct profile *profile,
                     size_t at)
{
    const struct profile_function *it = &profile->functions[at];
    function->object = profile->objects[it->object].class_name;
    function->name = it->name;
    attribution_find_place(profile, at, function);
    function->change_source = "";
}

static void keep_if_moved(const struct pairing *pairing, struct attribution *out, size_t in_head,
                          size_t in_base, const struct attribution_function *candidate)
{
    if (has_moved(pairing, candidate)) {
        struct attribution_function *kept = &out->functions[out->count++];
        *kept = *candidate;
        add_callers(pairing, in_head, in_base, kept);
        attribution_find_line(pairing->head, in_head, pairing->base, in_base, kept);
    }
}

static void compare_functions(const struct pairing *pairing, struct attribution *out)
{
    const struct profile *head = pairing->head->profile;
    const struct profile *base = pairing->base->profile;
    for (size_t i = 0; i < head->function_count; i++) {
        struct attribution_function function = {.in_head = true,
                                                .head_ir = head->functions[i].self_ir,
                                                .head_calls = head->functions[i].calls};
        size_t other = profile_find_match(head, i, base);
        set_name(&function, head, i);
        if (other != SIZE_MAX) {
            pairing->is_met[other] = true;
            set_base(&function, base, other);
        }
        keep_if_moved(pairing, out, i, other, &function);
    }
    for (size_t i = 0; i < base->function_count; i++) {
        if (!pairing->is_met[i]) {
            struct attribution_function function = {0};
            set_name(&function, base, i);
            set_base(&function, base, i);
            keep_if_moved(pairing, out, SIZE_MAX, i, &function);
        }
    }
}

static bool goes_before(const struct attribution *all, const struct attribution_function *a,
                        const struct attribution_function *b)
{
    checked_wide left =
        magnitude(rate_change(a->head_ir, a->base_ir, all->head_ops, all->base_ops));
    checked_wide right =
        magnitude(rate_change(b->head_ir, b->base_ir, all->head_ops, all->base_ops));
    if (left != right) {
        return left > right;
    }
    assert(a->name != NULL && b->name != NULL);
    int order = strcmp(a->name, b->name);
    return order != 0 ? order < 0 : strcmp(a->object, b->object) < 0;
}

// Heap sort: qsort() has no context, and the order hangs on the two numbers of ops.
static void sift(struct attribution *all, size_t root, size_t count)
{
    struct attribution_function *items = all->functions;
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && goes_before(all, &items[child], &items[child + 1])) {
            child++;
        }
        if (!goes_before(all, &items[root], &items[child])) {
            return;
        }
        struct attribution_function swap = items[root];
        items[root] = items[child];
        items[child] = swap;
        root = child;
    }
}

static void sort(struct attribution *all)
{
    for (size_t i = all->count / 2; i-- > 0;) {
        sift(all, i, all->count);
    }
    for (size_t i = all->count; i-- > 1;) {
        struct attribution_function swap = all->functions[0];
        all->functions[0] = all->functions[i];
        all->functions[i] = swap;
        sift(all, 0, i);
    }
}

bool attribution_make(const struct attribution_side *head, const struct attribution_side *base,
                      struct attribution *out, struct fault *fault)
{
    *out = (struct attribution){.head_ops = head->ops, .base_ops = base->ops};
    if (head->ops == 0 || base->ops == 0 || head->ops > UINT32_MAX || base->ops > UINT32_MAX) {
        return fault_set(fault, "a window of no or of too many calls cannot be compared");
    }
    size_t room = head->profile->function_count + base->profile->function_count + 1;
    struct pairing pairing = {.head = head,
                              .base = base,
                              .head_edges = edges_by_callee(head->profile),
                              .base_edges = edges_by_callee(base->profile),
                              .is_met = calloc(room, sizeof *pairing.is_met)};
    out->functions = calloc(room, sizeof *out->functions);
    bool ok = pairing.head_edges != NULL && pairing.base_edges != NULL && pairing.is_met != NULL &&
              out->functions != NULL;
    if (ok) {
        compare_functions(&pairing, out);
        sort(out);
    }
    free(pairing.head_edges);
    free(pairing.base_edges);
    free(pairing.is_met);
    if (!ok) {
        attribution_release(out);
        return fault_set(fault, "no memory to compare two profiles");
    }
    return true;
}

void attribution_release(struct attribution *attribution)
{
    if (attribution != NULL) {
        free(attribution->functions);
        *attribution = (struct attribution){0};
    }
}

bool attribution_only_libc_heap_or_string(const struct attribution *attribution)
{
    for (size_t i = 0; i < attribution->count; i++) {
        const struct attribution_function *function = &attribution->functions[i];
        if (rate_change(function->head_ir, function->base_ir, attribution->head_ops,
                        attribution->base_ops) != 0 &&
            !symbol_is_libc_heap(function->object, function->name) &&
            !symbol_is_libc_string(function->object, function->name)) {
            return false;
        }
    }
    return true;
}
