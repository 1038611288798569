// SPDX-License-Identifier: MIT
// Ranks by Zipf's law, exactly, for exponents from 0 to 3, 1 included. Up to 2^20 keys: an alias
// table (Walker 1977, built as Vose 1991). Above: rejection-inversion (Hormann and Derflinger
// 1996), with its integrals written by expm1 and log1p so that nothing is special near exponent 1.
#include "terrain_parts.h"

#include <math.h>
#include <stdlib.h>

enum { ONE_BY_ONE = 4096 };

// (exp(x) - 1) / x and log(1 + x) / x, both 1 at 0.
static double ckbench_expm1_over(double x)
{
    return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

static double ckbench_log1p_over(double x)
{
    return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

// The integral of t^-exponent from 1 to x, and its inverse.
static double ckbench_zipf_area(const struct ckbench_zipf *zipf, double x)
{
    double log_x = log(x);
    return ckbench_expm1_over((1 - zipf->exponent) * log_x) * log_x;
}

static double ckbench_zipf_area_inverse(const struct ckbench_zipf *zipf, double area)
{
    double scaled = area * (1 - zipf->exponent);
    return exp(ckbench_log1p_over(scaled > -1 ? scaled : -1) * area);
}

// The sum of k^-exponent for k from `first` to `last`: one by one where terms differ much, then by
// Euler and Maclaurin, whose next term is below 1e-16 of the sum.
static double ckbench_zipf_sum(const struct ckbench_zipf *zipf, uint64_t first, uint64_t last)
{
    double s = zipf->exponent, sum = 0;
    uint64_t apart = last < ONE_BY_ONE ? last : ONE_BY_ONE;
    for (uint64_t k = apart; k >= first && k > 0; k--) {
        sum += pow((double)k, -s);
    }
    if (last <= ONE_BY_ONE) {
        return sum;
    }
    double a = (double)(first > ONE_BY_ONE ? first : ONE_BY_ONE + 1), b = (double)last;
    double ratio = log1p((b - a) / a);
    double area = pow(a, 1 - s) * ckbench_expm1_over((1 - s) * ratio) * ratio;
    double ends = (pow(a, -s) + pow(b, -s)) / 2;
    double slopes = s * (pow(a, -s - 1) - pow(b, -s - 1)) / 12;
    return sum + area + ends + slopes;
}

double ckbench_zipf_share_below(const struct ckbench_zipf *zipf, uint64_t rank)
{
    rank = rank < zipf->keys ? rank : zipf->keys;
    return rank == 0 ? 0 : ckbench_zipf_sum(zipf, 1, rank) / zipf->total;
}

// Slots that hold less than their share are filled up by one that holds more.
static bool ckbench_alias_fill(struct ckbench_zipf *zipf)
{
    size_t n = (size_t)zipf->keys, low = 0, high = n;
    double *weight = malloc(n * sizeof *weight);
    uint32_t *order = malloc(n * sizeof *order);
    zipf->alias = malloc(n * sizeof *zipf->alias);
    if (weight == NULL || order == NULL || zipf->alias == NULL) {
        free(weight);
        free(order);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        weight[i] = pow((double)(i + 1), -zipf->exponent) / zipf->total * (double)n;
        order[weight[i] < 1 ? low++ : --high] = (uint32_t)i;
        zipf->alias[i] = (struct ckbench_alias){UINT32_MAX, (uint32_t)i};
    }
    for (size_t small = 0; small < low && high < n; small++) {
        uint32_t poor = order[small], rich = order[high];
        // Upwards: what is very rare must not become impossible.
        zipf->alias[poor].keep = (uint32_t)fmin(ceil(weight[poor] * 0x1p32), UINT32_MAX);
        zipf->alias[poor].other = rich;
        weight[rich] -= 1 - weight[poor];
        if (weight[rich] < 1) {
            // The place is free: `low` is at most `high`.
            order[low++] = rich;
            high++;
        }
    }
    free(weight);
    free(order);
    return true;
}

bool ckbench_zipf_start(struct ckbench_zipf *zipf, uint64_t keys, double exponent)
{
    *zipf = (struct ckbench_zipf){.keys = keys, .exponent = exponent};
    zipf->total = ckbench_zipf_sum(zipf, 1, keys);
    if (keys <= CKBENCH_ALIAS_MAX) {
        return ckbench_alias_fill(zipf);
    }
    zipf->area_first = ckbench_zipf_area(zipf, 1.5) - 1;
    zipf->area_last = ckbench_zipf_area(zipf, (double)keys + 0.5);
    zipf->squeeze =
        2 - ckbench_zipf_area_inverse(zipf, ckbench_zipf_area(zipf, 2.5) - pow(2, -exponent));
    return true;
}

void ckbench_zipf_end(struct ckbench_zipf *zipf)
{
    free(zipf->alias);
    zipf->alias = NULL;
}

uint64_t ckbench_zipf_reject(const struct ckbench_zipf *zipf, struct ckbench_random *random)
{
    for (;;) {
        double area =
            zipf->area_last + ckbench_random_unit(random) * (zipf->area_first - zipf->area_last);
        double x = ckbench_zipf_area_inverse(zipf, area);
        double k = floor(x + 0.5);
        k = k < 1 ? 1 : k > (double)zipf->keys ? (double)zipf->keys : k;
        if (k - x <= zipf->squeeze ||
            area >= ckbench_zipf_area(zipf, k + 0.5) - exp(-zipf->exponent * log(k))) {
            return (uint64_t)k - 1;
        }
    }
}

void ckbench_scatter_start(struct ckbench_scatter *scatter, uint64_t keys, uint64_t seed)
{
    unsigned bits = keys > 1 ? 64 - (unsigned)__builtin_clzll(keys - 1) : 1;
    *scatter = (struct ckbench_scatter){keys, (bits + 1) / 2, ckbench_mix(seed ^ 0x5ca77e12)};
}

// Four rounds of a balanced Feistel network over the next even number of bits; what falls outside
// of the range goes through again, which ends because the network is a permutation.
uint64_t ckbench_scatter(const struct ckbench_scatter *scatter, uint64_t rank)
{
    uint64_t mask = (UINT64_C(1) << scatter->half_bits) - 1;
    do {
        uint64_t left = rank >> scatter->half_bits, right = rank & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (ckbench_mix(right + scatter->seed + (round << 40)) & mask);
            left = right;
            right = next;
        }
        rank = left << scatter->half_bits | right;
    } while (rank >= scatter->keys);
    return rank;
}
