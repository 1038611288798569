// SPDX-License-Identifier: MIT
// Records are appended as they come; profile_rows.c puts them in order. Only functions are looked
// up while they come, in an open hash table over their interned strings' addresses.
#include "measure/profile_builder.h"

#include <stdlib.h>
#include <string.h>

#include "measure/checked.h"
#include "measure/profile_rows.h"

enum { FIRST_SLOTS = 256 };

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
    builder->rows[builder->row_count] = (struct profile_row){
        .place = *place, .function = {.name = place->name, .source = place->source}};
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

bool profile_builder_finish(struct profile_builder *builder, struct profile *out)
{
    *out = (struct profile){0};
    if (!profile_rows_sum_threads(builder, out) || !profile_rows_order(builder, out) ||
        !profile_rows_merge_edges(builder)) {
        profile_release(out);
        return false;
    }
    profile_rows_merge_lines(builder);
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
