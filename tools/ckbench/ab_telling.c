// SPDX-License-Identifier: MIT
// The body holds what was counted and the logarithms' estimates; nobody needs the table to read it.
#include "ab_telling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ab_rows.h"

static const char *proof_word(enum ab_proof proof)
{
    static const char *const words[] = {"base", "proven", "unproven"};
    return words[proof];
}

static void put_percent(struct json_out *out, const char *key, double logarithm)
{
    json_put_fixed(out, key, llround(1e5 * expm1(logarithm)), 3);
}

static void put_count(struct json_out *out, const char *key, double count)
{
    json_put_i64(out, key, count < (double)AB_SEED_MAX ? llround(count) : AB_SEED_MAX);
}

static void put_estimate(struct json_out *out, const char *key, const struct paired_estimate *e)
{
    json_begin_object(out, key);
    put_percent(out, "change_pct", e->effect);
    put_percent(out, "low_pct", e->low);
    put_percent(out, "high_pct", e->high);
    put_percent(out, "mean_change_pct", e->mean);
    put_percent(out, "mean_low_pct", e->mean_low);
    put_percent(out, "mean_high_pct", e->mean_high);
    json_put_bool(out, "tail", e->has_tail);
    put_count(out, "p_ppm", 1e6 * e->p);
    json_put_fixed(out, "detectable_pct", llround(1e5 * e->mde), 3);
    put_count(out, "blocks_needed", e->blocks_needed);
    json_end_object(out);
}

static void put_counts(struct json_out *out, const char *key, const struct ab_counts *counts)
{
    json_begin_object(out, key);
    json_put_i64(out, "low", counts->low);
    json_put_i64(out, "high", counts->high);
    json_put_i64(out, "states", counts->states);
    json_end_object(out);
}

static void put_allocations(struct json_out *out, const char *key, int64_t count)
{
    if (count >= 0) {
        json_put_i64(out, key, count);
    } else {
        json_put_null(out, key);
    }
}

static void put_peak(struct json_out *out, const char *key, int64_t kib)
{
    if (kib > 0) {
        json_put_i64(out, key, kib);
    } else {
        json_put_null(out, key);
    }
}

static void put_cpu(struct json_out *out, const char *key, const struct ab_telling *t, size_t cell,
                    size_t arm)
{
    const struct ab_experiment *e = t->experiment;
    json_begin_array(out, key);
    for (size_t block = t->judging->policy.first; block < e->blocks; block++) {
        if (ab_is_complete(e, block)) {
            json_put_i64(out, NULL, ab_at(e, block, cell, arm)->cpu_ns);
        }
    }
    json_end_array(out);
}

static void put_row(struct json_out *out, const struct ab_telling *t, const struct ab_row *row)
{
    json_put_space(out, "\n");
    json_begin_object(out, NULL);
    json_put_text(out, "arm", t->experiment->arms[row->arm].name);
    json_put_text(out, "verdict", row->arm == AB_AA ? NULL : ab_verdict_word(t, row));
    put_count(out, "p_holm_ppm", 1e6 * row->p_adjusted);
    put_estimate(out, "in_loop", &row->loop);
    put_estimate(out, "whole_process", &row->whole);
    put_counts(out, "faults_per_loop", &row->arm_faults);
    put_allocations(out, "allocations_per_loop",
                    t->experiment->cells[row->cell].allocations[row->arm]);
    put_peak(out, "peak_rss_kib", row->arm_rss_kib);
    json_put_bool(out, "whole_peak_floored", row->is_floored);
    put_cpu(out, "cpu_ns", t, row->cell, row->arm);
    json_end_object(out);
}

static void put_cell(struct json_out *out, const struct ab_telling *t, size_t index)
{
    const struct ab_cell *cell = &t->experiment->cells[index];
    const struct ab_verdicts *v = &t->judging->verdicts;
    const struct ab_row *rows = &v->rows[index * (t->experiment->arm_count - 1)];
    json_put_space(out, "\n");
    json_begin_object(out, NULL);
    json_put_text(out, "path", cell->path);
    json_put_text(out, "shape", cell->shape[0] != '\0' ? cell->shape : NULL);
    json_put_text(out, "operation", cell->operation[0] != '\0' ? cell->operation : NULL);
    if (cell->bytes >= 0) {
        json_put_i64(out, "bytes", cell->bytes);
    }
    json_put_i64(out, "calls", cell->calls);
    json_put_i64(out, "warmup_calls", cell->warmup);
    put_counts(out, "base_faults_per_loop", &rows->base_faults);
    put_allocations(out, "base_allocations_per_loop", cell->allocations[AB_BASE]);
    put_peak(out, "base_peak_rss_kib", rows->base_rss_kib);
    put_cpu(out, "base_cpu_ns", t, index, AB_BASE);
    json_begin_array(out, "arms");
    for (size_t i = 0; i + 1 < t->experiment->arm_count; i++) {
        put_row(out, t, &rows[i]);
    }
    json_end_array(out);
    json_end_object(out);
}

static const char *verdict_of(const struct ab_verdicts *v)
{
    return v->is_unfit ? "unfit" : v->is_slower ? "slower" : v->is_open ? "inconclusive" : "good";
}

