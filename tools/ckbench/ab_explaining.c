// SPDX-License-Identifier: MIT
// The price is measured by touching fresh pages and, with the base and two candidates or more,
// fitted to the cell's own arms as well: the two are told apart, not averaged.
#include "ab_explaining.h"

#include <math.h>
#include <stdio.h>

#include "measure/ab_price.h"
#include "render/table.h"

enum { FIT_ARMS = 4 };

static double faults_per_call(const struct ab_counts *counts, int64_t calls)
{
    return ((double)counts->low + (double)counts->high) / 2.0 / (double)calls;
}

// Slope of CPU time over faults of all arms of a cell, in ns a fault; NAN: nothing to fit.
static double fit_price(const struct ab_telling *t, size_t cell)
{
    size_t arms = t->experiment->arm_count;
    const struct ab_row *rows = &t->judging->verdicts.rows[cell * (arms - 1)];
    int64_t calls = t->experiment->cells[cell].calls;
    double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (size_t i = 0; i < arms; i++) {
        double faults =
            faults_per_call(i == 0 ? &rows[0].base_faults : &rows[i - 1].arm_faults, calls);
        double ns = i == 0 ? rows[0].base_ns : rows[i - 1].arm_ns;
        n += 1.0;
        x += faults;
        y += ns;
        xx += faults * faults;
        xy += faults * ns;
    }
    double spread = n * xx - x * x;
    return arms >= FIT_ARMS && spread > n * n ? (n * xy - x * y) / spread : (double)NAN;
}

static void add_row(struct table *table, const struct ab_telling *t, const struct ab_row *row,
                    double price_ns)
{
    char name[3 * AB_NAME_ROOM];
    const struct ab_cell *cell = &t->experiment->cells[row->cell];
    double change = row->base_ns * expm1(row->loop.effect);
    double faults = faults_per_call(&row->arm_faults, cell->calls) -
                    faults_per_call(&row->base_faults, cell->calls);
    double fitted = fit_price(t, row->cell);
    ab_cell_name(cell, name, sizeof name);
    table_add(table, "%s", name);
    table_add(table, "%s", t->experiment->arms[row->arm].name);
    table_add(table, "%+.2f", change / 1000.0);
    table_add(table, "%+.1f", faults);
    table_add(table, "%+.2f", faults * price_ns / 1000.0);
    table_add(table, "%+.2f", (change - faults * price_ns) / 1000.0);
    if (isnan(fitted)) {
        table_add(table, "-");
    } else {
        table_add(table, "%.2f", fitted / 1000.0);
    }
}

bool ab_print_explanation(const struct ab_telling *t, struct fault *fault)
{
    static const struct table_column columns[] = {{"cell", TABLE_LEFT, false},
                                                  {"arm", TABLE_LEFT, false},
                                                  {"change, us", TABLE_RIGHT, false},
                                                  {"faults", TABLE_RIGHT, false},
                                                  {"by faults, us", TABLE_RIGHT, false},
                                                  {"the rest, us", TABLE_RIGHT, false},
                                                  {"fitted us a fault", TABLE_RIGHT, false}};
    double price_ns;
    struct table table;
    const struct table_style style = {false, t->columns};
    const struct ab_verdicts *v = &t->judging->verdicts;
    if (!ab_price_measure(&price_ns, fault)) {
        return false;
    }
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < v->row_count; i++) {
        if (v->rows[i].arm != AB_AA) {
            add_row(&table, t, &v->rows[i], price_ns);
        }
    }
    (void)printf("\nPer call, at %.2f us a fault, measured here by touching fresh pages:\n\n",
                 price_ns / 1000.0);
    bool is_good = table_print(&table, stdout, style) || fault_set(fault, "out of memory");
    table_release(&table);
    return is_good;
}
