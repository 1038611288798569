// SPDX-License-Identifier: MIT
// Records are appended as they come and put in order once, at the end: sorting a whole window is
// cheaper than keeping it sorted, and merging equal neighbours is all that summing needs.
#include "measure/profile_builder.h"

#include <stdlib.h>
#include <string.h>

#include "measure/checked.h"

enum { FIRST_SLOTS = 256 };

struct row {
    struct profile_place place;
    struct profile_function function; // object is filled at the end
};

struct profile_builder {
    struct row *rows;
    size_t row_count, row_cap;
    uint32_t *slots; // index of a row plus 1; 0: free
    size_t slot_count;
    struct profile_edge *edges;
    size_t edge_count, edge_cap;
    struct profile_line *lines;
    size_t line_count, line_cap;
    struct profile_thread *threads;
    size_t thread_count, thread_cap;
};

static bool same_place(const struct profile_place *a, const struct profile_place *b)
{
    return a->path == b->path && a->source == b->source && a->name == b->name;
}

static size_t slot_of(const struct profile_place *place, size_t slot_count)
{
    uint64_t hash = (uintptr_t)place->name * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (uintptr_t)place->source ^ (hash >> 32)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ (uintptr_t)place->path ^ (hash >> 32)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(hash >> 32) & (slot_count - 1);
}

static uint32_t *find(const struct profile_builder *builder, uint32_t *slots, size_t slot_count,
                      const struct profile_place *place)
{
    size_t at = slot_of(place, slot_count);
    while (slots[at] != 0 && !same_place(&builder->rows[slots[at] - 1].place, place)) {
        at = (at + 1) & (slot_count - 1);
    }
    return &slots[at];
}

static bool grow_slots(struct profile_builder *builder)
{
    size_t count = builder->slot_count == 0 ? FIRST_SLOTS : builder->slot_count * 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < builder->row_count; i++) {
        *find(builder, slots, count, &builder->rows[i].place) = (uint32_t)i + 1;
    }
    free(builder->slots);
    builder->slots = slots;
    builder->slot_count = count;
    return true;
}

struct profile_builder *profile_builder_new(void)
{
    struct profile_builder *builder = calloc(1, sizeof *builder);
    if (builder != NULL && !grow_slots(builder)) {
        free(builder);
        builder = NULL;
    }
    return builder;
}

void profile_builder_free(struct profile_builder *builder)
{
    if (builder != NULL) {
        free(builder->rows);
        free(builder->slots);
        free(builder->edges);
        free(builder->lines);
        free(builder->threads);
        free(builder);
    }
}

uint32_t profile_builder_function(struct profile_builder *builder,
                                  const struct profile_place *place)
{
    if (builder->row_count >= UINT32_MAX - 1 ||
        (builder->row_count >= builder->slot_count / 2 && !grow_slots(builder))) {
        return UINT32_MAX;
    }
    uint32_t *slot = find(builder, builder->slots, builder->slot_count, place);
    if (*slot != 0) {
        return *slot - 1;
    }
    void *rows =
        checked_room(builder->rows, builder->row_count, &builder->row_cap, sizeof *builder->rows);
    if (rows == NULL) {
        return UINT32_MAX;
    }
    builder->rows = rows;
    builder->rows[builder->row_count] =
        (struct row){.place = *place, .function = {.name = place->name, .source = place->source}};
    *slot = (uint32_t)++builder->row_count;
    return *slot - 1;
}

bool profile_builder_cost(struct profile_builder *builder, const struct profile_line *line,
                          uint64_t sys_count)
{
    struct profile_function *function = &builder->rows[line->function].function;
    if (!checked_add(&function->self_ir, line->self_ir) ||
        !checked_add(&function->sys_count, sys_count)) {
        return false;
    }
    if (line->line == 0 || line->source[0] == '\0') {
        return true;
    }
    if (function->first_line == 0 && line->source == function->source) {
        function->first_line = line->line;
    }
    void *lines = checked_room(builder->lines, builder->line_count, &builder->line_cap,
                               sizeof *builder->lines);
    if (lines == NULL) {
        return false;
    }
    builder->lines = lines;
    builder->lines[builder->line_count++] = *line;
    return true;
}

