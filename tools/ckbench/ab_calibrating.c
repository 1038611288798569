// SPDX-License-Identifier: MIT
#include "ab_calibrating.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ab_telling.h"
#include "cli/term.h"
#include "render/table.h"
#include "stats/ab_calibrate.h"

static double percent(double logarithm)
{
    return 100.0 * expm1(logarithm);
}

// CPU seconds that a verdict on 1 % takes.
static double cost_of(const struct ab_calibration *c)
{
    return c->blocks_needed[1] * c->pair_us / 1e6;
}

static void add_row(struct table *table, const struct ab_experiment *e,
                    const struct ab_calibration *c)
{
    char name[3 * AB_NAME_ROOM];
    const struct ab_cell *cell = &e->cells[c->cell];
    ab_cell_name(cell, name, sizeof name);
    table_add(table, "%s", name);
    table_add(table, "%lld", (long long)cell->calls);
    table_add(table, "%s", e->arms[c->arm].name);
    table_add(table, "%+.2f", percent(c->truth));
    table_add(table, "%zu", c->experiments);
    table_add(table, "%.1f", 100.0 * (double)c->found / (double)c->experiments);
    table_add(table, "%.1f", 100.0 * (double)c->covered / (double)c->experiments);
    table_add(table, "%.2f", percent(c->half_width));
    table_add(table, "%.2f", percent(c->spread));
    table_add(table, "%+.2f (%+.2f to %+.2f)", percent(c->later), percent(c->later_low),
              percent(c->later_high));
    table_add(table, "%.0f / %.0f / %.0f", c->blocks_needed[0], c->blocks_needed[1],
              c->blocks_needed[2]);
    table_add(table, "%.1f", cost_of(c));
}

// Loops of several lengths of one cell stand one after the other: which of them is the cheapest.
static void print_best(const struct ab_experiment *e, const double *costs)
{
    for (size_t first = 0, end; first < e->cell_count; first = end) {
        size_t best = first;
        char name[3 * AB_NAME_ROOM], other[3 * AB_NAME_ROOM];
        ab_cell_name(&e->cells[first], name, sizeof name);
        for (end = first + 1; end < e->cell_count; end++) {
            ab_cell_name(&e->cells[end], other, sizeof other);
            if (strcmp(name, other) != 0) {
                break;
            }
            best = costs[end] < costs[best] ? end : best;
        }
        if (end > first + 1) {
            (void)printf(
                "%s: of %zu loop lengths %lld calls are best, %.1f s of CPU time for 1 %%\n", name,
                end - first, (long long)e->cells[best].calls, costs[best]);
        }
    }
}

static bool fill(struct table *table, const struct ab_experiment *e, const struct ab_work *work,
                 double *costs, struct fault *fault)
{
    for (size_t cell = 0; cell < e->cell_count; cell++) {
        for (size_t arm = AB_AA; arm < e->arm_count; arm++) {
            struct ab_calibration calibration;
            if (!ab_calibrate(e, cell, arm, work, &calibration)) {
                return fault_set(fault, "fewer than %d whole blocks: nothing can be cut from them",
                                 AB_CUT_BLOCKS);
            }
            add_row(table, e, &calibration);
            costs[cell] = arm == AB_AA ? cost_of(&calibration) : costs[cell];
        }
    }
    return true;
}

bool ab_print_calibration(const struct ab_experiment *e, struct fault *fault)
{
    static const struct table_column columns[] = {
        {"cell", TABLE_LEFT, false},
        {"calls", TABLE_RIGHT, false},
        {"arm", TABLE_LEFT, false},
        {"truth %", TABLE_RIGHT, false},
        {"experiments", TABLE_RIGHT, false},
        {"found %", TABLE_RIGHT, false},
        {"covered %", TABLE_RIGHT, false},
        {"half width %", TABLE_RIGHT, false},
        {"pair SD %", TABLE_RIGHT, false},
        {"later base %", TABLE_RIGHT, false},
        {"blocks 2/1/0.5 %", TABLE_RIGHT, false},
        {"CPU s for 1 %", TABLE_RIGHT, false},
    };
    struct table table;
    size_t n = e->blocks;
    double *numbers = calloc(4 * n + e->cell_count, sizeof *numbers), *costs = numbers + 4 * n;
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    const struct ab_work work = {numbers, numbers + n, numbers + 2 * n, numbers + 3 * n};
    bool is_good =
        numbers != NULL ? fill(&table, e, &work, costs, fault) : fault_set(fault, "no memory");
    const struct table_style style = {false, term_columns(stdout)};
    is_good = is_good && (table_print(&table, stdout, style) || fault_set(fault, "no memory"));
    table_release(&table);
    if (is_good) {
        (void)printf("\n");
        print_best(e, costs);
        (void)printf(
            "\nDisjoint experiments of %d blocks. found: p under 5 %% before Holm, so false alarms "
            "where the truth is 0 (5 is nominal).\ncovered: the 95 %% interval holds the truth. "
            "later base: of two base processes of a block the later one over the earlier.\nCPU s "
            "for 1 %%: of all pairs that it takes; half of it is the base's.\n",
            AB_CUT_BLOCKS);
    }
    free(numbers);
    return is_good;
}
