// SPDX-License-Identifier: MIT
// The price is measured by touching fresh pages and, with the base and two candidates or more,
// fitted to the cell's own arms as well: the two are told apart, not averaged.
#include "ab_explaining.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ab_stepping.h"
#include "measure/ab_price.h"
#include "render/table.h"

enum { FIT_ARMS = 4 };
static const double PRICE_SLACK = 0.2;

static double faults_per_call(const struct ab_counts *counts, int64_t calls)
{
    return ((double)counts->low + (double)counts->high) / 2.0 / (double)calls;
}

struct split {
    double change_ns, faults, by_faults_ns, rest_ns; // of a call
};

static struct split split_of(const struct ab_experiment *e, const struct ab_row *row,
                             double price_ns)
{
    struct split s;
    int64_t calls = e->cells[row->cell].calls;
    s.change_ns = row->base_ns * expm1(row->loop.effect);
    s.faults = faults_per_call(&row->arm_faults, calls) - faults_per_call(&row->base_faults, calls);
    s.by_faults_ns = s.faults * price_ns;
    s.rest_ns = s.change_ns - s.by_faults_ns;
    return s;
}

// Beyond the margin, beyond what the interval leaves open, and beyond what a price that is a fifth
// off would leave.
static bool is_large(const struct ab_judging *j, const struct ab_row *row, const struct split *s)
{
    double rest = fabs(s->rest_ns), open = (row->loop.high - row->loop.low) / 2.0;
    return rest > j->policy.margin * row->base_ns && rest > open * row->base_ns &&
           rest > PRICE_SLACK * fabs(s->by_faults_ns);
}

enum ab_run_end ab_explaining_measure(const struct ab_judging *j, const struct ab_run *run,
                                      struct ab_explaining *out, struct fault *fault)
{
    const struct ab_experiment *e = run->experiment;
    enum ab_run_end end = AB_RUN_DONE;
    *out = (struct ab_explaining){.steps = calloc(j->verdicts.row_count, sizeof *out->steps)};
    if (out->steps == NULL) {
        return fault_set(fault, "out of memory") ? AB_RUN_DONE : AB_RUN_FAILED;
    }
    if (!ab_price_measure(&out->fault_ns, fault)) {
        return AB_RUN_FAILED;
    }
    for (size_t i = 0; i < j->verdicts.row_count && end == AB_RUN_DONE; i++) {
        const struct ab_row *row = &j->verdicts.rows[i];
        const struct split split = split_of(e, row, out->fault_ns);
        if (row->arm != AB_AA && e->cells[row->cell].has_phases && is_large(j, row, &split)) {
            struct ab_steps *steps = &out->steps[out->count++];
            end = ab_steps_measure(run, row->cell, row->arm, steps) ? AB_RUN_DONE
                                                                    : AB_RUN_INTERRUPTED;
        }
    }
    return end;
}

void ab_explaining_release(struct ab_explaining *explaining)
{
    free(explaining->steps);
    *explaining = (struct ab_explaining){.count = 0};
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
    const struct split split = split_of(t->experiment, row, price_ns);
    double fitted = fit_price(t, row->cell);
    ab_cell_name(cell, name, sizeof name);
    table_add(table, "%s", name);
    table_add(table, "%s", t->experiment->arms[row->arm].name);
    table_add(table, "%+.2f", split.change_ns / 1000.0);
    table_add(table, "%+.1f", split.faults);
    table_add(table, "%+.2f", split.by_faults_ns / 1000.0);
    table_add(table, "%+.2f", split.rest_ns / 1000.0);
    if (isnan(fitted)) {
        table_add(table, "-");
    } else {
        table_add(table, "%.2f", fitted / 1000.0);
    }
}

bool ab_print_explanation(const struct ab_telling *t, const struct ab_explaining *x,
                          struct fault *fault)
{
    static const struct table_column columns[] = {{"cell", TABLE_LEFT, false},
                                                  {"arm", TABLE_LEFT, false},
                                                  {"change, us", TABLE_RIGHT, false},
                                                  {"faults", TABLE_RIGHT, false},
                                                  {"by faults, us", TABLE_RIGHT, false},
                                                  {"the rest, us", TABLE_RIGHT, false},
                                                  {"fitted us a fault", TABLE_RIGHT, false}};
    struct table table;
    const struct table_style style = {false, t->columns};
    const struct ab_verdicts *v = &t->judging->verdicts;
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < v->row_count; i++) {
        if (v->rows[i].arm != AB_AA) {
            add_row(&table, t, &v->rows[i], x->fault_ns);
        }
    }
    (void)printf("\nPer call, at %.2f us a fault, measured here by touching fresh pages:\n\n",
                 x->fault_ns / 1000.0);
    bool is_good = table_print(&table, stdout, style) || fault_set(fault, "out of memory");
    table_release(&table);
    for (size_t i = 0; i < x->count && is_good; i++) {
        is_good = ab_print_steps(t, &x->steps[i], fault);
    }
    return is_good;
}
