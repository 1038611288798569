// SPDX-License-Identifier: MIT
#include "ab_stepping.h"

#include <math.h>
#include <stdio.h>

#include "render/table.h"

static const double SHOWN = 0.002; // of the call: steps that cost less are left out

static void add_apart(struct table *table, const struct ab_step *step, size_t side)
{
    if (!step->has_places[side]) {
        table_add(table, "-");
    } else if (step->apart[side] < 0) {
        table_add(table, "changes");
    } else {
        table_add(table, "%lld", (long long)step->apart[side]);
    }
}

static void add_step(struct table *table, const struct ab_step *step)
{
    table_add(table, "%s", step->name);
    table_add(table, "%.2f", step->ns[0] / 1000.0);
    table_add(table, "%.2f", step->ns[1] / 1000.0);
    table_add(table, "%+.2f", (step->ns[1] - step->ns[0]) / 1000.0);
    add_apart(table, step, 0);
    add_apart(table, step, 1);
}

static const struct ab_step *most_moved(const struct ab_steps *steps)
{
    const struct ab_step *most = &steps->items[0];
    for (size_t i = 1; i < steps->count; i++) {
        const struct ab_step *step = &steps->items[i];
        most = fabs(step->ns[1] - step->ns[0]) > fabs(most->ns[1] - most->ns[0]) ? step : most;
    }
    return most;
}

static bool print_table(const struct ab_telling *t, const struct ab_steps *steps,
                        struct fault *fault)
{
    static const struct table_column columns[] = {
        {"step", TABLE_LEFT, false},         {"base, us", TABLE_RIGHT, false},
        {"arm, us", TABLE_RIGHT, false},     {"change, us", TABLE_RIGHT, false},
        {"apart, base", TABLE_RIGHT, false}, {"apart, arm", TABLE_RIGHT, false}};
    struct table table;
    const struct table_style style = {false, t->columns};
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < steps->count; i++) {
        const struct ab_step *step = &steps->items[i];
        double most = step->ns[0] > step->ns[1] ? step->ns[0] : step->ns[1];
        if (most >= SHOWN * steps->whole_ns[0]) {
            add_step(&table, step);
        }
    }
    bool is_good = table_print(&table, stdout, style) || fault_set(fault, "out of memory");
    table_release(&table);
    return is_good;
}

bool ab_print_steps(const struct ab_telling *t, const struct ab_steps *steps, struct fault *fault)
{
    char name[3 * AB_NAME_ROOM];
    const char *arm = t->experiment->arms[steps->arm].name;
    ab_cell_name(&t->experiment->cells[steps->cell], name, sizeof name);
    if (steps->count == 0) {
        (void)printf("\n%s, %s: its steps are not known: %s\n", name, arm, steps->why.text);
        return true;
    }
    if (!ab_steps_add_up(steps)) {
        (void)printf("\n%s, %s: its steps add up to %.0f %% (base) and %.0f %% of the call, more "
                     "than a tenth off, so they say nothing.\n",
                     name, arm, 100.0 * steps->sum[0], 100.0 * steps->sum[1]);
        return true;
    }
    (void)printf("\nSteps of %s, base and %s, by the wall clock (lower quartiles); they add up to "
                 "%.0f and %.0f %% "
                 "of the call. Apart: where\nthe output begins less where the input does, modulo "
                 "4,096 bytes.\n\n",
                 name, arm, 100.0 * steps->sum[0], 100.0 * steps->sum[1]);
    if (!print_table(t, steps, fault)) {
        return false;
    }
    const struct ab_step *most = most_moved(steps);
    (void)printf("\nThe step that moved most: %s, %+.2f us.\n", most->name,
                 (most->ns[1] - most->ns[0]) / 1000.0);
    return true;
}
