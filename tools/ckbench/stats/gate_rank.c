// SPDX-License-Identifier: MIT
// Which path is looked at first.
#include "stats/gate_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned rank_of(const struct gate_path *path)
{
    static const unsigned ranks[IR_VERDICTS] = {
        [IR_FAIL] = 0, [IR_ERROR] = 2, [IR_INCOMPARABLE] = 3, [IR_NO_BUDGET] = 4, [IR_WARN] = 5,
        [IR_GONE] = 6, [IR_NEW] = 7,   [IR_LOWER] = 8,        [IR_OK] = 9};
    const struct ir_judgement *j = &path->judgement;
    return j->verdict == IR_GONE && !j->is_accepted ? 1 : ranks[j->verdict];
}

static int64_t change_of(const struct gate_path *path)
{
    const struct ir_judgement *j = &path->judgement;
    bool is_known = path->head.count > 0 && path->base.count > 0 && j->base_figures.total.num > 0;
    return is_known ? per_op_delta_mpct(j->head_figures.total, j->base_figures.total) : 0;
}

static int by_rank(const void *a, const void *b)
{
    const struct gate_path *x = *(const struct gate_path *const *)a;
    const struct gate_path *y = *(const struct gate_path *const *)b;
    int64_t change_x = change_of(x), change_y = change_of(y);
    if (rank_of(x) != rank_of(y)) {
        return rank_of(x) < rank_of(y) ? -1 : 1;
    }
    if (change_x != change_y) {
        return change_x > change_y ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

void gate_merge_rank(const struct gate_path **paths, size_t count)
{
    qsort(paths, count, sizeof(const struct gate_path *), by_rank);
}

void gate_merge_counts(const struct gate_merge *merge, char out[GATE_COUNTS])
{
    static const enum ir_verdict order[IR_VERDICTS] = {IR_FAIL,         IR_GONE,      IR_ERROR,
                                                       IR_INCOMPARABLE, IR_NO_BUDGET, IR_WARN,
                                                       IR_NEW,          IR_LOWER,     IR_OK};
    size_t counts[IR_VERDICTS] = {0}, len = 0;
    for (size_t i = 0; i < merge->path_count; i++) {
        counts[merge->paths[i]->judgement.verdict]++;
    }
    out[0] = '\0';
    for (size_t i = 0; i < IR_VERDICTS; i++) {
        enum ir_verdict v = order[i];
        if (counts[v] > 0) {
            len += (size_t)snprintf(out + len, GATE_COUNTS - len, "%s%zu %s", len > 0 ? ", " : "",
                                    counts[v], ir_verdict_name(v));
        }
    }
    if (merge->missing > 0) {
        (void)snprintf(out + len, GATE_COUNTS - len, "%s%zu %s without a result",
                       len > 0 ? ", " : "", merge->missing,
                       merge->missing == 1 ? "shard" : "shards");
    }
}
