// SPDX-License-Identifier: MIT
// Reading. Lines that do not fit the header are faults; samples that are missing are only missing:
// whoever judges leaves their blocks out.
#include "store/ab_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/json.h"

enum { LINE_MAX_BYTES = 1 << 20, NAME_BYTES = 4096 };

static const struct json_text_rule any_line = {.max = AB_SETTINGS_ROOM - 1, .is_free = true};
static const struct json_text_rule any_word = {.min = 1, .max = AB_NAME_ROOM - 1, .is_free = true};
static const struct json_text_rule digest_rule = {.max = AB_DIGEST_ROOM - 1, .is_free = true};

struct lines {
    FILE *stream;
    const char *path;
    char *text;
    size_t room;
    size_t number;
    bool is_cut;
};

// The next whole line as a document. False with `*doc` NULL and no fault: the end.
static bool next_line(struct lines *l, struct json_doc **doc, bool *is_end, struct fault *fault)
{
    char name[NAME_BYTES];
    ssize_t len = getline(&l->text, &l->room, l->stream);
    *doc = NULL;
    l->is_cut = len > 0 && l->text[len - 1] != '\n';
    *is_end = len <= 0 || l->is_cut;
    if (*is_end) {
        return !ferror(l->stream) || fault_set(fault, "%s: %s", l->path, strerror(errno));
    }
    (void)snprintf(name, sizeof name, "%s: line %zu", l->path, ++l->number);
    return len <= LINE_MAX_BYTES ? json_read_text(name, l->text, (size_t)len, doc, fault)
                                 : fault_set(fault, "%s: too long", name);
}

static bool copy_text(const struct json_value *object, const char *key,
                      const struct json_text_rule *rule, char *out, size_t room,
                      struct fault *fault)
{
    const char *text = "";
    const struct json_value *value = json_find(object, key);
    if (value != NULL && json_kind(value) != JSON_NULL &&
        !json_want_text(object, key, rule, &text, fault)) {
        return false;
    }
    (void)snprintf(out, room, "%s", text);
    return true;
}

static bool read_arm(const struct json_value *value, size_t index, struct ab_arm *arm,
                     struct fault *fault)
{
    char proof[AB_NAME_ROOM];
    if (!json_is(value, JSON_OBJECT, fault) ||
        !copy_text(value, "name", &any_word, arm->name, sizeof arm->name, fault) ||
        !copy_text(value, "settings", &any_line, arm->settings, sizeof arm->settings, fault) ||
        !copy_text(value, "proof", &any_word, proof, sizeof proof, fault) ||
        !json_want_i64(value, "injected_ppm", 0, 1000000, &arm->injected_ppm, fault)) {
        return false;
    }
    arm->proof = index < AB_CANDIDATES          ? AB_IS_BASE
                 : strcmp(proof, "proven") == 0 ? AB_PROVEN
                                                : AB_UNPROVEN;
    return true;
}

static bool read_cell(const struct json_value *value, struct ab_cell *cell, struct fault *fault)
{
    return json_is(value, JSON_OBJECT, fault) &&
           copy_text(value, "path", &any_word, cell->path, sizeof cell->path, fault) &&
           copy_text(value, "shape", &any_word, cell->shape, sizeof cell->shape, fault) &&
           copy_text(value, "operation", &any_word, cell->operation, sizeof cell->operation,
                     fault) &&
           json_want_i64(value, "bytes", -1, JSON_SAFE_INTEGER, &cell->bytes, fault) &&
           json_want_i64(value, "calls", 1, JSON_SAFE_INTEGER, &cell->calls, fault) &&
           json_want_i64(value, "warmup", 0, JSON_SAFE_INTEGER, &cell->warmup, fault);
}

