// SPDX-License-Identifier: MIT
// Of a block the document holds the CPU time of each loop; the verdict hangs on nothing else.
#include "report_ab_reading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool copy_text(const struct json_value *object, const char *key, char *out, size_t size,
                      struct fault *fault)
{
    const struct json_text_rule rule = {.max = size - 1, .is_any = true};
    const char *text;
    if (!json_want_text(object, key, &rule, &text, fault)) {
        return false;
    }
    (void)snprintf(out, size, "%s", text);
    for (; *out != '\0'; out++) {
        *out = *out < 0x20 || *out > 0x7e ? '?' : *out;
    }
    return true;
}

static bool is_null(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_find(object, key);
    return value != NULL && json_kind(value) == JSON_NULL;
}

// A name that may be null.
static bool copy_name(const struct json_value *object, const char *key, const char *extra,
                      char out[AB_NAME_ROOM], struct fault *fault)
{
    const struct json_text_rule rule = {.min = 1, .max = AB_NAME_ROOM - 1, .extra = extra};
    const char *text = "";
    if (!is_null(object, key) && !json_want_text(object, key, &rule, &text, fault)) {
        return false;
    }
    (void)snprintf(out, AB_NAME_ROOM, "%s", text);
    return true;
}

static bool may_count(const struct json_value *object, const char *key, int64_t none, int64_t *out,
                      struct fault *fault)
{
    *out = none;
    return is_null(object, key) || json_want_i64(object, key, 0, JSON_SAFE_INTEGER, out, fault);
}

static bool read_arm(const struct json_value *value, struct ab_arm *arm, struct fault *fault)
{
    static const char *const words[] = {"base", "proven", "unproven"};
    char word[AB_NAME_ROOM];
    if (!json_is(value, JSON_OBJECT, fault) ||
        !copy_text(value, "name", arm->name, sizeof arm->name, fault) ||
        !copy_text(value, "settings", arm->settings, sizeof arm->settings, fault) ||
        !copy_text(value, "proof", word, sizeof word, fault)) {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i]) == 0) {
            arm->proof = (enum ab_proof)i;
            return true;
        }
    }
    return json_fail(value, fault, "'%.32s' is no proof", word);
}

static bool read_arms(const struct json_value *body, struct ab_experiment *e, struct fault *fault)
{
    const struct json_value *arms;
    if (!json_want(body, "arms", JSON_ARRAY, &arms, fault)) {
        return false;
    }
    if (json_count(arms) <= AB_AA || json_count(arms) > AB_ARMS_MAX) {
        return json_fail(arms, fault, "%zu arms, wanted are 2 to %d", json_count(arms),
                         AB_ARMS_MAX);
    }
    for (const struct json_value *v = json_first(arms); v != NULL; v = json_next(v)) {
        if (!read_arm(v, &e->arms[e->arm_count++], fault)) {
            return false;
        }
    }
    return true;
}

static bool read_cell(const struct json_value *value, struct ab_cell *cell, struct fault *fault)
{
    cell->bytes = -1;
    ab_forget_allocations(cell);
    return json_is(value, JSON_OBJECT, fault) &&
           copy_name(value, "path", NULL, cell->path, fault) &&
           copy_name(value, "shape", "-", cell->shape, fault) &&
           copy_name(value, "operation", "-", cell->operation, fault) &&
           json_may_i64(value, "bytes", 0, JSON_SAFE_INTEGER, &cell->bytes, fault) &&
           json_want_i64(value, "calls", 1, JSON_SAFE_INTEGER, &cell->calls, fault) &&
           json_want_i64(value, "warmup_calls", 0, JSON_SAFE_INTEGER, &cell->warmup, fault) &&
           may_count(value, "base_allocations_per_loop", -1, &cell->allocations[AB_BASE], fault);
}

static bool read_cpu(const struct json_value *object, const char *key, struct ab_experiment *e,
                     size_t cell, size_t arm, struct fault *fault)
{
    const struct json_value *list;
    size_t block = 1;
    if (!json_want(object, key, JSON_ARRAY, &list, fault)) {
        return false;
    }
    if (json_count(list) != e->blocks - 1) {
        return json_fail(list, fault, "%zu blocks, not %zu", json_count(list), e->blocks - 1);
    }
    for (const struct json_value *v = json_first(list); v != NULL; v = json_next(v), block++) {
        struct ab_sample *sample = ab_at(e, block, cell, arm);
        if (!json_as_i64(v, 1, JSON_SAFE_INTEGER, &sample->cpu_ns, fault)) {
            return false;
        }
        sample->is_there = true;
        sample->calls = e->cells[cell].calls;
        sample->whole_cpu_us = 1; // not kept: the estimate is taken from the document
    }
    return true;
}

static bool read_cell_arms(const struct json_value *value, struct ab_experiment *e, size_t cell,
                           struct fault *fault)
{
    const struct json_value *arms;
    size_t arm = AB_AA;
    if (!read_cpu(value, "base_cpu_ns", e, cell, AB_BASE, fault) ||
        !json_want(value, "arms", JSON_ARRAY, &arms, fault)) {
        return false;
    }
    if (json_count(arms) != e->arm_count - 1) {
        return json_fail(arms, fault, "%zu arms, not %zu", json_count(arms), e->arm_count - 1);
    }
    for (const struct json_value *v = json_first(arms); v != NULL; v = json_next(v), arm++) {
        if (!json_is(v, JSON_OBJECT, fault) || !read_cpu(v, "cpu_ns", e, cell, arm, fault) ||
            !may_count(v, "allocations_per_loop", -1, &e->cells[cell].allocations[arm], fault)) {
            return false;
        }
    }
    return true;
}

