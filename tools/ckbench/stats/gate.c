// SPDX-License-Identifier: MIT
#include "stats/gate.h"

#include <stdarg.h>
#include <stdio.h>

void gate_reason(struct gate_path *path, const char *format, ...)
{
    if (path->reason_count < GATE_REASONS) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(path->reasons[path->reason_count++], GATE_REASON, format, args);
        va_end(args);
    }
}

bool gate_is_still(const struct gate_path *path, size_t index, bool heap_moved)
{
    const struct ir_layout *h = &path->head.layouts[index], *b = &path->base.layouts[index];
    return h->own_ir == b->own_ir && (heap_moved || h->total_ir == b->total_ir);
}

static enum ir_verdict judge_self_test(const struct gate_path *path, bool heap_moved)
{
    if (path->facts.is_error) {
        return IR_ERROR;
    }
    for (size_t i = 0; i < path->head.count && i < path->base.count; i++) {
        if (!gate_is_still(path, i, heap_moved)) {
            return IR_FAIL;
        }
    }
    return IR_OK;
}

struct ir_judgement gate_judge(const struct gate_path *path, enum gate_mode mode, bool heap_moved)
{
    struct ir_case facts = path->facts;
    facts.head = &path->head;
    facts.base = &path->base;
    struct ir_judgement judgement = ir_judge(&facts, &path->policy);
    if (mode == GATE_SELF_TEST) {
        judgement.verdict = judge_self_test(path, heap_moved);
    }
    return judgement;
}
