// SPDX-License-Identifier: MIT
#include "ab_judging.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exit.h"

static const double UNFIT_LEVEL = 0.01;

bool ab_experiment_make_room(struct ab_experiment *e, size_t blocks, struct fault *fault)
{
    size_t each = e->cell_count * e->arm_count;
    if (blocks > AB_SAMPLES_MAX / each) {
        return fault_set(fault, "%zu blocks of %zu processes are more than %d", blocks, each,
                         AB_SAMPLES_MAX);
    }
    e->samples = calloc(blocks * each, sizeof *e->samples);
    e->blocks = blocks;
    return e->samples != NULL || fault_set(fault, "out of memory");
}

void ab_experiment_release(struct ab_experiment *e)
{
    free(e->samples);
    free(e->cells);
    memset(e, 0, sizeof *e);
}

unsigned ab_look_at(const struct ab_experiment *e, size_t block)
{
    size_t most = e->looks_within;
    unsigned look = most > 0 ? (unsigned)(block * AB_LOOKS / most) : 0;
    return look > 0 && look * most / AB_LOOKS == block ? look : 0;
}

double ab_end_at_look(struct ab_experiment *e)
{
    double level = AB_LEVEL;
    if (e->looks_within == 0) {
        return level;
    }
    size_t last = 0;
    for (size_t block = 1; block < e->blocks && ab_is_complete(e, block); block++) {
        unsigned look = ab_look_at(e, block);
        last = look > 0 ? block : last;
        level = look > 0 ? obrien_fleming_level(look, AB_LOOKS) : level;
    }
    e->blocks = last + 1;
    return level;
}

static bool judge(const struct ab_experiment *e, struct ab_judging *j, struct fault *fault)
{
    size_t rows = e->cell_count * (e->arm_count - 1), n = j->policy.blocks;
    double *numbers = calloc(4 * n + rows, sizeof *numbers);
    size_t *order = calloc(rows, sizeof *order);
    j->verdicts.rows = calloc(rows, sizeof *j->verdicts.rows);
    bool is_good = numbers != NULL && order != NULL && j->verdicts.rows != NULL;
    if (is_good) {
        const struct ab_work work = {numbers, numbers + n, numbers + 2 * n, numbers + 3 * n};
        j->is_enough = ab_judge(e, &j->policy, &work, numbers + 4 * n, order, &j->verdicts);
    }
    free(numbers);
    free(order);
    return is_good || fault_set(fault, "out of memory");
}

bool ab_judging_make(const struct ab_experiment *e, double margin, double level,
                     struct ab_judging *j, struct fault *fault)
{
    memset(j, 0, sizeof *j);
    if (e->blocks < 2) {
        return fault_set(fault, "no whole block was measured");
    }
    j->policy = (struct ab_policy){.margin = margin,
                                   .level = level,
                                   .unfit_level = UNFIT_LEVEL,
                                   .first = 1,
                                   .blocks = e->blocks - 1};
    if (!judge(e, j, fault)) {
        return false;
    }
    return j->is_enough ||
           fault_set(fault, "%zu whole blocks are too few to judge: at least %d are needed",
                     j->policy.blocks - j->verdicts.lost_blocks, AB_BLOCKS_MIN);
}

void ab_judging_release(struct ab_judging *j)
{
    free(j->verdicts.rows);
    memset(j, 0, sizeof *j);
}

int ab_judging_code(const struct ab_judging *j, bool is_strict, struct fault *remark)
{
    remark->text[0] = '\0';
    if (j->verdicts.is_unfit) {
        (void)fault_set(remark,
                        "this host is unfit: the base differs from itself, so no verdict is "
                        "given; run again when it does less else");
        return EXIT_INCOMPLETE;
    }
    return j->verdicts.is_slower || (is_strict && j->verdicts.is_open) ? EXIT_BAD : EXIT_GOOD;
}
