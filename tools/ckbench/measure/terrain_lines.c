// SPDX-License-Identifier: MIT
// One table row per type of line. Members are integers from 0 on if nothing else is said; one that
// is missing or of another kind is a fault that names it.
#include "measure/terrain_lines.h"

#include <stdio.h>
#include <string.h>

#include "stats/terrain_cells.h"

static bool bad(struct fault *fault, const char *type, const char *member)
{
    return fault_set(fault, "its `%s` line has no sound \"%s\"", type, member);
}

struct integer {
    const char *name;
    int64_t *to;
    bool is_nullable; // then `to` keeps what it had
};

static bool take_integers(const struct flat_object *object, const char *type,
                          const struct integer *rows, size_t count, struct fault *fault)
{
    for (size_t i = 0; i < count; i++) {
        const struct flat_member *member = flat_find(object, rows[i].name);
        if (rows[i].is_nullable && (member == NULL || member->kind == FLAT_NULL)) {
            continue;
        }
        if (member == NULL || member->kind != FLAT_INT || member->number < 0) {
            return bad(fault, type, rows[i].name);
        }
        *rows[i].to = member->number;
    }
    return true;
}
#define TAKE(object, type, rows, fault)                                                            \
    take_integers(object, type, rows, sizeof(rows) / sizeof((rows)[0]), fault)

// Lower-case letters, digits, '-' and '_': what goes into tables and pages unescaped.
static bool take_word(const struct flat_object *object, const char *type, const char *name,
                      char *out, size_t size, struct fault *fault)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    const struct flat_member *member = flat_find(object, name);
    if (member == NULL || member->kind != FLAT_STRING || member->text[0] == '\0' ||
        strlen(member->text) >= size || strspn(member->text, alphabet) != strlen(member->text)) {
        return bad(fault, type, name);
    }
    (void)snprintf(out, size, "%s", member->text);
    return true;
}

// As many integers as `count`, each from 0 on.
static const int64_t *find_numbers(const struct flat_object *object, const char *name, size_t count)
{
    static const int64_t nothing;
    const struct flat_member *member = flat_find(object, name);
    bool is_empty = member != NULL && member->kind == FLAT_STRINGS && member->number == 0;
    if (member == NULL || (member->kind != FLAT_INTS && !is_empty) ||
        (size_t)member->number != count) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (member->numbers[i] < 0) {
            return NULL;
        }
    }
    return is_empty ? &nothing : member->numbers;
}

static bool take_layers(const struct flat_object *object, struct terrain_recording *r,
                        struct fault *fault)
{
    const struct flat_member *layers = flat_find(object, "layers");
    if (layers == NULL || layers->kind != FLAT_STRINGS || layers->number < 1 ||
        layers->number > TERRAIN_LAYERS_MAX) {
        return bad(fault, "terrain_start", "layers");
    }
    for (int64_t i = 0; i < layers->number; i++) {
        const char *name = layers->items[i];
        if (name[0] == '\0' || strlen(name) > 32 ||
            strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name) ||
            terrain_row(r, name) >= 0) {
            return bad(fault, "terrain_start", "layers");
        }
        (void)snprintf(r->layers[i], sizeof r->layers[i], "%s", name);
        r->layer_count++;
    }
    return true;
}

static bool take_settings(const struct flat_object *object, struct terrain_recording *r,
                          struct fault *fault)
{
    const struct flat_member *settings = flat_find(object, "settings");
    if (settings == NULL || settings->kind != FLAT_STRINGS) {
        return bad(fault, "terrain_start", "settings");
    }
    for (int64_t i = 0; i < settings->number; i++) {
        // The namespace is fresh in each run: it is no setting of what was measured.
        if (strncmp(settings->items[i], "namespace=", 10) != 0 &&
            !terrain_add_setting(r, settings->items[i])) {
            return bad(fault, "terrain_start", "settings");
        }
    }
    return true;
}

