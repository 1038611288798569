// SPDX-License-Identifier: MIT
// The certificate of the draws: how often each group of ranks came, against what Zipf's law says,
// by Pearson's chi-square over groups that expect at least 20. Ranks are grouped like times.
#include "terrain_parts.h"

#include <math.h>

enum { EXPECTED_LEAST = 20 };

const uint64_t ckbench_zipf_top[4] = {1, 10, 100, 1000};

void ckbench_zipf_note(struct ckbench_zipf_books *books, uint64_t rank, uint64_t times)
{
    books->draws += times;
    books->cells[ckbench_cell(rank)] += times;
    for (size_t i = 0; i < 4; i++) {
        books->top[i] += rank < ckbench_zipf_top[i] ? times : 0;
    }
}

// The upper regularised incomplete gamma function, by its series or its continued fraction.
static double ckbench_gamma_above(double a, double x)
{
    double head = exp(-x + a * log(x) - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; term > sum * 1e-15; n++) {
            term *= x / (a + n);
            sum += term;
        }
        return 1 - sum * head;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int i = 1; i < 100000; i++) {
        double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-14) {
            break;
        }
    }
    return head * h;
}

double ckbench_chi2_p(double chi2, double freedom)
{
    return chi2 <= 0 ? 1 : ckbench_gamma_above(freedom / 2, chi2 / 2);
}

struct ckbench_certificate ckbench_zipf_judge(const struct ckbench_zipf *zipf,
                                              const struct ckbench_zipf_books *books)
{
    struct ckbench_certificate out = {0, 0, -1};
    double draws = (double)books->draws, below = 0, expected = 0, seen = 0;
    double left = draws;
    uint64_t end = 0;
    for (unsigned cell = 0; cell < CKBENCH_CELLS && end < zipf->keys; cell++) {
        end = ckbench_cell_last(cell) + 1;
        double share = ckbench_zipf_share_below(zipf, end);
        expected += (share - below) * draws;
        left -= (share - below) * draws;
        below = share;
        seen += (double)books->cells[cell];
        // What is left must be able to stand alone, or it belongs to this group.
        if ((expected >= EXPECTED_LEAST && left >= EXPECTED_LEAST) || end >= zipf->keys) {
            if (expected > 0) {
                out.chi2 += (seen - expected) * (seen - expected) / expected;
                out.groups++;
            }
            expected = seen = 0;
        }
    }
    if (out.groups > 1) {
        out.p = ckbench_chi2_p(out.chi2, (double)(out.groups - 1));
    }
    return out;
}
