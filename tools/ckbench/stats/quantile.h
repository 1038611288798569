// SPDX-License-Identifier: MIT
// Distributions: their shares and the points at given shares. Layer: stats.
#ifndef CKBENCH_QUANTILE_H
#define CKBENCH_QUANTILE_H

// Share of the standard normal distribution below `z`, and the point with the share `p` below it,
// 0 < p < 1.
double normal_share(double z);
double normal_point(double p);

// The same of Student's t with `df` degrees of freedom, df > 0.
double student_share(double t, double df);
double student_point(double p, double df);

#endif
