// SPDX-License-Identifier: MIT
// What is said of an experiment: the table, the document.
#ifndef CKBENCH_AB_TELLING_H
#define CKBENCH_AB_TELLING_H

#include "ab_judging.h"
#include "store/json_out.h"

struct ab_telling {
    const struct ab_experiment *experiment;
    const struct ab_judging *judging;
    const char *host; // for people
    bool has_color;
    unsigned columns;
};

void ab_put_body(struct json_out *out, const struct ab_telling *telling);
bool ab_print_table(const struct ab_telling *telling, struct fault *fault);
bool ab_print_markdown(const struct ab_telling *telling, struct fault *fault);

// "path/shape operation", cut to `size`.
void ab_cell_name(const struct ab_cell *cell, char *out, size_t size);

#endif
