// SPDX-License-Identifier: MIT
// Estimates from pairs: points of distributions against published tables, estimates against the
// same formulas in another language, and error rates on streams whose truth is known.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "stats/paired.h"
#include "stats/quantile.h"

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

// Abramowitz and Stegun, tables 26.2 and 26.10.
Test(paired, points_are_those_of_the_tables)
{
    static const struct {
        double p, df, point;
    } rows[] = {
        {0.975, 1, 12.706}, {0.975, 2, 4.303},  {0.975, 4, 2.776},   {0.975, 10, 2.228},
        {0.975, 17, 2.110}, {0.975, 30, 2.042}, {0.975, 120, 1.980}, {0.95, 5, 2.015},
        {0.95, 17, 1.740},  {0.995, 10, 3.169}, {0.9995, 29, 3.659}, {0.8, 10, 0.879},
        {0.75, 1, 1.000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double point = student_point(rows[i].p, rows[i].df);
        cr_assert(near(point, rows[i].point, 0.0006), "row %zu: %f", i, point);
        cr_assert(near(student_share(point, rows[i].df), rows[i].p, 1e-12));
        cr_assert(near(student_point(1.0 - rows[i].p, rows[i].df), -point, 1e-9));
    }
    cr_assert(near(normal_point(0.975), 1.959963985, 1e-8));
    cr_assert(near(normal_point(0.8), 0.841621234, 1e-8));
    cr_assert(near(normal_share(1.0), 0.841344746, 1e-9));
    cr_assert(near(normal_share(-3.0), 0.001349898, 1e-9));
}

static const struct paired_settings settings = {0.01, 0.05, 1, 1};

// By Python's statistics module: trimmed by 4 of 20 at each end, winsorised, 11 degrees of freedom.
Test(paired, an_estimate_is_what_another_program_computes)
{
    static const double values[] = {0.012,  -0.034, 0.051, 0.009,  -0.002, 0.017, 0.300,
                                    -0.011, 0.004,  0.022, -0.150, 0.008,  0.015, -0.006,
                                    0.027,  0.001,  0.019, -0.021, 0.033,  0.010};
    enum { N = sizeof values / sizeof values[0] };
    double work[N];
    struct paired_estimate e;
    paired_estimate(values, N, &settings, work, &e);
    cr_assert(near(e.effect, 0.009083333333333334, 1e-15));
    cr_assert(near(e.error, 0.004178535726628821, 1e-15));
    cr_assert(e.df == 11.0 && e.n == N);
    cr_assert(near(e.mean, 0.0152, 1e-15));
    cr_assert(near(e.mean_high - e.mean, 2.0930240544 * 0.017458311246479348, 1e-9));
    cr_assert(near(e.high - e.effect, 2.2009851601 * 0.004178535726628821, 1e-9));
    cr_assert(near(e.effect - e.narrow_low, 1.7958848187 * 0.004178535726628821, 1e-9));
}

Test(paired, verdicts_follow_the_interval_and_the_margin)
{
    static const struct {
        double effect, error, p;
        enum paired_verdict verdict;
    } rows[] = {
        {-0.05, 0.001, 0.001, PAIRED_FASTER},    {0.05, 0.001, 0.001, PAIRED_SLOWER},
        {0.005, 0.001, 0.001, PAIRED_TRIVIAL},   {0.0001, 0.001, 0.9, PAIRED_SAME},
        {0.05, 0.001, 0.2, PAIRED_INCONCLUSIVE}, {0.02, 0.05, 0.7, PAIRED_INCONCLUSIVE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct paired_estimate e = {.n = 30, .effect = rows[i].effect, .p = rows[i].p};
        e.low = e.effect - 2.1 * rows[i].error;
        e.high = e.effect + 2.1 * rows[i].error;
        e.narrow_low = e.effect - 1.74 * rows[i].error;
        e.narrow_high = e.effect + 1.74 * rows[i].error;
        cr_assert(paired_judge(&e, &settings) == rows[i].verdict, "row %zu", i);
    }
}

// R: p.adjust(c(0.03, 0.01, 0.04, 0.02), "holm").
Test(paired, holm_is_the_published_adjustment)
{
    double p[] = {0.03, 0.01, 0.04, 0.02};
    static const double adjusted[] = {0.06, 0.04, 0.06, 0.06};
    size_t order[4];
    holm_adjust(p, 4, order);
    for (size_t i = 0; i < 4; i++) {
        cr_assert(near(p[i], adjusted[i], 1e-15), "%zu: %f", i, p[i]);
    }
    double large[] = {0.9, 0.8};
    holm_adjust(large, 2, order);
    cr_assert(large[0] == 1.0 && large[1] == 1.0);
}

// O'Brien and Fleming (1979) by Jennison and Turnbull's constant for six looks.
Test(paired, early_looks_are_hard_to_pass)
{
    cr_assert(near(obrien_fleming_level(6, 6), 0.0401, 0.0002));
    cr_assert(obrien_fleming_level(1, 6) < 1e-6);
    for (unsigned look = 2; look <= 6; look++) {
        cr_assert(obrien_fleming_level(look, 6) > obrien_fleming_level(look - 1, 6));
    }
}

static uint64_t stream = 7;

static double uniform(void)
{
    stream = stream * 6364136223846793005U + 1442695040888963407U;
    return ((double)(stream >> 11) + 0.5) * 0x1p-53;
}

// Student's t with three degrees of freedom: tails as process times have them.
static double heavy(void)
{
    double sum = 0.0, z[4];
    for (int i = 0; i < 4; i += 2) {
        double r = sqrt(-2.0 * log(uniform())), angle = 2.0 * 3.14159265358979323846 * uniform();
        z[i] = r * cos(angle);
        z[i + 1] = r * sin(angle);
    }
    for (int i = 1; i < 4; i++) {
        sum += z[i] * z[i];
    }
    return z[0] / sqrt(sum / 3.0);
}

enum { EXPERIMENTS = 80, BLOCKS = 30 };

// How often the interval of 30 pairs with 2 % of noise misses the truth, and how often p says so.
static void run(double effect, int *missed, int *found)
{
    double values[BLOCKS], work[BLOCKS];
    struct paired_estimate e;
    *missed = *found = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
        for (int block = 0; block < BLOCKS; block++) {
            values[block] = effect + 0.02 * heavy();
        }
        paired_estimate(values, BLOCKS, &settings, work, &e);
        *missed += e.low > effect || e.high < effect;
        *found += e.p < 0.05;
    }
}

Test(paired, on_heavy_tails_the_error_rate_is_the_nominal_one_and_effects_are_found)
{
    int missed, found;
    run(0.0, &missed, &found);
    // 80 experiments at 5 %: 4, with a standard deviation of 1.9.
    cr_assert(missed <= 11, "%d", missed);
    cr_assert(found <= 11, "%d", found);
    run(0.05, &missed, &found);
    cr_assert(missed <= 11 && found >= 75, "%d, %d", missed, found);
}

Test(paired, a_minority_of_slow_runs_is_told)
{
    double values[BLOCKS], work[BLOCKS];
    struct paired_estimate e;
    for (int block = 0; block < BLOCKS; block++) {
        values[block] = 0.001 * (block % 3 - 1) + (block % 8 == 0 ? 0.4 : 0.0);
    }
    paired_estimate(values, BLOCKS, &settings, work, &e);
    cr_assert(fabs(e.effect) < 0.002 && e.mean > 0.04);
    cr_assert(e.has_tail || e.mean_low < 0.0);
}