static bool take_start(struct terrain_lines *lines, const struct flat_object *object,
                       struct fault *fault)
{
    struct terrain_recording *r = lines->recording;
    const char *type = "terrain_start";
    const struct integer rows[] = {
        {"pid", &r->pid, false},
        {"granule_ns", &r->granule_ns, false},
        {"clock_cost_ps", &r->clock_cost_ps, false},
        {"floor_p50_ns", &r->floor_p50_ns, false},
        {"floor_p99_ns", &r->floor_p99_ns, false},
        {"seed", &r->seed, false},
        {"keys", &r->keys, true},
    };
    if (lines->is_started || !take_word(object, type, "terrain", r->name, sizeof r->name, fault) ||
        strcmp(r->name, lines->terrain) != 0) {
        return fault_set(fault, "it ran something else than the terrain it was asked for");
    }
    lines->is_started = true;
    return take_layers(object, r, fault) &&
           take_word(object, type, "clock", r->clock, sizeof r->clock, fault) &&
           take_word(object, type, "regime", r->regime, sizeof r->regime, fault) &&
           take_word(object, type, "namespace", r->name_space, sizeof r->name_space, fault) &&
           TAKE(object, type, rows, fault) && take_settings(object, r, fault);
}

static bool take_n(const struct flat_object *object, const char *type, size_t layers, int64_t *n,
                   struct fault *fault)
{
    const int64_t *numbers = find_numbers(object, "n", layers);
    if (numbers == NULL) {
        return bad(fault, type, "n");
    }
    memcpy(n, numbers, layers * sizeof *n);
    return true;
}

static bool take_warmup(struct terrain_lines *lines, const struct flat_object *object,
                        struct fault *fault)
{
    struct terrain_recording *r = lines->recording;
    const struct integer rows[] = {{"calls", &r->warmup.calls, false},
                                   {"dropped", &r->warmup.dropped, false},
                                   {"unattributed", &r->warmup.unattributed, false}};
    if (lines->is_warm || r->slice_count > 0) {
        return fault_set(fault, "its `warmup` line comes twice or late");
    }
    lines->is_warm = true;
    return TAKE(object, "warmup", rows, fault) &&
           take_n(object, "warmup", r->layer_count, r->warmup.n, fault);
}

static bool take_slice(struct terrain_lines *lines, const struct flat_object *object,
                       struct fault *fault)
{
    struct terrain_recording *r = lines->recording;
    struct terrain_slice slice = {0};
    int64_t index = -1;
    const struct integer rows[] = {
        {"index", &index, false},
        {"start_ns", &slice.start_ns, false},
        {"end_ns", &slice.end_ns, false},
        {"asked", &slice.asked, false},
        {"dropped", &slice.dropped, false},
        {"late", &slice.late, false},
        {"failed", &slice.failed, false},
        {"unattributed", &slice.unattributed, false},
        {"steal_ticks", &slice.steal_ticks, false},
        {"run_delay_ns", &slice.run_delay_ns, false},
        {"kit_ns", &slice.kit_ns, false},
    };
    if (!TAKE(object, "slice", rows, fault) ||
        !take_n(object, "slice", r->layer_count, slice.n, fault)) {
        return false;
    }
    if (index != (int64_t)r->slice_count) {
        return fault_set(fault, "its `slice` lines do not follow one another");
    }
    return terrain_add_slice(r, &slice) != NULL ||
           fault_set(fault, "no memory for its slices, or more than %d", TERRAIN_SLICES_MAX);
}

// The row and time that a line is about.
static bool find_row(const struct terrain_recording *r, const struct flat_object *object,
                     const char *type, int *row, int *time, struct fault *fault)
{
    char word[TERRAIN_NAME_ROOM];
    if (!take_word(object, type, "layer", word, sizeof word, fault)) {
        return false;
    }
    *row = terrain_row(r, word);
    if (*row < 0) {
        return fault_set(fault, "its `%s` line names the layer %s, which it does not have", type,
                         word);
    }
    if (time == NULL) {
        return *row < (int)r->layer_count || bad(fault, type, "layer");
    }
    if (!take_word(object, type, "time", word, sizeof word, fault)) {
        return false;
    }
    for (*time = 0; *time < TERRAIN_TIMES; ++*time) {
        if (strcmp(word, terrain_time_words[*time]) == 0) {
            return true;
        }
    }
    return bad(fault, type, "time");
}

