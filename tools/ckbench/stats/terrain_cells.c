// SPDX-License-Identifier: MIT
// Cells are found by shifts. Bins of a decade have no such form: their edges are a table, because
// a logarithm misfiles what lies on an edge.
#include "stats/terrain_cells.h"

#include <math.h>

enum { LINEAR = 64, OCTAVE = 32, EXPONENT_MAX = 43, PERMILLE = 1000 };

// ceil(10^(b/16) * 10^8) for b of 0 to 15: edge b of the decade from 10^k on is this, scaled.
static const uint64_t edges[16] = {100000000, 115478199, 133352144, 153992653, 177827942, 205352503,
                                   237137371, 273841964, 316227767, 365174128, 421696504, 486967526,
                                   562341326, 649381632, 749894210, 865964324};

unsigned terrain_cell_of(uint64_t ns)
{
    if (ns < LINEAR) {
        return (unsigned)ns;
    }
    unsigned exponent = 63U - (unsigned)__builtin_clzll(ns);
    if (exponent > EXPONENT_MAX) {
        return TERRAIN_CELLS - 1;
    }
    return OCTAVE * (exponent - 4) + (unsigned)((ns - (UINT64_C(1) << exponent)) >> (exponent - 5));
}

uint64_t terrain_cell_first(unsigned cell)
{
    unsigned exponent = cell / OCTAVE + 4;
    return cell < LINEAR
               ? cell
               : (UINT64_C(1) << exponent) + ((uint64_t)(cell % OCTAVE) << (exponent - 5));
}

uint64_t terrain_cell_last(unsigned cell)
{
    unsigned exponent = cell / OCTAVE + 4;
    return cell < LINEAR ? cell : terrain_cell_first(cell) + (UINT64_C(1) << (exponent - 5)) - 1;
}

unsigned terrain_cell_at(const uint64_t counts[TERRAIN_CELLS], uint64_t rank)
{
    unsigned cell = 0;
    for (uint64_t below = 0; cell < TERRAIN_CELLS; cell++) {
        below += counts[cell];
        if (below >= rank) {
            break;
        }
    }
    return cell;
}

uint64_t terrain_rank(uint64_t n, unsigned permille)
{
    uint64_t rank = n / PERMILLE * permille + (n % PERMILLE * permille + PERMILLE - 1) / PERMILLE;
    return rank > 0 ? rank : 1;
}

// The chance of exactly k of n.
static double chance_of(uint64_t n, double p, uint64_t k)
{
    double a = (double)n, b = (double)k;
    return exp(lgamma(a + 1) - lgamma(b + 1) - lgamma(a - b + 1) + b * log(p) +
               (a - b) * log1p(-p));
}

void terrain_rank_band(uint64_t n, unsigned permille, uint64_t *low, uint64_t *high)
{
    static const double tail = 0.025;
    double p = (double)permille / PERMILLE, below = 0.0, above = 0.0;
    *low = 0;
    *high = 0;
    // The value of rank r lies above the quantile when fewer than r values lie below it.
    for (uint64_t k = 0; k < n && (below += chance_of(n, p, k)) <= tail; k++) {
        *low = k + 1;
    }
    for (uint64_t k = n; k > 0 && (above += chance_of(n, p, k)) <= tail; k--) {
        *high = k;
    }
}

int terrain_bin_of(uint64_t ns)
{
    uint64_t decade = 100;
    for (int bin = -1; decade <= 100000000; decade *= 10, bin += 16) {
        for (int b = 0; b < 16; b++) {
            // ns >= decade * edge, in whole numbers: the edge of the table is rounded up.
            uint64_t scaled = (edges[b] * decade + 99999999) / 100000000;
            if (ns < scaled) {
                return bin + b;
            }
        }
    }
    return ns < 1000000000 ? TERRAIN_BINS - 1 : TERRAIN_BINS;
}

int terrain_bin_of_cell(unsigned cell)
{
    return terrain_bin_of((terrain_cell_first(cell) + terrain_cell_last(cell) + 1) / 2);
}
