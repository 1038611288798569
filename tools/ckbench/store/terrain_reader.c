// SPDX-License-Identifier: MIT
// A recording is read back whole but for what is derived: who reads it checks its books again.
#include "store/terrain_report.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "stats/terrain_cells.h"

struct integer {
    const char *key;
    int64_t *to;
};

static bool want_integers(const struct json_value *object, const struct integer *rows, size_t count,
                          struct fault *fault)
{
    for (size_t i = 0; i < count; i++) {
        if (!json_want_i64(object, rows[i].key, 0, JSON_SAFE_INTEGER, rows[i].to, fault)) {
            return false;
        }
    }
    return true;
}
#define WANT(object, rows, fault)                                                                  \
    want_integers(object, rows, sizeof(rows) / sizeof((rows)[0]), fault)

static bool want_word(const struct json_value *object, const char *key, char *out, size_t size,
                      struct fault *fault)
{
    const struct json_text_rule rule = {.min = 1, .max = size - 1, .extra = "-"};
    const char *text;
    if (!json_want_text(object, key, &rule, &text, fault)) {
        return false;
    }
    (void)snprintf(out, size, "%s", text);
    return true;
}

// Exactly `count` integers from 0 on.
static bool want_list(const struct json_value *object, const char *key, int64_t *out, size_t count,
                      struct fault *fault)
{
    const struct json_value *list;
    if (!json_want(object, key, JSON_ARRAY, &list, fault)) {
        return false;
    }
    if (json_count(list) != count) {
        return json_fail(list, fault, "%zu items, not %zu", json_count(list), count);
    }
    const struct json_value *item = json_first(list);
    for (size_t i = 0; i < count; i++, item = json_next(item)) {
        if (!json_as_i64(item, 0, JSON_SAFE_INTEGER, &out[i], fault)) {
            return false;
        }
    }
    return true;
}

static bool read_layers(const struct json_value *body, struct terrain_recording *r,
                        struct fault *fault)
{
    static const struct json_text_rule rule = {.min = 1, .max = 32, .extra = "-"};
    const struct json_value *layers;
    if (!json_want(body, "layers", JSON_ARRAY, &layers, fault)) {
        return false;
    }
    if (json_count(layers) < 1 || json_count(layers) > TERRAIN_LAYERS_MAX) {
        return json_fail(layers, fault, "1 to %d layers", TERRAIN_LAYERS_MAX);
    }
    for (const struct json_value *at = json_first(layers); at != NULL; at = json_next(at)) {
        const char *name;
        if (!json_as_text(at, &rule, &name, fault)) {
            return false;
        }
        if (terrain_row(r, name) >= 0) {
            return json_fail(at, fault, "a layer twice");
        }
        (void)snprintf(r->layers[r->layer_count], TERRAIN_NAME_ROOM, "%s", name);
        r->layer_count++;
    }
    return true;
}

static bool read_head(const struct json_value *body, struct terrain_recording *r,
                      struct fault *fault)
{
    const struct json_value *calibration, *settings, *warmup;
    if (!want_word(body, "terrain", r->name, sizeof r->name, fault) ||
        !read_layers(body, r, fault) ||
        !want_word(body, "clock", r->clock, sizeof r->clock, fault) ||
        !want_word(body, "regime", r->regime, sizeof r->regime, fault) ||
        !want_word(body, "reason", r->reason, sizeof r->reason, fault) ||
        !json_want_bool(body, "is_stopped", &r->is_stopped, fault) ||
        !json_want(body, "settings", JSON_ARRAY, &settings, fault) ||
        !json_want(body, "calibration", JSON_OBJECT, &calibration, fault) ||
        !json_want(body, "warmup", JSON_OBJECT, &warmup, fault)) {
        return false;
    }
    for (const struct json_value *at = json_first(settings); at != NULL; at = json_next(at)) {
        const char *text;
        if (!json_as_text(at, &json_rule_line, &text, fault)) {
            return false;
        }
        if (!terrain_add_setting(r, text)) {
            return json_fail(at, fault, "more than %d settings", TERRAIN_SETTINGS_MAX);
        }
    }
    const struct integer steps[] = {{"granule_ns", &r->granule_ns},
                                    {"clock_cost_ps", &r->clock_cost_ps},
                                    {"floor_p50_ns", &r->floor_p50_ns},
                                    {"floor_p99_ns", &r->floor_p99_ns}};
    const struct integer warm[] = {{"calls", &r->warmup.calls},
                                   {"dropped", &r->warmup.dropped},
                                   {"unattributed", &r->warmup.unattributed}};
    return WANT(calibration, steps, fault) && WANT(warmup, warm, fault) &&
           want_list(warmup, "n", r->warmup.n, r->layer_count, fault);
}