void ab_put_body(struct json_out *out, const struct ab_telling *t)
{
    const struct ab_experiment *e = t->experiment;
    const struct ab_judging *j = t->judging;
    json_begin_object(out, NULL);
    json_put_text(out, "schema", "ckbench/ab/1");
    json_put_i64(out, "blocks", (int64_t)(j->policy.blocks - j->verdicts.lost_blocks));
    json_put_i64(out, "lost_blocks", (int64_t)j->verdicts.lost_blocks);
    json_put_i64(out, "order_seed", (int64_t)e->seed);
    json_put_fixed(out, "margin_pct", llround(1e5 * j->policy.margin), 3);
    json_put_fixed(out, "level", llround(1e9 * j->policy.level), 9);
    json_begin_array(out, "arms");
    for (size_t i = 0; i < e->arm_count; i++) {
        json_begin_object(out, NULL);
        json_put_text(out, "name", e->arms[i].name);
        json_put_text(out, "settings", e->arms[i].settings);
        json_put_text(out, "proof", proof_word(e->arms[i].proof));
        json_end_object(out);
    }
    json_end_array(out);
    json_begin_array(out, "cells");
    for (size_t i = 0; i < e->cell_count; i++) {
        put_cell(out, t, i);
    }
    json_end_array(out);
    json_put_text(out, "verdict", verdict_of(&j->verdicts));
    json_end_object(out);
}

static void print_head(const struct ab_telling *t)
{
    const struct ab_experiment *e = t->experiment;
    const struct ab_judging *j = t->judging;
    (void)printf("host: %s\n", t->host);
    for (size_t i = 0; i < e->arm_count; i++) {
        (void)printf("arm %s: %s%s\n", e->arms[i].name, e->arms[i].settings,
                     e->arms[i].proof == AB_UNPROVEN ? " (unproven)" : "");
    }
    (void)printf("%zu blocks, one before them discarded, order seed %llu, margin %g %%\n\n",
                 j->policy.blocks - j->verdicts.lost_blocks, (unsigned long long)e->seed,
                 100.0 * j->policy.margin);
    if (j->policy.level != AB_LEVEL) {
        (void)printf("stopped at a look of several: intervals and verdicts are at p under %.2g\n\n",
                     j->policy.level);
    }
}

static bool is_same_line(const struct ab_cell *a, const struct ab_cell *b)
{
    return strcmp(a->path, b->path) == 0 && strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->operation, b->operation) == 0;
}

// From which size of a sweep on an arm is faster at every larger one.
static void print_break_even(const struct ab_telling *t)
{
    const struct ab_experiment *e = t->experiment;
    size_t arms = e->arm_count - 1;
    for (size_t first = 0, end; first < e->cell_count; first = end) {
        for (end = first + 1; end < e->cell_count; end++) {
            if (!is_same_line(&e->cells[first], &e->cells[end])) {
                break;
            }
        }
        for (size_t arm = 1; arm < arms && e->cells[first].bytes >= 0; arm++) {
            size_t from = end;
            while (from > first &&
                   t->judging->verdicts.rows[(from - 1) * arms + arm].verdict == PAIRED_FASTER) {
                from--;
            }
            if (from < end) {
                (void)printf("%s %s: %s is faster from %lld bytes on\n", e->cells[first].path,
                             e->cells[first].operation, e->arms[arm + 1].name,
                             (long long)e->cells[from].bytes);
            }
        }
    }
}

static void print_foot(const struct ab_telling *t)
{
    const struct ab_verdicts *v = &t->judging->verdicts;
    size_t judged = v->row_count - t->experiment->cell_count;
    (void)printf("\nCPU time: 20 %% trimmed mean of log ratios within blocks, %g %% interval; "
                 "verdicts after Holm's adjustment over\n%zu comparison%s, of whose intervals %.1f "
                 "would miss by chance. \"Whole process\" holds start-up and set-up, so it is "
                 "diluted.\n",
                 100.0 * (1.0 - t->judging->policy.level), judged, judged == 1 ? "" : "s",
                 t->judging->policy.level * (double)judged);
    if (paired_least_p(v->rows[0].blocks) * (double)judged >= t->judging->policy.level) {
        (void)printf(
            "So few blocks can show no difference among so many comparisons: take more.\n");
    }
    if (v->lost_blocks > 0) {
        (void)printf("%zu incomplete block%s left out.\n", v->lost_blocks,
                     v->lost_blocks == 1 ? " was" : "s were");
    }
    if (!v->is_unfit) {
        print_break_even(t);
    }
    if (v->is_unfit) {
        (void)printf("UNFIT: the base differs from itself here.\n");
    }
}

bool ab_print_table(const struct ab_telling *t, struct fault *fault)
{
    struct table table;
    const struct table_style style = {t->has_color, t->columns};
    print_head(t);
    ab_fill_table(t, &table);
    bool is_good = table_print(&table, stdout, style) || fault_set(fault, "out of memory");
    table_release(&table);
    print_foot(t);
    return is_good;
}

bool ab_print_markdown(const struct ab_telling *t, struct fault *fault)
{
    struct table table;
    ab_fill_table(t, &table);
    bool is_good = table_print_markdown(&table, stdout) || fault_set(fault, "out of memory");
    table_release(&table);
    print_foot(t);
    return is_good;
}
