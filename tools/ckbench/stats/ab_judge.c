// SPDX-License-Identifier: MIT
// Everything is recomputed from integers, so a record can be judged again under another policy.
#include "stats/ab_judge.h"

#include <math.h>
#include <string.h>

#include "stats/bands.h"

enum { STATES_MAX = 9 };

// Of whole-process peaks: a child whose peak is not clear of its spawner's may only show that.
static const double FLOOR_RATIO = 1.10;

bool ab_is_complete(const struct ab_experiment *e, size_t block)
{
    for (size_t cell = 0; cell < e->cell_count; cell++) {
        for (size_t arm = 0; arm < e->arm_count; arm++) {
            if (!ab_at(e, block, cell, arm)->is_there) {
                return false;
            }
        }
    }
    return true;
}

size_t ab_find_unlike(const struct ab_experiment *e)
{
    for (size_t cell = 0; cell < e->cell_count; cell++) {
        const char *digest = NULL;
        for (size_t i = 0; i < e->blocks * e->arm_count; i++) {
            const struct ab_sample *s = ab_at(e, i / e->arm_count, cell, i % e->arm_count);
            if (!s->is_there) {
                continue;
            }
            if (digest != NULL && strcmp(digest, s->digest) != 0) {
                return cell;
            }
            digest = s->digest;
        }
    }
    return e->cell_count;
}

static size_t end_of(const struct ab_experiment *e, const struct ab_policy *policy)
{
    size_t end = policy->first + policy->blocks;
    return end < e->blocks ? end : e->blocks;
}

enum figure { OF_LOOP, OF_WHOLE };

static double figure_of(const struct ab_sample *s, enum figure figure)
{
    const double values[] = {[OF_LOOP] = (double)s->cpu_ns, [OF_WHOLE] = (double)s->whole_cpu_us};
    return values[figure] > 1.0 ? values[figure] : 1.0;
}

// Logarithms of one arm, of complete blocks.
static size_t logs_of(const struct ab_experiment *e, const struct ab_policy *policy, size_t cell,
                      size_t arm, enum figure figure, double *out)
{
    size_t count = 0;
    for (size_t block = policy->first; block < end_of(e, policy); block++) {
        if (ab_is_complete(e, block)) {
            out[count++] = log(figure_of(ab_at(e, block, cell, arm), figure));
        }
    }
    return count;
}

size_t ab_ratios(const struct ab_experiment *e, const struct ab_policy *policy, size_t cell,
                 size_t other, size_t arm, double *out)
{
    size_t count = 0;
    for (size_t block = policy->first; block < end_of(e, policy); block++) {
        if (ab_is_complete(e, block)) {
            out[count++] = log(figure_of(ab_at(e, block, cell, arm), OF_LOOP) /
                               figure_of(ab_at(e, block, cell, other), OF_LOOP));
        }
    }
    return count;
}

static size_t estimate(const struct ab_experiment *e, const struct ab_policy *policy,
                       const struct ab_row *row, enum figure figure, const struct ab_work *work,
                       struct paired_estimate *out)
{
    const struct paired_settings settings = {policy->margin, policy->level,
                                             e->seed + row->cell * AB_ARMS_MAX + row->arm, 1};
    size_t n = logs_of(e, policy, row->cell, AB_BASE, figure, work->base);
    (void)logs_of(e, policy, row->cell, row->arm, figure, work->arm);
    for (size_t i = 0; i < n; i++) {
        work->ratios[i] = work->arm[i] - work->base[i];
    }
    if (n >= PAIRED_MIN) {
        paired_estimate(work->ratios, n, &settings, work->spare, out);
        out->has_tail = out->has_tail || paired_tails_differ(work->base, work->arm, n, work->spare);
    }
    return n;
}

static void note_count(struct ab_counts *counts, int64_t *seen, int64_t value)
{
    counts->low = counts->states == 0 || value < counts->low ? value : counts->low;
    counts->high = counts->states == 0 || value > counts->high ? value : counts->high;
    for (int64_t i = 0; i < counts->states; i++) {
        if (seen[i] == value) {
            return;
        }
    }
    if (counts->states < STATES_MAX) {
        seen[counts->states++] = value;
    }
}

static struct ab_counts faults_of(const struct ab_experiment *e, const struct ab_policy *policy,
                                  size_t cell, size_t arm)
{
    int64_t seen[STATES_MAX];
    struct ab_counts counts = {0};
    for (size_t block = policy->first; block < end_of(e, policy); block++) {
        const struct ab_sample *s = ab_at(e, block, cell, arm);
        if (ab_is_complete(e, block)) {
            note_count(&counts, seen, s->minor_faults + s->major_faults);
        }
    }
    return counts;
}

