// SPDX-License-Identifier: MIT
// Committed budgets as the other side of a gate, and their update. Layer: store.
#ifndef CKBENCH_IR_BUDGET_H
#define CKBENCH_IR_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "stats/gate.h"
#include "store/budget.h"

// The entry recorded under conditions that agree with `print`, or NULL. An entry whose fingerprint
// cannot be read is a failure: `*ok` is false.
const struct budget_entry *ir_budget_entry(const struct budget *budget,
                                           const struct fingerprint *print, bool *ok,
                                           struct fault *fault);

// How many calls were counted for `name` in any entry, so that a gate makes as many; 0: unknown.
int64_t ir_budget_ops(const struct budget *budget, const char *name);

// The row as a side with one layout; false when there is none.
bool ir_budget_side(const struct budget_entry *entry, const char *name, struct ir_side *side);

struct ir_budget_changes {
    size_t recorded, lowered, raised, kept, equal; // kept: higher than the budget, not allowed
};

// Puts the result's paths into the budget: absent ones, lower ones, and with `allow_increase`
// higher ones. A path of which any figure rose counts as higher.
bool ir_budget_update(struct budget *budget, const struct gate_result *result, bool allow_increase,
                      struct ir_budget_changes *changes, struct fault *fault);

#endif
