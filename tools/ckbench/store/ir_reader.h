// SPDX-License-Identifier: MIT
// A report of `ckbench ir` read back: strictly, and judged again from its integers. Layer: store.
#ifndef CKBENCH_IR_READER_H
#define CKBENCH_IR_READER_H

#include "stats/gate_merge.h"

#define IR_SCHEMA "ckbench/ir/1"

// Fills `shard` of the file at `path`, which is kept. False: `shard->unread` says why there is no
// result, and `shard->number` which shard it is if content or the file's name ("shard-K") tell.
// Verdicts and derived figures that differ from what the integers say make a report invalid.
// Foreign texts arrive as printable ASCII. Release it either way.
bool ir_report_read(const char *path, struct gate_shard *shard);

#endif
