// SPDX-License-Identifier: MIT
// baselines/ir.json, schema ckbench/ir-budgets/1: committed integers per fingerprint and path, one
// line each, sorted, to be reviewed as text. Layer: store.
#ifndef CKBENCH_BUDGET_H
#define CKBENCH_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

// The median layout as it was counted: whole windows, so that every ratio can be made again.
struct budget_row {
    char name[65];
    int64_t ops;
    int64_t total_ir;
    int64_t own_ir; // -1: unknown
    int64_t allocs;
    int64_t syscalls;
    int64_t empty_ir;
};

struct budget_entry {
    char *id;          // printable, at most 128 bytes
    char *fingerprint; // what the id stands for: one JSON object
    struct budget_row *rows;
    size_t row_count;
};

struct budget {
    struct budget_entry *entries;
    size_t entry_count;
};

// A file that does not exist is an empty budget; anything else that is not a budget is a failure,
// and then `out` is empty.
bool budget_read(const char *path, struct budget *out, struct fault *fault);
void budget_release(struct budget *budget);

const struct budget_entry *budget_find(const struct budget *budget, const char *id);
const struct budget_row *budget_row_of(const struct budget_entry *entry, const char *name);

// Adds the entry when it is new, else sets its fingerprint; adds or replaces the row. Other
// entries and rows stay. `fingerprint` is one JSON object.
bool budget_put(struct budget *budget, const char *id, const char *fingerprint,
                const struct budget_row *row, struct fault *fault);

// By temporary name and rename; only --update may call it.
bool budget_write(const char *path, const struct budget *budget, struct fault *fault);

#endif
