// SPDX-License-Identifier: MIT
// One value's text into its field. Layer: cli, for opt_*.c only.
#ifndef CKBENCH_OPT_VALUE_H
#define CKBENCH_OPT_VALUE_H

#include "cli/opt.h"

// Checks `text` by the row and stores it. `shown` is what the user typed for the option.
bool opt_value_set(const struct opt *row, const char *text, void *options, const char *shown,
                   struct fault *fault);

// The default as help shows it, "" when there is none to show.
void opt_value_show(const struct opt *row, const void *options, char *out, size_t size);

// Milliseconds as minutes, rounded up to a thousandth.
void opt_value_show_minutes(uint64_t ms, char *out, size_t size);

#endif
