// SPDX-License-Identifier: MIT
#include "stats/bands.h"

#include <math.h>
#include <stdlib.h>

#include "stats/quantile.h"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
    return n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2.0;
}

double nearest_rank(const double *sorted, size_t n, double p)
{
    size_t rank = (size_t)ceil(p * (double)n);
    return sorted[rank > 0 ? rank - 1 : 0];
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum / (double)n;
}

// Of the mean.
static double variance_of(const double *values, size_t n)
{
    double mean = mean_of(values, n), sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (values[i] - mean) * (values[i] - mean);
    }
    return sum / (double)(n - 1) / (double)n;
}

static struct band around(double middle, double variance, double df, double level)
{
    double reach = variance > 0.0 ? student_point(1.0 - level / 2.0, df) * sqrt(variance) : 0.0;
    return (struct band){middle, middle - reach, middle + reach, df};
}

struct band band_of(const double *runs, size_t n, double level)
{
    return around(mean_of(runs, n), variance_of(runs, n), (double)(n - 1), level);
}

struct band band_welch(const double *a, size_t a_count, const double *b, size_t b_count,
                       double level)
{
    double va = variance_of(a, a_count), vb = variance_of(b, b_count), sum = va + vb;
    double df =
        sum > 0.0 ? sum * sum / (va * va / (double)(a_count - 1) + vb * vb / (double)(b_count - 1))
                  : (double)(a_count + b_count - 2);
    return around(mean_of(b, b_count) - mean_of(a, a_count), sum, df, level);
}