bool profile_builder_call(struct profile_builder *builder, const struct profile_edge *edge)
{
    if (!checked_add(&builder->rows[edge->callee].function.calls, edge->calls)) {
        return false;
    }
    void *edges = checked_room(builder->edges, builder->edge_count, &builder->edge_cap,
                               sizeof *builder->edges);
    if (edges == NULL) {
        return false;
    }
    builder->edges = edges;
    builder->edges[builder->edge_count++] = *edge;
    return true;
}

bool profile_builder_thread(struct profile_builder *builder, const struct profile_thread *thread)
{
    void *threads = checked_room(builder->threads, builder->thread_count, &builder->thread_cap,
                                 sizeof *builder->threads);
    if (threads == NULL) {
        return false;
    }
    builder->threads = threads;
    builder->threads[builder->thread_count++] = *thread;
    return true;
}

bool profile_builder_has_thread(const struct profile_builder *builder, uint32_t id)
{
    for (size_t i = 0; i < builder->thread_count; i++) {
        if (builder->threads[i].id == id) {
            return true;
        }
    }
    return false;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const struct profile_place *a, const struct profile_place *b)
{
    int order = strcmp(a->class_name, b->class_name);
    if (order == 0) {
        order = strcmp(a->name, b->name);
    }
    if (order == 0) {
        order = strcmp(a->source, b->source);
    }
    return order != 0 ? order : strcmp(a->path, b->path);
}

// Rows are sorted through pointers, so that a row's old index is its place in the array.
static int compare_row_pointers(const void *a, const void *b)
{
    return compare_places(&(*(struct row *const *)a)->place, &(*(struct row *const *)b)->place);
}

static int compare_edges(const void *a, const void *b)
{
    const struct profile_edge *left = a;
    const struct profile_edge *right = b;
    int order = compare_numbers(left->caller, right->caller);
    return order != 0 ? order : compare_numbers(left->callee, right->callee);
}

static int compare_lines(const void *a, const void *b)
{
    const struct profile_line *left = a;
    const struct profile_line *right = b;
    int order = compare_numbers(left->function, right->function);
    if (order == 0 && left->source != right->source) {
        order = strcmp(left->source, right->source);
    }
    return order != 0 ? order : compare_numbers(left->line, right->line);
}

static int compare_threads(const void *a, const void *b)
{
    return compare_numbers(((const struct profile_thread *)a)->id,
                           ((const struct profile_thread *)b)->id);
}

static int compare_objects(const void *a, const void *b)
{
    const struct profile_object *left = a;
    const struct profile_object *right = b;
    int order = strcmp(left->class_name, right->class_name);
    return order != 0 ? order : strcmp(left->path, right->path);
}

static void sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count > 1) {
        qsort(items, count, size, compare);
    }
}

static bool merge_edges(struct profile_builder *builder)
{
    sort(builder->edges, builder->edge_count, sizeof *builder->edges, compare_edges);
    size_t kept = 0;
    for (size_t i = 0; i < builder->edge_count; i++) {
        const struct profile_edge *edge = &builder->edges[i];
        if (kept == 0 || compare_edges(&builder->edges[kept - 1], edge) != 0) {
            builder->edges[kept++] = *edge;
        } else if (!checked_add(&builder->edges[kept - 1].calls, edge->calls) ||
                   !checked_add(&builder->edges[kept - 1].inclusive_ir, edge->inclusive_ir)) {
            return false;
        }
    }
    builder->edge_count = kept;
    return true;
}

static void merge_lines(struct profile_builder *builder)
{
    sort(builder->lines, builder->line_count, sizeof *builder->lines, compare_lines);
    size_t kept = 0;
    for (size_t i = 0; i < builder->line_count; i++) {
        const struct profile_line *line = &builder->lines[i];
        if (kept == 0 || compare_lines(&builder->lines[kept - 1], line) != 0) {
            builder->lines[kept++] = *line;
        } else { // cannot overflow: it is part of the function's checked sum
            builder->lines[kept - 1].self_ir += line->self_ir;
        }
    }
    builder->line_count = kept;
}