static bool find_row(const struct terrain_recording *r, const struct json_value *object, int *row,
                     struct fault *fault)
{
    char name[TERRAIN_NAME_ROOM];
    if (!want_word(object, "layer", name, sizeof name, fault)) {
        return false;
    }
    *row = terrain_row(r, name);
    return *row >= 0 || json_fail(object, fault, "no layer of the terrain");
}

static bool read_time(const struct json_value *time, struct terrain_exact *exact,
                      struct fault *fault)
{
    int64_t raw[4] = {0};
    char from[TERRAIN_NAME_ROOM];
    if (!json_is(time, JSON_OBJECT, fault) ||
        !json_want_i64(time, "n", 1, JSON_SAFE_INTEGER, &exact->n, fault) ||
        !want_word(time, "from", from, sizeof from, fault) ||
        !want_list(time, "raw_p50_p99_max_sum_ns", raw, 4, fault)) {
        return false;
    }
    exact->is_from_cells = strcmp(from, "cells") == 0;
    exact->p50_ns = raw[0];
    exact->p99_ns = raw[1];
    exact->max_ns = raw[2];
    exact->sum_ns = raw[3];
    return true;
}

static bool read_results(const struct json_value *body, struct terrain_recording *r,
                         struct fault *fault)
{
    const struct json_value *results;
    if (!json_want(body, "results", JSON_ARRAY, &results, fault)) {
        return false;
    }
    for (const struct json_value *at = json_first(results); at != NULL; at = json_next(at)) {
        int row;
        if (!json_is(at, JSON_OBJECT, fault) || !find_row(r, at, &row, fault)) {
            return false;
        }
        for (enum terrain_time time = TERRAIN_SERVICE; time < TERRAIN_TIMES; time++) {
            const struct json_value *found = json_find(at, terrain_time_words[time]);
            if (found != NULL && !read_time(found, &r->exact[row][time], fault)) {
                return false;
            }
        }
    }
    return true;
}

static bool read_piece(const struct json_value *piece, struct terrain_recording *r,
                       struct fault *fault)
{
    const struct json_value *cells, *counts;
    char word[TERRAIN_NAME_ROOM];
    int row, time = 0;
    if (!json_is(piece, JSON_OBJECT, fault) || !find_row(r, piece, &row, fault) ||
        !want_word(piece, "time", word, sizeof word, fault) ||
        !json_want(piece, "cell", JSON_ARRAY, &cells, fault) ||
        !json_want(piece, "count", JSON_ARRAY, &counts, fault)) {
        return false;
    }
    while (time < TERRAIN_TIMES && strcmp(word, terrain_time_words[time]) != 0) {
        time++;
    }
    if (time == TERRAIN_TIMES || json_count(cells) != json_count(counts)) {
        return json_fail(piece, fault, "no cells of a time");
    }
    const struct json_value *count = json_first(counts);
    for (const struct json_value *at = json_first(cells); at != NULL; at = json_next(at)) {
        int64_t cell, n;
        if (!json_as_i64(at, 0, TERRAIN_CELLS - 1, &cell, fault) ||
            !json_as_i64(count, 1, UINT32_MAX, &n, fault)) {
            return false;
        }
        const struct terrain_cell one = {(uint16_t)cell, (uint8_t)row, (uint8_t)time, (uint32_t)n};
        if (!terrain_add_cell(r, &one)) {
            return json_fail(at, fault, "no memory");
        }
        count = json_next(count);
    }
    return true;
}

