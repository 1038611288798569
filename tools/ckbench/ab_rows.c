// SPDX-License-Identifier: MIT
#include "ab_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_ROOM = 160, NOTES_ROOM = 4 * TEXT_ROOM, COLUMNS = 10, INJECTABLE_CALLS = 200 };

static const struct table_column columns[COLUMNS] = {
    {"cell", TABLE_LEFT, false},
    {"arm", TABLE_LEFT, false},
    {"us per call", TABLE_RIGHT, false},
    {"change %, in the loop", TABLE_RIGHT, false},
    {"whole process %", TABLE_RIGHT, false},
    {"faults per call", TABLE_RIGHT, false},
    {"allocations per call", TABLE_RIGHT, false},
    {"peak KiB, loop", TABLE_RIGHT, false},
    {"verdict", TABLE_LEFT, false},
    {"", TABLE_LEFT, false},
};

void ab_cell_name(const struct ab_cell *cell, char *out, size_t size)
{
    char bytes[32] = "";
    if (cell->bytes >= 0) {
        (void)snprintf(bytes, sizeof bytes, " %lld B", (long long)cell->bytes);
    }
    // Of a shape's name the size is not that of a sweep's cell.
    size_t shown = cell->bytes >= 0 ? strcspn(cell->shape, "-") : strlen(cell->shape);
    (void)snprintf(out, size, "%s%s%.*s%s%s%s", cell->path, shown > 0 ? " " : "", (int)shown,
                   cell->shape, cell->operation[0] != '\0' ? " " : "", cell->operation, bytes);
}

static double percent(double logarithm)
{
    return 100.0 * expm1(logarithm);
}

static void add_change(struct table *table, const struct paired_estimate *e)
{
    table_add(table, "%+.1f (%+.1f to %+.1f)", percent(e->effect), percent(e->low),
              percent(e->high));
}

static void add_faults(struct table *table, const struct ab_counts *counts, int64_t calls)
{
    double low = (double)counts->low / (double)calls, high = (double)counts->high / (double)calls;
    if (counts->high == 0) {
        table_add(table, "0");
    } else if (counts->high < calls && counts->low == counts->high) {
        table_add(table, "%lld a loop", (long long)counts->high);
    } else if (counts->high < calls) {
        table_add(table, "%lld to %lld a loop", (long long)counts->low, (long long)counts->high);
    } else if (counts->low == counts->high) {
        table_add(table, "%.*f", counts->low % calls == 0 ? 0 : 2, low);
    } else {
        table_add(table, "%.2f to %.2f", low, high);
    }
}

static void add_allocations(struct table *table, int64_t count, int64_t calls)
{
    if (count < 0) {
        table_add(table, "-");
    } else {
        table_add(table, "%.*f", count % calls == 0 ? 0 : 2, (double)count / (double)calls);
    }
}

static void add_peak(struct table *table, int64_t kib)
{
    if (kib > 0) {
        table_add(table, "%lld", (long long)kib);
    } else {
        table_add(table, "-");
    }
}

const char *ab_verdict_word(const struct ab_telling *t, const struct ab_row *row)
{
    return t->judging->verdicts.is_unfit ? "unfit" : paired_verdict_name(row->verdict);
}

static enum table_tone tone_of(const struct ab_telling *t, const struct ab_row *row)
{
    static const enum table_tone tones[] = {[PAIRED_FASTER] = TABLE_GOOD,
                                            [PAIRED_SLOWER] = TABLE_BAD,
                                            [PAIRED_TRIVIAL] = TABLE_PLAIN,
                                            [PAIRED_SAME] = TABLE_PLAIN,
                                            [PAIRED_INCONCLUSIVE] = TABLE_CAUTION};
    return t->judging->verdicts.is_unfit ? TABLE_BAD : tones[row->verdict];
}

static void add_note(char *notes, const char *text)
{
    size_t len = strlen(notes);
    (void)snprintf(notes + len, NOTES_ROOM - len, "%s%s", len > 0 ? ", " : "", text);
}