static bool take_cells(struct terrain_lines *lines, const struct flat_object *object,
                       struct fault *fault)
{
    struct terrain_recording *r = lines->recording;
    const struct flat_member *cells = flat_find(object, "cell");
    int64_t slice = -1;
    int row, time;
    const struct integer rows[] = {{"slice", &slice, false}};
    if (!TAKE(object, "cells", rows, fault) || !find_row(r, object, "cells", &row, &time, fault)) {
        return false;
    }
    if (slice + 1 != (int64_t)r->slice_count) {
        return fault_set(fault, "its `cells` line does not belong to the slice before it");
    }
    size_t count = cells != NULL && cells->kind == FLAT_INTS ? (size_t)cells->number : 0;
    const int64_t *counts = count > 0 ? find_numbers(object, "count", count) : NULL;
    for (size_t i = 0; i < count && counts != NULL; i++) {
        int64_t before = i > 0 ? cells->numbers[i - 1] : -1;
        if (cells->numbers[i] <= before || cells->numbers[i] >= TERRAIN_CELLS || counts[i] < 1 ||
            counts[i] > UINT32_MAX) {
            return bad(fault, "cells", "cell");
        }
        const struct terrain_cell cell = {(uint16_t)cells->numbers[i], (uint8_t)row, (uint8_t)time,
                                          (uint32_t)counts[i]};
        if (!terrain_add_cell(r, &cell)) {
            return fault_set(fault, "no memory for its cells");
        }
    }
    return counts != NULL || bad(fault, "cells", count > 0 ? "count" : "cell");
}

static bool take_exact(struct terrain_lines *lines, const struct flat_object *object,
                       struct fault *fault)
{
    struct terrain_recording *r = lines->recording;
    char from[TERRAIN_NAME_ROOM];
    int row, time;
    if (!find_row(r, object, "exact", &row, &time, fault) ||
        !take_word(object, "exact", "from", from, sizeof from, fault)) {
        return false;
    }
    struct terrain_exact *exact = &r->exact[row][time];
    const struct integer rows[] = {{"n", &exact->n, false},
                                   {"p50_ns", &exact->p50_ns, false},
                                   {"p99_ns", &exact->p99_ns, false},
                                   {"max_ns", &exact->max_ns, false},
                                   {"sum_ns", &exact->sum_ns, false}};
    exact->is_from_cells = strcmp(from, "cells") == 0;
    return TAKE(object, "exact", rows, fault);
}

static bool take_books(struct terrain_lines *lines, const struct flat_object *object,
                       struct fault *fault)
{
    struct terrain_recording *r = lines->recording;
    int row;
    if (!find_row(r, object, "books", &row, NULL, fault)) {
        return false;
    }
    const struct integer rows[] = {{"calls", &r->books[row].calls, false},
                                   {"counted", &r->books[row].counted, true}};
    return TAKE(object, "books", rows, fault);
}

static bool take_loader(struct terrain_lines *lines, const struct flat_object *object,
                        struct fault *fault)
{
    struct terrain_recording *r = lines->recording;
    int row;
    const struct integer rows[] = {{"calls", &r->loader.calls, false},
                                   {"runs", &r->loader.runs, false},
                                   {"elsewhere", &r->loader.elsewhere, false},
                                   {"ns", &r->loader.ns, false}};
    if (!find_row(r, object, "loader", &row, NULL, fault)) {
        return false;
    }
    (void)snprintf(r->loader.layer, sizeof r->loader.layer, "%s", r->layers[row]);
    return TAKE(object, "loader", rows, fault);
}

static bool take_counts(struct terrain_lines *lines, const struct flat_object *object,
                        struct fault *fault)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const struct flat_member *names = flat_find(object, "name");
    size_t count = names != NULL && names->kind == FLAT_STRINGS ? (size_t)names->number : 0;
    const int64_t *counts = count > 0 ? find_numbers(object, "count", count) : NULL;
    if (counts == NULL) {
        return bad(fault, "counts", count > 0 ? "count" : "name");
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = names->items[i];
        if (name[0] == '\0' || strspn(name, alphabet) != strlen(name) ||
            !terrain_add_count(lines->recording, name, counts[i])) {
            return bad(fault, "counts", "name");
        }
    }
    return true;
}