static bool read_slice(const struct json_value *at, struct terrain_recording *r,
                       struct fault *fault)
{
    struct terrain_slice s = {0};
    const struct json_value *pieces;
    const struct integer rows[] = {{"start_ns", &s.start_ns},
                                   {"end_ns", &s.end_ns},
                                   {"asked", &s.asked},
                                   {"dropped", &s.dropped},
                                   {"late", &s.late},
                                   {"failed", &s.failed},
                                   {"unattributed", &s.unattributed},
                                   {"steal_ticks", &s.steal_ticks},
                                   {"run_delay_ns", &s.run_delay_ns},
                                   {"kit_ns", &s.kit_ns}};
    if (!json_is(at, JSON_OBJECT, fault) || !WANT(at, rows, fault) ||
        !want_list(at, "n", s.n, r->layer_count, fault) ||
        !json_want(at, "cells", JSON_ARRAY, &pieces, fault)) {
        return false;
    }
    if (terrain_add_slice(r, &s) == NULL) {
        return json_fail(at, fault, "no memory, or more than %d slices", TERRAIN_SLICES_MAX);
    }
    for (const struct json_value *piece = json_first(pieces); piece != NULL;
         piece = json_next(piece)) {
        if (!read_piece(piece, r, fault)) {
            return false;
        }
    }
    return true;
}

static bool read_slices(const struct json_value *body, struct terrain_recording *r,
                        struct fault *fault)
{
    const struct json_value *slices;
    if (!json_want(body, "slices", JSON_ARRAY, &slices, fault)) {
        return false;
    }
    for (const struct json_value *at = json_first(slices); at != NULL; at = json_next(at)) {
        if (!read_slice(at, r, fault)) {
            return false;
        }
    }
    return true;
}

// Older recordings have none.
static bool read_told(const struct json_value *books, struct terrain_recording *r,
                      struct fault *fault)
{
    const struct json_value *told = json_find(books, "told");
    if (told == NULL) {
        return true;
    }
    if (!json_is(told, JSON_ARRAY, fault)) {
        return false;
    }
    for (const struct json_value *at = json_first(told); at != NULL; at = json_next(at)) {
        struct terrain_count one;
        const struct integer rows[] = {{"count", &one.count}};
        if (!json_is(at, JSON_OBJECT, fault) ||
            !want_word(at, "name", one.name, sizeof one.name, fault) || !WANT(at, rows, fault)) {
            return false;
        }
        if (!terrain_add_count(r, one.name, one.count)) {
            return json_fail(at, fault, "a name twice, or more than %d", TERRAIN_COUNTS_MAX);
        }
    }
    return true;
}

static bool read_books(const struct json_value *body, struct terrain_recording *r,
                       struct fault *fault)
{
    const struct json_value *books, *counted, *loader;
    if (!json_want(body, "books", JSON_OBJECT, &books, fault) ||
        !json_want(books, "counted", JSON_ARRAY, &counted, fault) || !read_told(books, r, fault)) {
        return false;
    }
    for (const struct json_value *at = json_first(counted); at != NULL; at = json_next(at)) {
        int row;
        if (!json_is(at, JSON_OBJECT, fault) || !find_row(r, at, &row, fault)) {
            return false;
        }
        const struct json_value *calls = json_find(at, "calls"), *own = json_find(at, "counted");
        if (row == (int)r->layer_count ||
            (calls != NULL && json_kind(calls) != JSON_NULL &&
             !json_as_i64(calls, 0, JSON_SAFE_INTEGER, &r->books[row].calls, fault)) ||
            (own != NULL && json_kind(own) != JSON_NULL &&
             !json_as_i64(own, 0, JSON_SAFE_INTEGER, &r->books[row].counted, fault))) {
            return row < (int)r->layer_count || json_fail(at, fault, "no layer of the terrain");
        }
    }
    loader = json_find(books, "loader");
    const struct integer rows[] = {{"calls", &r->loader.calls},
                                   {"runs", &r->loader.runs},
                                   {"elsewhere", &r->loader.elsewhere},
                                   {"ns", &r->loader.ns}};
    return loader == NULL ||
           (json_is(loader, JSON_OBJECT, fault) &&
            want_word(loader, "layer", r->loader.layer, sizeof r->loader.layer, fault) &&
            WANT(loader, rows, fault));
}

