// SPDX-License-Identifier: MIT
// The figures of merged shards in the JSON of other tools. Layer: store.
#ifndef CKBENCH_IR_FORMS_H
#define CKBENCH_IR_FORMS_H

#include "stats/gate_merge.h"

struct json_out;

// Head's figures of every path that has any, sorted by name. Neither form has a place for verdicts.
void ir_form_action_benchmark(struct json_out *out, const struct gate_merge *merge);
void ir_form_bencher(struct json_out *out, const struct gate_merge *merge);

#endif
