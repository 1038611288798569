// SPDX-License-Identifier: MIT
// Student's t by the regularised incomplete beta function, whose continued fraction (Numerical
// Recipes 6.4, by Lentz's method) converges in some tens of steps; points by bisection, which needs
// nothing but the share to be monotone.
#include "stats/quantile.h"

#include <math.h>

enum { FRACTION_STEPS = 300, BISECTIONS = 200 };

static const double TINY = 1e-300, CLOSE = 1e-15;

double normal_share(double z)
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

static double not_zero(double value)
{
    return fabs(value) < TINY ? TINY : value;
}

static double beta_fraction(double x, double a, double b)
{
    double c = 1.0, d = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0)), value = d;
    for (int m = 1; m <= FRACTION_STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / not_zero(1.0 + even * d);
        c = not_zero(1.0 + even / c);
        value *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / not_zero(1.0 + odd * d);
        c = not_zero(1.0 + odd / c);
        value *= d * c;
        if (fabs(d * c - 1.0) < CLOSE) {
            break;
        }
    }
    return value;
}

static double beta_share(double x, double a, double b)
{
    if (x <= 0.0 || x >= 1.0) {
        return x <= 0.0 ? 0.0 : 1.0;
    }
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1.0) / (a + b + 2.0) ? front * beta_fraction(x, a, b) / a
                                         : 1.0 - front * beta_fraction(1.0 - x, b, a) / b;
}

double student_share(double t, double df)
{
    double tail = 0.5 * beta_share(df / (df + t * t), 0.5 * df, 0.5);
    return t > 0.0 ? 1.0 - tail : tail;
}

static double bisect(double (*share)(double point, double df), double p, double df)
{
    double low = -1.0, high = 1.0;
    while (share(low, df) > p) {
        low *= 2.0;
    }
    while (share(high, df) < p) {
        high *= 2.0;
    }
    for (int i = 0; i < BISECTIONS && low < high; i++) {
        double middle = low + (high - low) / 2.0;
        if (share(middle, df) < p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low + (high - low) / 2.0;
}

static double normal_share_of(double z, double df)
{
    (void)df;
    return normal_share(z);
}

double normal_point(double p)
{
    return bisect(normal_share_of, p, 0.0);
}

double student_point(double p, double df)
{
    return bisect(student_share, p, df);
}