// By arm, null for what was not counted; records of older versions have none.
static bool read_allocations(const struct json_value *cell_value, struct ab_cell *cell,
                             struct fault *fault)
{
    size_t arm = 0;
    const struct json_value *list = json_find(cell_value, "allocations");
    ab_forget_allocations(cell);
    if (list != NULL && (!json_is(list, JSON_ARRAY, fault) || json_count(list) > AB_ARMS_MAX)) {
        return json_fail(list, fault, "must be one figure for each arm");
    }
    for (const struct json_value *v = list != NULL ? json_first(list) : NULL; v != NULL;
         v = json_next(v), arm++) {
        if (json_kind(v) != JSON_NULL &&
            !json_as_i64(v, 0, JSON_SAFE_INTEGER, &cell->allocations[arm], fault)) {
            return false;
        }
    }
    return true;
}

static bool read_arms(const struct json_value *root, struct ab_experiment *e, struct fault *fault)
{
    const struct json_value *arms;
    if (!json_want(root, "arms", JSON_ARRAY, &arms, fault)) {
        return false;
    }
    if (json_count(arms) < AB_CANDIDATES || json_count(arms) > AB_ARMS_MAX) {
        return json_fail(arms, fault, "2 to %d arms are an experiment", AB_ARMS_MAX);
    }
    for (const struct json_value *v = json_first(arms); v != NULL; v = json_next(v)) {
        if (!read_arm(v, e->arm_count, &e->arms[e->arm_count], fault)) {
            return false;
        }
        e->arm_count++;
    }
    return true;
}

static bool read_cells(const struct json_value *root, struct ab_experiment *e, struct fault *fault)
{
    const struct json_value *cells;
    if (!json_want(root, "cells", JSON_ARRAY, &cells, fault)) {
        return false;
    }
    if (json_count(cells) < 1 || json_count(cells) > AB_CELLS_MAX) {
        return json_fail(cells, fault, "1 to %d cells are an experiment", AB_CELLS_MAX);
    }
    e->cells = calloc(json_count(cells), sizeof *e->cells);
    if (e->cells == NULL) {
        return fault_set(fault, "out of memory");
    }
    for (const struct json_value *v = json_first(cells); v != NULL; v = json_next(v)) {
        struct ab_cell *cell = &e->cells[e->cell_count++];
        if (!read_cell(v, cell, fault) || !read_allocations(v, cell, fault)) {
            return false;
        }
    }
    return true;
}

static bool read_head(const struct json_value *root, struct ab_record *out, struct fault *fault)
{
    size_t len;
    int64_t seed, blocks, looks_within, margin_ppm;
    const struct json_value *host;
    struct ab_experiment *e = &out->experiment;
    if (!json_want_schema(root, AB_RECORD_SCHEMA, fault) ||
        !json_want_i64(root, "order_seed", 1, AB_SEED_MAX, &seed, fault) ||
        !json_want_i64(root, "blocks", 1, AB_BLOCKS_MAX + 1, &blocks, fault) ||
        !json_want_i64(root, "looks_within", 0, AB_BLOCKS_MAX, &looks_within, fault) ||
        !json_want_i64(root, "margin_ppm", 1, 500000, &margin_ppm, fault) ||
        !json_want(root, "host", JSON_OBJECT, &host, fault) || !read_arms(root, e, fault) ||
        !read_cells(root, e, fault)) {
        return false;
    }
    const char *raw = json_raw(host, &len);
    if (len >= sizeof out->host) {
        return json_fail(host, fault, "too long");
    }
    memcpy(out->host, raw, len);
    e->seed = (uint64_t)seed;
    e->blocks = (size_t)blocks;
    e->looks_within = (size_t)looks_within;
    out->margin = (double)margin_ppm / 1e6;
    if (e->blocks > AB_SAMPLES_MAX / (e->cell_count * e->arm_count)) {
        return json_fail(root, fault, "more than %d processes", AB_SAMPLES_MAX);
    }
    e->samples = calloc(e->blocks * e->cell_count * e->arm_count, sizeof *e->samples);
    return e->samples != NULL || fault_set(fault, "out of memory");
}