enum peak { OF_THE_LOOP, OF_THE_PROCESS, OF_THE_SPAWNER };

static double peak_of(const struct ab_experiment *e, const struct ab_policy *policy, size_t cell,
                      size_t arm, enum peak peak, double *work)
{
    size_t count = 0;
    for (size_t block = policy->first; block < end_of(e, policy); block++) {
        const struct ab_sample *s = ab_at(e, block, cell, arm);
        const int64_t values[] = {s->peak_rss_kib, s->whole_peak_rss_kib, s->spawner_peak_rss_kib};
        if (ab_is_complete(e, block)) {
            work[count++] = (double)values[peak];
        }
    }
    return count > 0 ? median_of(work, count) : 0.0;
}

static void fill_row(const struct ab_experiment *e, const struct ab_policy *policy,
                     const struct ab_work *work, struct ab_row *row)
{
    double calls = (double)e->cells[row->cell].calls, *spare = work->spare;
    row->blocks = estimate(e, policy, row, OF_WHOLE, work, &row->whole);
    (void)estimate(e, policy, row, OF_LOOP, work, &row->loop);
    row->base_ns = row->blocks > 0 ? exp(median_of(work->base, row->blocks)) / calls : 0.0;
    row->arm_ns = row->blocks > 0 ? exp(median_of(work->arm, row->blocks)) / calls : 0.0;
    row->base_faults = faults_of(e, policy, row->cell, AB_BASE);
    row->arm_faults = faults_of(e, policy, row->cell, row->arm);
    row->base_rss_kib = (int64_t)peak_of(e, policy, row->cell, AB_BASE, OF_THE_LOOP, spare);
    row->arm_rss_kib = (int64_t)peak_of(e, policy, row->cell, row->arm, OF_THE_LOOP, spare);
    row->is_floored = peak_of(e, policy, row->cell, row->arm, OF_THE_PROCESS, spare) <
                      FLOOR_RATIO * peak_of(e, policy, row->cell, row->arm, OF_THE_SPAWNER, spare);
}

// Holm within the rows of the base against itself, or within all others.
static void adjust(struct ab_verdicts *v, bool is_aa, double *p, size_t *order)
{
    size_t count = 0;
    for (size_t i = 0; i < v->row_count; i++) {
        if ((v->rows[i].arm == AB_AA) == is_aa) {
            p[count++] = v->rows[i].loop.p;
        }
    }
    holm_adjust(p, count, order);
    for (size_t i = 0, at = 0; i < v->row_count; i++) {
        if ((v->rows[i].arm == AB_AA) == is_aa) {
            v->rows[i].p_adjusted = p[at++];
        }
    }
}

static void decide(const struct ab_policy *policy, struct ab_verdicts *v)
{
    const struct paired_settings settings = {policy->margin, policy->level, 0, 1};
    for (size_t i = 0; i < v->row_count; i++) {
        struct ab_row *row = &v->rows[i];
        struct paired_estimate adjusted = row->loop;
        adjusted.p = row->p_adjusted;
        row->verdict = paired_judge(&adjusted, &settings);
        if (row->arm == AB_AA) {
            v->is_unfit = v->is_unfit || row->p_adjusted < policy->unfit_level;
        } else {
            v->is_slower = v->is_slower || row->verdict == PAIRED_SLOWER;
            v->is_open = v->is_open || row->verdict == PAIRED_INCONCLUSIVE;
        }
    }
}

bool ab_judge(const struct ab_experiment *e, const struct ab_policy *policy,
              const struct ab_work *work, double *p, size_t *order, struct ab_verdicts *out)
{
    struct ab_row *rows = out->rows;
    bool is_enough = true;
    *out = (struct ab_verdicts){.rows = rows};
    for (size_t block = policy->first; block < policy->first + policy->blocks; block++) {
        out->lost_blocks += block >= e->blocks || !ab_is_complete(e, block);
    }
    for (size_t cell = 0; cell < e->cell_count; cell++) {
        for (size_t arm = AB_AA; arm < e->arm_count; arm++) {
            struct ab_row *row = &rows[out->row_count++];
            *row = (struct ab_row){.cell = cell, .arm = arm};
            fill_row(e, policy, work, row);
            is_enough = is_enough && row->blocks >= AB_BLOCKS_MIN;
        }
    }
    adjust(out, true, p, order);
    adjust(out, false, p, order);
    decide(policy, out);
    return is_enough;
}
