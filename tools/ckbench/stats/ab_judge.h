// SPDX-License-Identifier: MIT
// From an experiment to verdicts: one row for each cell and each arm but the base. Layer: stats.
#ifndef CKBENCH_AB_JUDGE_H
#define CKBENCH_AB_JUDGE_H

#include "stats/ab_data.h"
#include "stats/paired.h"

struct ab_policy {
    double margin;        // 0.01: one percent
    double level;         // two-sided, of intervals and verdicts
    double unfit_level;   // of the adjusted p of the base against itself
    size_t first, blocks; // which blocks; block 0 is never among them
};

// The smallest and largest count of a loop, over the blocks.
struct ab_counts {
    int64_t low, high;
    int64_t states; // different counts, 9 at most
};

struct ab_row {
    size_t cell, arm;
    size_t blocks;                            // judged
    struct paired_estimate loop;              // CPU time per call
    struct paired_estimate whole;             // CPU time of the process, start-up included
    double base_ns, arm_ns;                   // medians of CPU time per call
    struct ab_counts base_faults, arm_faults; // of a loop
    int64_t base_rss_kib, arm_rss_kib;        // medians of the loop's peak; 0: not to be had
    bool is_floored;                          // whole-process peaks that may be the spawner's
    double p_adjusted;
    enum paired_verdict verdict;
};

struct ab_verdicts {
    struct ab_row *rows; // by cell, then arm; AB_AA first
    size_t row_count;
    size_t lost_blocks; // incomplete ones, which were left out
    bool is_unfit;      // the base differs from itself
    bool is_slower;     // some candidate is
    bool is_open;       // some candidate is inconclusive
};

// Room for the logarithms of so many blocks.
struct ab_work {
    double *ratios, *base, *arm, *spare;
};

// Fewest blocks that are judged.
enum { AB_BLOCKS_MIN = PAIRED_MIN };

// `rows` has room for (arm_count - 1) * cell_count, `order` and `p` for as many, `work` for
// policy->blocks. False: a cell has fewer complete blocks than AB_BLOCKS_MIN.
bool ab_judge(const struct ab_experiment *experiment, const struct ab_policy *policy,
              const struct ab_work *work, double *p, size_t *order, struct ab_verdicts *out);

// Log ratios of CPU time per call of `arm` over `other`, of complete blocks; how many.
size_t ab_ratios(const struct ab_experiment *experiment, const struct ab_policy *policy,
                 size_t cell, size_t other, size_t arm, double *out);

// Whether every arm of the block left a sample in every cell.
bool ab_is_complete(const struct ab_experiment *experiment, size_t block);

// The first cell whose arms put out different things; cell_count: none.
size_t ab_find_unlike(const struct ab_experiment *experiment);

#endif
