// SPDX-License-Identifier: MIT
// The cells of the table of `ckbench ab`, which every printer reads.
#ifndef CKBENCH_AB_ROWS_H
#define CKBENCH_AB_ROWS_H

#include "ab_telling.h"
#include "render/table.h"

// Fills `table`, which is initialised here and released by the caller.
void ab_fill_table(const struct ab_telling *telling, struct table *table);

// The word of the row's verdict: "unfit" for all when the host is.
const char *ab_verdict_word(const struct ab_telling *telling, const struct ab_row *row);

#endif
