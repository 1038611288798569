// SPDX-License-Identifier: MIT
#include "ab_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char DEFAULT_PATH[] = "payload_seed";

struct choosing {
    const struct ab_options *options;
    const struct subject *subject;
    struct ab_cell *cells;
    size_t *count;
    struct fault *fault;
};

// Whether `word` is one of the comma-separated words of `texts`; none given means all.
static bool is_asked(const struct opt_texts *texts, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i < texts->count; i++) {
        for (const char *at = texts->items[i]; *at != '\0';) {
            size_t part = strcspn(at, ",");
            if (part == len && memcmp(at, word, len) == 0) {
                return true;
            }
            at += part + (at[part] == ',');
        }
    }
    return texts->count == 0;
}

static bool is_offered(const struct subject_names *names, const char *word, size_t len)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strlen(names->items[i]) == len && memcmp(names->items[i], word, len) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_words(const struct choosing *c, const struct opt_texts *texts, const char *path,
                        const struct subject_names *names)
{
    for (size_t i = 0; i < texts->count; i++) {
        for (const char *at = texts->items[i]; *at != '\0';) {
            size_t len = strcspn(at, ",");
            if (!is_offered(names, at, len)) {
                return fault_set(c->fault, "%s offers no '%.*s': ckbench list shows what it offers",
                                 path, len < 80 ? (int)len : 80, at);
            }
            at += len + (at[len] == ',');
        }
    }
    return true;
}

static bool add_cell(const struct choosing *c, const struct subject_path *path, const char *shape,
                     const char *operation, int64_t bytes)
{
    if (*c->count == AB_CELLS_MAX) {
        return fault_set(c->fault, "more than %d cells", AB_CELLS_MAX);
    }
    for (size_t i = 0; i < *c->count; i++) {
        const struct ab_cell *other = &c->cells[i];
        if (strcmp(other->path, path->name) == 0 && strcmp(other->shape, shape) == 0 &&
            strcmp(other->operation, operation) == 0 && other->bytes == bytes) {
            return true;
        }
    }
    struct ab_cell *cell = &c->cells[(*c->count)++];
    *cell = (struct ab_cell){.bytes = bytes, .has_phases = path->phases.count > 0};
    ab_forget_allocations(cell);
    (void)snprintf(cell->path, sizeof cell->path, "%s", path->name);
    (void)snprintf(cell->shape, sizeof cell->shape, "%s", shape);
    (void)snprintf(cell->operation, sizeof cell->operation, "%s", operation);
    return true;
}

// Cells of a sweep: sizes at equal ratios, by the first shape of each kind (what stands before the
// dash).
static bool add_sizes(const struct choosing *c, const struct subject_path *path, const char *shape,
                      const char *operation)
{
    int64_t from, to;
    unsigned points = c->options->points;
    if (!ab_read_sweep(c->options->sweep, &from, &to, c->fault)) {
        return false;
    }
    for (unsigned i = 0; i < points; i++) {
        double share = (double)i / (double)(points - 1);
        int64_t bytes = llround((double)from * pow((double)to / (double)from, share));
        if (!add_cell(c, path, shape, operation, bytes)) {
            return false;
        }
    }
    return true;
}

static bool is_first_of_kind(const struct choosing *c, const struct subject_names *shapes,
                             const char *shape)
{
    size_t len = strcspn(shape, "-");
    for (size_t i = 0; i < shapes->count && shapes->items[i] != shape; i++) {
        const char *other = shapes->items[i];
        if (strcspn(other, "-") == len && memcmp(other, shape, len) == 0 &&
            is_asked(&c->options->shapes, other)) {
            return false;
        }
    }
    return true;
}

static bool add_operation(const struct choosing *c, const struct subject_path *path,
                          const char *shape, const char *operation)
{
    if (c->options->sweep == NULL) {
        return add_cell(c, path, shape, operation, -1);
    }
    return !is_first_of_kind(c, &path->shapes, shape) || add_sizes(c, path, shape, operation);
}

static bool add_operations(const struct choosing *c, const struct subject_path *path,
                           const char *shape)
{
    for (size_t i = 0; i < path->operations.count; i++) {
        const char *operation = path->operations.items[i];
        if (is_asked(&c->options->operations, operation) &&
            !add_operation(c, path, shape, operation)) {
            return false;
        }
    }
    return path->operations.count > 0 || add_operation(c, path, shape, "");
}

static bool add_path(const struct choosing *c, const char *name)
{
    const struct subject_path *path = subject_find(c->subject, name);
    if (path == NULL) {
        return fault_set(c->fault, "%s has no path %s: ckbench list shows what it has",
                         c->subject->file, name);
    }
    if (!check_words(c, &c->options->shapes, name, &path->shapes) ||
        !check_words(c, &c->options->operations, name, &path->operations)) {
        return false;
    }
    for (size_t i = 0; i < path->shapes.count; i++) {
        if (is_asked(&c->options->shapes, path->shapes.items[i]) &&
            !add_operations(c, path, path->shapes.items[i])) {
            return false;
        }
    }
    return path->shapes.count > 0 || add_operations(c, path, "");
}

bool ab_cells_choose(const struct ab_options *options, const struct subject *subject,
                     struct ab_cell *cells, size_t *count, struct fault *fault)
{
    const struct choosing c = {options, subject, cells, count, fault};
    *count = 0;
    for (size_t i = 0; i < options->paths.count; i++) {
        if (!add_path(&c, options->paths.items[i])) {
            return false;
        }
    }
    return options->paths.count > 0 || add_path(&c, DEFAULT_PATH);
}
