// SPDX-License-Identifier: MIT
#include "compare/interleave.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double block_us(const struct interleave *run, void (*call)(void *state))
{
    double begun = now_us();
    for (int i = 0; i < run->calls_per_block; i++) {
        call(run->state);
    }
    return (now_us() - begun) / run->calls_per_block;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *figures, int count)
{
    qsort(figures, (size_t)count, sizeof *figures, by_size);
    return count % 2 ? figures[count / 2] : (figures[count / 2 - 1] + figures[count / 2]) / 2;
}

double interleave_run(const struct interleave *run)
{
    static double ours_us[INTERLEAVE_BLOCKS_MAX], theirs_us[INTERLEAVE_BLOCKS_MAX],
        ratios[INTERLEAVE_BLOCKS_MAX];
    int blocks = run->blocks;
    (void)block_us(run, run->ours);
    (void)block_us(run, run->theirs);
    for (int i = 0; i < blocks; i++) {
        if (i % 2 == 0) {
            ours_us[i] = block_us(run, run->ours);
            theirs_us[i] = block_us(run, run->theirs);
        } else {
            theirs_us[i] = block_us(run, run->theirs);
            ours_us[i] = block_us(run, run->ours);
        }
        ratios[i] = ours_us[i] / theirs_us[i];
    }
    double ratio = median(ratios, blocks);
    (void)printf("%s: %s %.2f us, %s %.2f us, median ratio of %d blocks of %d calls %.3f "
                 "(quartiles %.3f to %.3f)\n",
                 run->what, run->ours_name, median(ours_us, blocks), run->theirs_name,
                 median(theirs_us, blocks), blocks, run->calls_per_block, ratio, ratios[blocks / 4],
                 ratios[3 * blocks / 4]);
    return ratio;
}