// -1 where it is not there or null.
static bool read_count(const struct json_value *object, const char *key, int64_t *out,
                       struct fault *fault)
{
    const struct json_value *at = json_find(object, key);
    *out = -1;
    return at == NULL || json_kind(at) == JSON_NULL ||
           json_as_i64(at, 0, JSON_SAFE_INTEGER, out, fault);
}

static bool read_info(const struct json_value *server, const char *key,
                      struct terrain_server_info *info, struct fault *fault)
{
    const struct json_value *at = json_find(server, key);
    const struct integer rows[] = {{"keyspace_hits", &info->hits},
                                   {"keyspace_misses", &info->misses},
                                   {"connected_clients", &info->clients},
                                   {"keys", &info->keys}};
    info->is_known = at != NULL && json_kind(at) != JSON_NULL;
    return !info->is_known ||
           (json_is(at, JSON_OBJECT, fault) &&
            want_word(at, "run_id", info->run_id, sizeof info->run_id, fault) &&
            read_count(at, "get_commands", &info->gets, fault) &&
            read_count(at, "foreign_commands", &info->strangers, fault) && WANT(at, rows, fault));
}

static bool read_server(const struct json_value *body, struct terrain_recording *r,
                        struct fault *fault)
{
    const struct json_value *server = json_find(body, "server");
    r->has_server = server != NULL;
    return server == NULL ||
           (json_is(server, JSON_OBJECT, fault) && read_info(server, "before", &r->before, fault) &&
            read_info(server, "after", &r->after, fault));
}

static bool read_totals(const struct json_value *body, struct terrain_recording *r,
                        struct fault *fault)
{
    const struct json_value *totals;
    const struct integer rows[] = {
        {"slices", &r->end.slices},     {"calls", &r->end.calls},
        {"dropped", &r->end.dropped},   {"late", &r->end.late},
        {"failed", &r->end.failed},     {"unattributed", &r->end.unattributed},
        {"unserved", &r->end.unserved}, {"wall_ns", &r->end.wall_ns},
        {"kit_ns", &r->end.kit_ns}};
    return json_want(body, "totals", JSON_OBJECT, &totals, fault) && WANT(totals, rows, fault);
}

// The certificate of the draws, where there is one.
static bool read_zipf(const struct json_value *body, struct terrain_recording *r,
                      struct fault *fault)
{
    const struct json_value *zipf = NULL, *top, *p;
    struct terrain_zipf *z = &r->zipf;
    const struct integer rows[] = {{"draws", &z->draws},
                                   {"groups", &z->groups},
                                   {"freedom", &z->freedom},
                                   {"chi2_milli", &z->chi2_milli}};
    if (!json_may(body, "zipf", JSON_OBJECT, &zipf, fault) || zipf == NULL) {
        return zipf == NULL && json_find(body, "zipf") == NULL;
    }
    if (!WANT(zipf, rows, fault) || !json_want(zipf, "top", JSON_ARRAY, &top, fault)) {
        return false;
    }
    p = json_find(zipf, "p_ppm");
    z->p_ppm = -1;
    z->top_count = json_count(top);
    r->has_zipf = true;
    return (z->top_count <= TERRAIN_TOPS_MAX ||
            json_fail(top, fault, "more than %d", TERRAIN_TOPS_MAX)) &&
           ((p != NULL && json_kind(p) == JSON_NULL) ||
            json_want_i64(zipf, "p_ppm", 0, 1000000, &z->p_ppm, fault)) &&
           want_list(zipf, "top", z->top, z->top_count, fault) &&
           want_list(zipf, "asked_ppm", z->asked_ppm, z->top_count, fault) &&
           want_list(zipf, "drawn_ppm", z->drawn_ppm, z->top_count, fault);
}

bool terrain_read_body(const struct json_value *body, struct terrain_recording *recording,
                       struct fault *fault)
{
    terrain_recording_init(recording);
    if (read_head(body, recording, fault) && read_totals(body, recording, fault) &&
        read_results(body, recording, fault) && read_books(body, recording, fault) &&
        read_server(body, recording, fault) && read_zipf(body, recording, fault) &&
        read_slices(body, recording, fault)) {
        return true;
    }
    terrain_recording_release(recording);
    return false;
}