static bool read_cells(const struct json_value *body, struct ab_experiment *e, struct fault *fault)
{
    const struct json_value *cells, *v;
    int64_t blocks = 0;
    if (!json_want(body, "cells", JSON_ARRAY, &cells, fault) ||
        !json_want_i64(body, "blocks", 1, AB_BLOCKS_MAX, &blocks, fault)) {
        return false;
    }
    if (json_count(cells) < 1 || json_count(cells) > AB_CELLS_MAX) {
        return json_fail(cells, fault, "%zu cells, wanted are 1 to %d", json_count(cells),
                         AB_CELLS_MAX);
    }
    e->cells = calloc(json_count(cells), sizeof *e->cells);
    if (e->cells == NULL) {
        return json_fail(cells, fault, "no memory");
    }
    for (v = json_first(cells); v != NULL; v = json_next(v)) {
        if (!read_cell(v, &e->cells[e->cell_count++], fault)) {
            return false;
        }
    }
    if (!ab_experiment_make_room(e, (size_t)blocks + 1, fault)) {
        return false;
    }
    size_t cell = 0;
    for (v = json_first(cells); v != NULL; v = json_next(v)) {
        if (!read_cell_arms(v, e, cell++, fault)) {
            return false;
        }
    }
    return true;
}

bool report_ab_read(const struct json_value *body, struct ab_experiment *e, double *level,
                    double *margin, struct fault *fault)
{
    const struct json_value *said;
    int64_t seed = 0, margin_milli = 0;
    size_t len;
    if (!json_want_i64(body, "order_seed", 0, AB_SEED_MAX, &seed, fault) ||
        !json_may_milli(body, "margin_pct", 1, 100000, &margin_milli, fault) ||
        !json_want(body, "level", JSON_DECIMAL, &said, fault)) {
        return false;
    }
    e->seed = (uint64_t)seed;
    *margin = (double)margin_milli / 1e5;
    *level = strtod(json_raw(said, &len), NULL);
    if (!(*level > 0.0 && *level < 1.0) || margin_milli == 0) {
        return json_fail(said, fault, "level or margin_pct is out of range or missing");
    }
    return read_arms(body, e, fault) && read_cells(body, e, fault);
}

static bool read_percent(const struct json_value *object, const char *key, double *out,
                         struct fault *fault)
{
    int64_t milli = 0;
    if (!json_may_milli(object, key, -JSON_SAFE_INTEGER / 1000, JSON_SAFE_INTEGER / 1000, &milli,
                        fault)) {
        return false;
    }
    *out = log1p((double)milli / 1e5);
    return true;
}

static bool read_whole(const struct json_value *row, struct paired_estimate *e, struct fault *fault)
{
    const struct json_value *whole;
    int64_t p = 0, detectable = 0, needed = 0;
    if (!json_want(row, "whole_process", JSON_OBJECT, &whole, fault) ||
        !read_percent(whole, "change_pct", &e->effect, fault) ||
        !read_percent(whole, "low_pct", &e->low, fault) ||
        !read_percent(whole, "high_pct", &e->high, fault) ||
        !read_percent(whole, "mean_change_pct", &e->mean, fault) ||
        !read_percent(whole, "mean_low_pct", &e->mean_low, fault) ||
        !read_percent(whole, "mean_high_pct", &e->mean_high, fault) ||
        !json_want_bool(whole, "tail", &e->has_tail, fault) ||
        !json_want_i64(whole, "p_ppm", 0, 1000000, &p, fault) ||
        !json_may_milli(whole, "detectable_pct", 0, JSON_SAFE_INTEGER, &detectable, fault) ||
        !json_want_i64(whole, "blocks_needed", 0, AB_SEED_MAX, &needed, fault)) {
        return false;
    }
    e->p = (double)p / 1e6;
    e->mde = (double)detectable / 1e5;
    e->blocks_needed = (double)needed;
    return true;
}

static bool read_counts(const struct json_value *object, const char *key, struct ab_counts *out,
                        struct fault *fault)
{
    const struct json_value *counts;
    return json_want(object, key, JSON_OBJECT, &counts, fault) &&
           json_want_i64(counts, "low", 0, JSON_SAFE_INTEGER, &out->low, fault) &&
           json_want_i64(counts, "high", 0, JSON_SAFE_INTEGER, &out->high, fault) &&
           json_want_i64(counts, "states", 0, 9, &out->states, fault);
}

bool report_ab_take_rest(const struct json_value *body, struct ab_judging *j, struct fault *fault)
{
    struct ab_row *row = j->verdicts.rows;
    int64_t lost = 0;
    if (!json_want_i64(body, "lost_blocks", 0, AB_BLOCKS_MAX, &lost, fault)) {
        return false;
    }
    j->verdicts.lost_blocks = (size_t)lost;
    j->policy.blocks += (size_t)lost;
    const struct json_value *cell = json_first(json_find(body, "cells"));
    for (; cell != NULL; cell = json_next(cell)) {
        const struct json_value *arm = json_first(json_find(cell, "arms"));
        for (; arm != NULL; arm = json_next(arm), row++) {
            if (!read_counts(cell, "base_faults_per_loop", &row->base_faults, fault) ||
                !may_count(cell, "base_peak_rss_kib", 0, &row->base_rss_kib, fault) ||
                !read_whole(arm, &row->whole, fault) ||
                !read_counts(arm, "faults_per_loop", &row->arm_faults, fault) ||
                !may_count(arm, "peak_rss_kib", 0, &row->arm_rss_kib, fault) ||
                !json_want_bool(arm, "whole_peak_floored", &row->is_floored, fault)) {
                return false;
            }
        }
    }
    return true;
}