static void add_notes(struct table *table, const struct ab_telling *t, const struct ab_row *row)
{
    char notes[NOTES_ROOM] = "", text[TEXT_ROOM];
    if (row->loop.has_tail) {
        (void)snprintf(text, sizeof text, "TAIL, mean %+.1f (%+.1f to %+.1f)",
                       percent(row->loop.mean), percent(row->loop.mean_low),
                       percent(row->loop.mean_high));
        add_note(notes, text);
    }
    if (t->experiment->arms[row->arm].injected_ppm > 0) {
        double truth = log((double)ab_calls_of(t->experiment, row->cell, row->arm) /
                           (double)t->experiment->cells[row->cell].calls);
        bool is_covered = row->loop.low <= truth && truth <= row->loop.high;
        (void)snprintf(text, sizeof text, "put in %+.2f: %s, %s", percent(truth),
                       row->loop.p < t->judging->policy.level ? "found" : "not found",
                       is_covered ? "covered" : "NOT covered");
        bool is_fine = t->experiment->cells[row->cell].calls >= INJECTABLE_CALLS;
        add_note(notes, is_fine ? text : "not injectable: under 200 calls a loop");
    }
    if (t->experiment->arms[row->arm].proof == AB_UNPROVEN) {
        add_note(notes, "unproven");
    }
    if (row->is_floored) {
        add_note(notes, "whole-process peak floored");
    }
    if (row->verdict == PAIRED_INCONCLUSIVE && row->arm != AB_AA) {
        (void)snprintf(text, sizeof text, "would find %.1f; %.0f blocks for %g",
                       100.0 * row->loop.mde, row->loop.blocks_needed,
                       100.0 * t->judging->policy.margin);
        add_note(notes, text);
    }
    table_add(table, "%s", notes);
}

static void add_base(struct table *table, const struct ab_telling *t, const struct ab_row *row)
{
    char name[3 * AB_NAME_ROOM];
    const struct ab_cell *cell = &t->experiment->cells[row->cell];
    ab_cell_name(cell, name, sizeof name);
    table_add(table, "%s", name);
    table_add(table, "%s", t->experiment->arms[AB_BASE].name);
    table_add(table, "%.3f", row->base_ns / 1000.0);
    table_add(table, "-");
    table_add(table, "-");
    add_faults(table, &row->base_faults, cell->calls);
    add_allocations(table, cell->allocations[AB_BASE], cell->calls);
    add_peak(table, row->base_rss_kib);
    table_add(table, "-");
    table_add(table, "%lld calls a loop", (long long)cell->calls);
}

static void add_row(struct table *table, const struct ab_telling *t, const struct ab_row *row)
{
    const struct ab_cell *cell = &t->experiment->cells[row->cell];
    table_add(table, "%s", "");
    table_add(table, "%s", t->experiment->arms[row->arm].name);
    table_add(table, "%.3f", row->arm_ns / 1000.0);
    add_change(table, &row->loop);
    add_change(table, &row->whole);
    add_faults(table, &row->arm_faults, cell->calls);
    add_allocations(table, cell->allocations[row->arm],
                    ab_calls_of(t->experiment, row->cell, row->arm));
    add_peak(table, row->arm_rss_kib);
    if (row->arm == AB_AA) {
        table_add(table, "-");
    } else {
        table_add_tone(table, tone_of(t, row), ab_verdict_word(t, row));
    }
    add_notes(table, t, row);
}

void ab_fill_table(const struct ab_telling *t, struct table *table)
{
    const struct ab_verdicts *v = &t->judging->verdicts;
    table_init(table, columns, COLUMNS);
    for (size_t i = 0; i < v->row_count; i++) {
        if (v->rows[i].arm == AB_AA) {
            add_base(table, t, &v->rows[i]);
        }
        add_row(table, t, &v->rows[i]);
    }
}
