// SPDX-License-Identifier: MIT
#include "stats/paired.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/quantile.h"

static const double TRIMMED = 0.2, POWER = 0.8, BOUNDARY = 2.053, TAIL_LEVEL = 0.01;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum / (double)n;
}

static double deviation_of(const double *values, size_t n)
{
    double mean = mean_of(values, n), sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (values[i] - mean) * (values[i] - mean);
    }
    return sqrt(sum / (double)(n - 1));
}

static size_t cut_of(size_t n)
{
    return (size_t)(TRIMMED * (double)n);
}

// Sorts `values`.
static double trimmed_mean(double *values, size_t n)
{
    size_t cut = cut_of(n);
    qsort(values, n, sizeof *values, compare);
    return mean_of(values + cut, n - 2 * cut);
}

// SplitMix64 (Steele, Lea and Flood 2014).
static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15U;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

static double flip_share(const double *values, size_t n, const struct paired_settings *s,
                         double effect, double *work)
{
    uint64_t state = s->seed;
    size_t as_far = 0;
    for (int flip = 0; flip < PAIRED_FLIPS; flip++) {
        double sign = 1.0;
        for (size_t i = 0; i < n; i++) {
            if (i % s->flip_size == 0) {
                sign = next_random(&state) >> 63 != 0 ? 1.0 : -1.0;
            }
            work[i] = sign * values[i];
        }
        // Rounding must not tell a relabelling apart that changed nothing.
        as_far += fabs(trimmed_mean(work, n)) >= fabs(effect) * (1.0 - 1e-12);
    }
    return (double)(1 + as_far) / (double)(1 + PAIRED_FLIPS);
}

double paired_least_p(size_t n)
{
    double least = pow(2.0, 1.0 + (double)cut_of(n) - (double)n);
    double seen = 1.0 / (double)(1 + PAIRED_FLIPS);
    return least > seen ? least : seen;
}

static void winsorise(double *sorted, size_t n)
{
    size_t cut = cut_of(n);
    for (size_t i = 0; i < cut; i++) {
        sorted[i] = sorted[cut];
        sorted[n - 1 - i] = sorted[n - 1 - cut];
    }
}

void paired_estimate_interval(const double *values, size_t n, const struct paired_settings *s,
                              double *work, struct paired_estimate *out)
{
    size_t cut = cut_of(n);
    memset(out, 0, sizeof *out);
    out->n = n;
    memcpy(work, values, n * sizeof *work);
    out->effect = trimmed_mean(work, n);
    winsorise(work, n);
    out->error = deviation_of(work, n) / ((1.0 - 2.0 * (double)cut / (double)n) * sqrt((double)n));
    out->df = (double)(n - 2 * cut - 1);
    double reach = student_point(1.0 - s->level / 2.0, out->df);
    double narrow = student_point(0.95, out->df);
    out->low = out->effect - reach * out->error;
    out->high = out->effect + reach * out->error;
    out->narrow_low = out->effect - narrow * out->error;
    out->narrow_high = out->effect + narrow * out->error;
    out->mean = mean_of(values, n);
    double mean_error = deviation_of(values, n) / sqrt((double)n);
    double mean_reach = student_point(1.0 - s->level / 2.0, (double)(n - 1)) * mean_error;
    out->mean_low = out->mean - mean_reach;
    out->mean_high = out->mean + mean_reach;
    out->has_tail = fabs(out->effect - out->mean) >
                    2.0 * sqrt(out->error * out->error + mean_error * mean_error);
    out->mde = expm1((reach + student_point(POWER, out->df)) * out->error);
    double ratio = (normal_point(1.0 - s->level / 2.0) + normal_point(POWER)) * sqrt((double)n) *
                   out->error / log1p(s->margin);
    out->blocks_needed = ceil(ratio * ratio);
}

void paired_estimate(const double *values, size_t n, const struct paired_settings *s, double *work,
                     struct paired_estimate *out)
{
    paired_estimate_interval(values, n, s, work, out);
    out->p = flip_share(values, n, s, out->effect, work);
}

// Mean and squared error of what lies above the median.
static double excess_of(const double *values, size_t n, double *work, double *error2)
{
    memcpy(work, values, n * sizeof *work);
    qsort(work, n, sizeof *work, compare);
    double middle = n % 2 == 1 ? work[n / 2] : (work[n / 2 - 1] + work[n / 2]) / 2.0;
    for (size_t i = 0; i < n; i++) {
        work[i] = work[i] > middle ? work[i] - middle : 0.0;
    }
    double deviation = deviation_of(work, n);
    *error2 = deviation * deviation / (double)n;
    return mean_of(work, n);
}

bool paired_tails_differ(const double *a, const double *b, size_t n, double *work)
{
    double a_error2, b_error2;
    double gap = excess_of(b, n, work, &b_error2) - excess_of(a, n, work, &a_error2);
    double error = sqrt(a_error2 + b_error2);
    return fabs(gap) > student_point(1.0 - TAIL_LEVEL / 2.0, 2.0 * (double)(n - 1)) * error;
}

enum paired_verdict paired_judge(const struct paired_estimate *e, const struct paired_settings *s)
{
    double margin = log1p(s->margin);
    bool is_apart = (e->low > 0.0 || e->high < 0.0) && e->p < s->level;
    if (is_apart && fabs(e->effect) > margin) {
        return e->effect > 0.0 ? PAIRED_SLOWER : PAIRED_FASTER;
    }
    if (is_apart && e->low > -margin && e->high < margin) {
        return PAIRED_TRIVIAL;
    }
    return e->narrow_low > -margin && e->narrow_high < margin ? PAIRED_SAME : PAIRED_INCONCLUSIVE;
}

const char *paired_verdict_name(enum paired_verdict verdict)
{
    static const char *const names[] = {"faster", "slower", "trivial", "same", "inconclusive"};
    return names[verdict];
}

void holm_adjust(double *p, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && p[order[at - 1]] > p[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        double adjusted = p[order[i]] * (double)(count - i);
        largest = adjusted > largest ? adjusted : largest;
        p[order[i]] = largest < 1.0 ? largest : 1.0;
    }
}

double obrien_fleming_level(unsigned look, unsigned looks)
{
    return 2.0 * (1.0 - normal_share(BOUNDARY * sqrt((double)looks / (double)look)));
}