// The objects of the rows, sorted and once each.
static bool collect_objects(const struct profile_builder *builder, struct profile *out)
{
    out->objects = calloc(builder->row_count + 1, sizeof *out->objects);
    if (out->objects == NULL) {
        return false;
    }
    for (size_t i = 0; i < builder->row_count; i++) {
        const struct profile_place *place = &builder->rows[i].place;
        if (i == 0 || place->path != builder->rows[i - 1].place.path) {
            out->objects[out->object_count++] =
                (struct profile_object){place->path, place->class_name, 0};
        }
    }
    sort(out->objects, out->object_count, sizeof *out->objects, compare_objects);
    size_t kept = 0;
    for (size_t i = 0; i < out->object_count; i++) {
        if (kept == 0 || out->objects[kept - 1].path != out->objects[i].path) {
            out->objects[kept++] = out->objects[i];
        }
    }
    out->object_count = kept;
    return true;
}

static uint32_t object_of(const struct profile *out, const struct profile_place *place)
{
    const struct profile_object key = {place->path, place->class_name, 0};
    const struct profile_object *found =
        bsearch(&key, out->objects, out->object_count, sizeof key, compare_objects);
    return (uint32_t)(found - out->objects);
}

// Puts the functions in order and tells edges and lines their new numbers.
static bool order_functions(struct profile_builder *builder, struct profile *out)
{
    bool ok = false;
    size_t count = builder->row_count;
    struct row **order = calloc(count + 1, sizeof *order);
    uint32_t *renumber = calloc(count + 1, sizeof *renumber);
    out->functions = calloc(count + 1, sizeof *out->functions);
    if (order == NULL || renumber == NULL || out->functions == NULL) {
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        order[i] = &builder->rows[i];
    }
    sort(order, count, sizeof *order, compare_row_pointers);
    for (size_t i = 0; i < count; i++) {
        struct profile_function *function = &out->functions[i];
        *function = order[i]->function;
        function->object = object_of(out, &order[i]->place);
        // cannot overflow: the window's total is checked
        out->objects[function->object].self_ir += function->self_ir;
        renumber[order[i] - builder->rows] = (uint32_t)i;
    }
    for (size_t i = 0; i < builder->edge_count; i++) {
        builder->edges[i].caller = renumber[builder->edges[i].caller];
        builder->edges[i].callee = renumber[builder->edges[i].callee];
    }
    for (size_t i = 0; i < builder->line_count; i++) {
        builder->lines[i].function = renumber[builder->lines[i].function];
    }
    out->function_count = count;
    ok = true;
done:
    free(order);
    free(renumber);
    return ok;
}

static bool add_threads(const struct profile_builder *builder, struct profile *out)
{
    sort(builder->threads, builder->thread_count, sizeof *builder->threads, compare_threads);
    for (size_t i = 0; i < builder->thread_count; i++) {
        if (!checked_add(&out->total_ir, builder->threads[i].total_ir) ||
            !checked_add(&out->sys_count, builder->threads[i].sys_count)) {
            return false;
        }
    }
    return true;
}

bool profile_builder_finish(struct profile_builder *builder, struct profile *out)
{
    *out = (struct profile){0};
    if (!add_threads(builder, out) || !collect_objects(builder, out) ||
        !order_functions(builder, out) || !merge_edges(builder)) {
        profile_release(out);
        return false;
    }
    merge_lines(builder);
    out->edges = builder->edges;
    out->edge_count = builder->edge_count;
    out->lines = builder->lines;
    out->line_count = builder->line_count;
    out->threads = builder->threads;
    out->thread_count = builder->thread_count;
    builder->edges = NULL;
    builder->lines = NULL;
    builder->threads = NULL;
    builder->edge_count = builder->edge_cap = 0;
    builder->line_count = builder->line_cap = 0;
    builder->thread_count = builder->thread_cap = 0;
    builder->row_count = 0;
    memset(builder->slots, 0, builder->slot_count * sizeof *builder->slots);
    return true;
}

void profile_release(struct profile *profile)
{
    if (profile != NULL) {
        free(profile->objects);
        free(profile->functions);
        free(profile->edges);
        free(profile->lines);
        free(profile->threads);
        *profile = (struct profile){0};
    }
}