static bool take_zipf(struct terrain_lines *lines, const struct flat_object *object,
                      struct fault *fault)
{
    struct terrain_zipf *z = &lines->recording->zipf;
    const struct flat_member *top = flat_find(object, "top");
    const struct integer rows[] = {{"draws", &z->draws, false},
                                   {"groups", &z->groups, false},
                                   {"freedom", &z->freedom, false},
                                   {"chi2_milli", &z->chi2_milli, false},
                                   {"p_ppm", &z->p_ppm, true}};
    z->p_ppm = -1;
    size_t count = top != NULL && top->kind == FLAT_INTS ? (size_t)top->number : 0;
    const int64_t *asked = find_numbers(object, "asked_ppm", count);
    const int64_t *drawn = find_numbers(object, "drawn_ppm", count);
    if (count > TERRAIN_TOPS_MAX || asked == NULL || drawn == NULL) {
        return bad(fault, "zipf", "top");
    }
    z->top_count = count;
    for (size_t i = 0; i < count; i++) {
        z->top[i] = top->numbers[i];
        z->asked_ppm[i] = asked[i];
        z->drawn_ppm[i] = drawn[i];
    }
    lines->recording->has_zipf = true;
    return TAKE(object, "zipf", rows, fault);
}

static bool take_values(struct terrain_lines *lines, const struct flat_object *object,
                        struct fault *fault)
{
    struct terrain_recording *r = lines->recording;
    const struct integer rows[] = {{"p50_bytes", &r->values.p50_bytes, false},
                                   {"p95_bytes", &r->values.p95_bytes, false},
                                   {"max_bytes", &r->values.max_bytes, false}};
    r->has_values = true;
    return TAKE(object, "values", rows, fault);
}

static bool take_end(struct terrain_lines *lines, const struct flat_object *object,
                     struct fault *fault)
{
    struct terrain_recording *r = lines->recording;
    const struct flat_member *stopped = flat_find(object, "stopped");
    const struct integer rows[] = {
        {"slices", &r->end.slices, false},     {"calls", &r->end.calls, false},
        {"dropped", &r->end.dropped, false},   {"late", &r->end.late, false},
        {"failed", &r->end.failed, false},     {"unattributed", &r->end.unattributed, false},
        {"unserved", &r->end.unserved, false}, {"wall_ns", &r->end.wall_ns, false},
        {"kit_ns", &r->end.kit_ns, false}};
    if (stopped == NULL || stopped->kind != FLAT_BOOL) {
        return bad(fault, "terrain_end", "stopped");
    }
    r->is_stopped = stopped->number != 0;
    lines->is_ended = true;
    return take_word(object, "terrain_end", "reason", r->reason, sizeof r->reason, fault) &&
           TAKE(object, "terrain_end", rows, fault);
}

bool terrain_take_line(struct terrain_lines *lines, const struct flat_object *object,
                       struct fault *fault)
{
    static const struct {
        const char *type;
        bool (*take)(struct terrain_lines *, const struct flat_object *, struct fault *);
    } types[] = {
        {"terrain_start", take_start}, {"warmup", take_warmup},   {"slice", take_slice},
        {"cells", take_cells},         {"exact", take_exact},     {"books", take_books},
        {"loader", take_loader},       {"zipf", take_zipf},       {"values", take_values},
        {"counts", take_counts},       {"terrain_end", take_end},
    };
    const struct flat_member *type = flat_find(object, "type");
    for (size_t i = 0; type != NULL && i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].type, type->text) != 0) {
            continue;
        }
        if (lines->is_ended || (!lines->is_started && i > 0)) {
            return fault_set(fault, "its `%s` line comes before the start or after the end",
                             types[i].type);
        }
        return types[i].take(lines, object, fault);
    }
    return true;
}
