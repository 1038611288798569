// SPDX-License-Identifier: MIT
#include "ab_calibrating.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ab_telling.h"
#include "cli/term.h"
#include "render/table.h"
#include "stats/ab_calibrate.h"

static double percent(double logarithm)
{
    return 100.0 * expm1(logarithm);
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
    table_add(table, "%.1f", c->blocks_needed[1] * c->pair_us / 1e6);
}

static bool fill(struct table *table, const struct ab_experiment *e, const struct ab_work *work,
                 struct fault *fault)
{
    for (size_t cell = 0; cell < e->cell_count; cell++) {
        for (size_t arm = AB_AA; arm < e->arm_count; arm++) {
            struct ab_calibration calibration;
            if (!ab_calibrate(e, cell, arm, work, &calibration)) {
                return fault_set(fault, "fewer than %d whole blocks: nothing can be cut from them",
                                 AB_CUT_BLOCKS);
            }
            add_row(table, e, &calibration);
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
    double *numbers = calloc(4 * n, sizeof *numbers);
    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    const struct ab_work work = {numbers, numbers + n, numbers + 2 * n, numbers + 3 * n};
    bool is_good = numbers != NULL ? fill(&table, e, &work, fault) : fault_set(fault, "no memory");
    const struct table_style style = {false, term_columns(stdout)};
    is_good = is_good && (table_print(&table, stdout, style) || fault_set(fault, "no memory"));
    table_release(&table);
    free(numbers);
    if (is_good) {
        (void)printf(
            "\nDisjoint experiments of %d blocks. found: p under 5 %% before Holm, so false alarms "
            "where the truth is 0 (5 is nominal).\ncovered: the 95 %% interval holds the truth. "
            "later base: of two base processes of a block the later one over the earlier.\nThe "
            "best "
            "loop length is the one that needs least CPU time for 1 %%; half of it is the "
            "base's.\n",
            AB_CUT_BLOCKS);
    }
    return is_good;
}
