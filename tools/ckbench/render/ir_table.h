// SPDX-License-Identifier: MIT
// What `ckbench ir` shows people: one row per path, the reasons below, the verdict last.
// Layer: render.
#ifndef CKBENCH_IR_TABLE_H
#define CKBENCH_IR_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "render/table.h"
#include "stats/gate.h"

// False when the table could not be made for want of memory; then nothing is printed.
bool ir_table_print(FILE *stream, const struct gate_result *result, struct table_style style);

#endif