static bool read_figures(const struct json_value *root, struct ab_sample *s, struct fault *fault)
{
    const struct json_value *whole;
    const struct {
        const char *key;
        int64_t *to;
    } own[] = {{"position", &s->position},
               {"cpu_ns", &s->cpu_ns},
               {"wall_ns", &s->wall_ns},
               {"minor_faults", &s->minor_faults},
               {"major_faults", &s->major_faults},
               {"voluntary_switches", &s->voluntary_switches},
               {"involuntary_switches", &s->involuntary_switches},
               {"peak_rss_kib", &s->peak_rss_kib}},
      all[] = {{"cpu_us", &s->whole_cpu_us},
               {"minor_faults", &s->whole_minor_faults},
               {"peak_rss_kib", &s->whole_peak_rss_kib},
               {"spawner_peak_rss_kib", &s->spawner_peak_rss_kib}};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (!json_want_i64(root, own[i].key, 0, JSON_SAFE_INTEGER, own[i].to, fault)) {
            return false;
        }
    }
    if (!json_want(root, "whole", JSON_OBJECT, &whole, fault)) {
        return false;
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!json_want_i64(whole, all[i].key, 0, JSON_SAFE_INTEGER, all[i].to, fault)) {
            return false;
        }
    }
    return copy_text(root, "digest", &digest_rule, s->digest, sizeof s->digest, fault);
}

static bool read_sample(const struct json_value *root, struct ab_experiment *e, struct fault *fault)
{
    int64_t block, cell, arm, calls;
    if (!json_want_i64(root, "block", 0, (int64_t)e->blocks - 1, &block, fault) ||
        !json_want_i64(root, "cell", 0, (int64_t)e->cell_count - 1, &cell, fault) ||
        !json_want_i64(root, "arm", 0, (int64_t)e->arm_count - 1, &arm, fault)) {
        return false;
    }
    calls = ab_calls_of(e, (size_t)cell, (size_t)arm);
    if (!json_want_i64(root, "calls", calls, calls, &calls, fault)) {
        return false;
    }
    struct ab_sample *s = ab_at(e, (size_t)block, (size_t)cell, (size_t)arm);
    if (s->is_there) {
        return json_fail(root, fault, "this block, cell and arm were there before");
    }
    s->is_there = true;
    s->calls = calls;
    return read_figures(root, s, fault);
}

static bool read_lines(struct lines *lines, struct ab_record *out, struct fault *fault)
{
    bool is_end = false, is_good = true;
    while (is_good && !is_end) {
        struct json_doc *doc;
        is_good = next_line(lines, &doc, &is_end, fault);
        if (is_good && !is_end) {
            const struct json_value *root = json_root(doc);
            is_good = lines->number == 1 ? read_head(root, out, fault)
                                         : read_sample(root, &out->experiment, fault);
        }
        json_free(doc);
    }
    if (is_good && out->experiment.samples == NULL) {
        return fault_set(fault, "%s: the header is missing or cut", lines->path);
    }
    out->is_cut = lines->is_cut;
    return is_good;
}

bool ab_record_read(const char *path, struct ab_record *out, struct fault *fault)
{
    struct lines lines = {.stream = fopen(path, "re"), .path = path};
    memset(out, 0, sizeof *out);
    if (lines.stream == NULL) {
        return fault_set(fault, "%s: %s", path, strerror(errno));
    }
    bool is_good = read_lines(&lines, out, fault);
    free(lines.text);
    (void)fclose(lines.stream);
    if (!is_good) {
        ab_record_release(out);
    }
    return is_good;
}

void ab_record_release(struct ab_record *record)
{
    free(record->experiment.samples);
    free(record->experiment.cells);
    memset(record, 0, sizeof *record);
}

bool ab_record_is_one(const char *path)
{
    static const char BEGINNING[] = "{\"schema\":\"" AB_RECORD_SCHEMA "\"";
    char head[sizeof BEGINNING - 1];
    FILE *stream = fopen(path, "re");
    bool is_one = stream != NULL && fread(head, 1, sizeof head, stream) == sizeof head &&
                  memcmp(head, BEGINNING, sizeof head) == 0;
    if (stream != NULL) {
        (void)fclose(stream);
    }
    return is_one;
}
