// SPDX-License-Identifier: MIT
// The document of merged shards, schema ckbench/report/1. Layer: store.
#ifndef CKBENCH_IR_MERGED_H
#define CKBENCH_IR_MERGED_H

#include "stats/gate_merge.h"
#include "store/provenance.h"

struct json_out;

void ir_merged_body(struct json_out *out, const struct gate_merge *merge);
void ir_merged_provenance(struct json_out *out, const struct gate_merge *merge,
                          const struct provenance_tool *tool);

#endif
