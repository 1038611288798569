// SPDX-License-Identifier: MIT
// Order is made once, at the end: sorting a whole window is cheaper than keeping it sorted, and
// merging equal neighbours is all that summing needs.
#include "measure/profile_rows.h"

#include <stdlib.h>
#include <string.h>

#include "measure/checked.h"

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
    return compare_places(&(*(struct profile_row *const *)a)->place,
                          &(*(struct profile_row *const *)b)->place);
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

bool profile_rows_merge_edges(struct profile_builder *builder)
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

void profile_rows_merge_lines(struct profile_builder *builder)
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
    struct profile_row **order = calloc(count + 1, sizeof *order);
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

bool profile_rows_sum_threads(struct profile_builder *builder, struct profile *out)
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

bool profile_rows_order(struct profile_builder *builder, struct profile *out)
{
    return collect_objects(builder, out) && order_functions(builder, out);
}
