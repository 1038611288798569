// SPDX-License-Identifier: MIT
// Intervals of single sittings are too narrow for a claim about a machine on another day: what
// differs between sittings is not in them. Q (Cochran 1954) says whether something does.
#include "ab_merging.h"

#include <math.h>
#include <string.h>

#include "render/table.h"
#include "stats/bands.h"

static const double LEVEL = 0.05;

static const struct ab_row *find(const struct ab_telling *t, const char *cell, const char *arm)
{
    const struct ab_verdicts *v = &t->judging->verdicts;
    for (size_t i = 0; i < v->row_count; i++) {
        char name[3 * AB_NAME_ROOM];
        const struct ab_row *row = &v->rows[i];
        ab_cell_name(&t->experiment->cells[row->cell], name, sizeof name);
        if (strcmp(name, cell) == 0 && strcmp(t->experiment->arms[row->arm].name, arm) == 0) {
            return row;
        }
    }
    return NULL;
}

// What the sittings say of one cell and arm; how many have it.
static size_t collect(const struct ab_telling *sittings, size_t count, const char *cell,
                      const char *arm, double *effects, double *weights)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct ab_row *row = find(&sittings[i], cell, arm);
        if (row != NULL) {
            double error = row->loop.error > 0.0 ? row->loop.error : 1e-9;
            effects[found] = row->loop.effect;
            weights[found++] = 1.0 / (error * error);
        }
    }
    return found;
}

static double q_of(const double *effects, const double *weights, size_t count)
{
    double sum = 0.0, weight = 0.0, q = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += weights[i] * effects[i];
        weight += weights[i];
    }
    for (size_t i = 0; i < count; i++) {
        double gap = effects[i] - sum / weight;
        q += weights[i] * gap * gap;
    }
    return q;
}

static void add_row(struct table *table, const char *cell, const char *arm, const double *effects,
                    const double *weights, size_t count)
{
    struct band band = band_of(effects, count, LEVEL);
    table_add(table, "%s", cell);
    table_add(table, "%s", arm);
    table_add(table, "%+.1f (%+.1f to %+.1f)", 100.0 * expm1(band.middle), 100.0 * expm1(band.low),
              100.0 * expm1(band.high));
    table_add(table, "%.1f, df %zu", q_of(effects, weights, count), count - 1);
}

bool ab_print_merged(const struct ab_telling *sittings, size_t count, struct fault *fault)
{
    static const struct table_column columns[] = {{"cell", TABLE_LEFT, false},
                                                  {"arm", TABLE_LEFT, false},
                                                  {"change %, in the loop", TABLE_RIGHT, false},
                                                  {"Q between sittings", TABLE_RIGHT, false}};
    struct table table;
    const struct table_style style = {false, sittings[0].columns};
    const struct ab_experiment *e = sittings[0].experiment;
    bool is_any = false;
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < sittings[0].judging->verdicts.row_count; i++) {
        double effects[AB_SITTINGS_MAX], weights[AB_SITTINGS_MAX];
        char cell[3 * AB_NAME_ROOM];
        const struct ab_row *row = &sittings[0].judging->verdicts.rows[i];
        const char *arm = e->arms[row->arm].name;
        ab_cell_name(&e->cells[row->cell], cell, sizeof cell);
        if (collect(sittings, count, cell, arm, effects, weights) == count) {
            add_row(&table, cell, arm, effects, weights, count);
            is_any = true;
        }
    }
    bool is_good = is_any ? table_print(&table, stdout, style) || fault_set(fault, "out of memory")
                          : fault_set(fault, "the records have no cell and arm in common");
    table_release(&table);
    if (is_good) {
        (void)printf("\n%zu sittings, each one figure: mean of their effects with Student's 95 %% "
                     "band. Q well above df: they differ by more than their blocks explain.\n",
                     count);
    }
    return is_good;
}
