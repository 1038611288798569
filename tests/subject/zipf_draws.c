// SPDX-License-Identifier: MIT
// Draws of the kit, and of two well-known formulas that are wrong, for test_zipf.py: counts by
// ranks, judged there. Each line: sampler, exponent, seed, then counts of groups of ranks that the
// first line gives by their ends.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terrain_parts.h"

enum { KEYS = 10000, GROUPS_MAX = 512, DRAWS = 200000, SEEDS = 100 };

static const double exponents[] = {0, 0.3, 0.5, 0.8, 0.99, 1, 1.0000001, 1.2, 2, 3};

static size_t group_ends(uint64_t *ends)
{
    size_t count = 0;
    for (uint64_t end = 1; end < KEYS; end += end < 50 ? 1 : end / 25) {
        ends[count++] = end;
    }
    ends[count++] = KEYS;
    return count;
}

/* Gray et al. 1994, as YCSB has it: ranks from 0. */
struct gray {
    double items, theta, zeta_n, alpha, eta;
};

static struct gray gray_of(double items, double theta, double zeta_n)
{
    double zeta_2 = 1 + pow(0.5, theta);
    return (struct gray){items, theta, zeta_n, 1 / (1 - theta),
                         (1 - pow(2 / items, 1 - theta)) / (1 - zeta_2 / zeta_n)};
}

static uint64_t gray_rank(const struct gray *gray, struct ckbench_random *random)
{
    double u = ckbench_random_unit(random), uz = u * gray->zeta_n;
    if (uz < 1) {
        return 0;
    }
    if (uz < 1 + pow(0.5, gray->theta)) {
        return 1;
    }
    return (uint64_t)(gray->items * pow(gray->eta * u - gray->eta + 1, gray->alpha));
}

static uint64_t fnv(uint64_t value)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (int i = 0; i < 8; i++) {
        hash = (hash ^ (value & 0xff)) * 0x100000001b3;
        value >>= 8;
    }
    return hash;
}

enum sampler { ALIAS, REJECTION, GRAY, SCRAMBLED };
static const char *const names[] = {"alias", "rejection", "gray", "scrambled"};

static uint64_t draw(enum sampler sampler, const struct ckbench_zipf *zipf, const struct gray *gray,
                     struct ckbench_random *random)
{
    if (sampler == GRAY) {
        return gray_rank(gray, random);
    }
    return sampler == SCRAMBLED ? fnv(gray_rank(gray, random)) % KEYS
                                : ckbench_zipf_rank(zipf, random);
}

static int by_count(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? 1 : -(left > right);
}

static void print(enum sampler sampler, double exponent, uint64_t seed, const uint64_t *counts)
{
    uint64_t ends[GROUPS_MAX];
    size_t groups = group_ends(ends);
    printf("%s %.9g %" PRIu64, names[sampler], exponent, seed);
    for (size_t group = 0, rank = 0; group < groups; group++) {
        uint64_t sum = 0;
        for (; rank < ends[group]; rank++) {
            sum += counts[rank];
        }
        printf(" %" PRIu64, sum);
    }
    printf("\n");
}

static void run(enum sampler sampler, double exponent, uint64_t seed)
{
    static uint64_t counts[KEYS + 1];
    struct ckbench_zipf zipf;
    struct ckbench_random random;
    // Rejection is drawn for the same range: its table is taken away.
    if (!ckbench_zipf_start(&zipf, sampler == REJECTION ? KEYS + CKBENCH_ALIAS_MAX : KEYS,
                            exponent)) {
        abort();
    }
    struct gray gray = sampler == SCRAMBLED ? gray_of(1e10, 0.99, 26.46902820178302)
                                            : gray_of(KEYS, exponent, zipf.total);
    ckbench_random_start(&random, seed, 1);
    memset(counts, 0, sizeof counts);
    for (uint64_t i = 0; i < DRAWS;) {
        uint64_t rank = draw(sampler, &zipf, &gray, &random);
        // Of the larger range, the draws that lie in the smaller one have its law.
        if (rank >= KEYS && sampler == REJECTION) {
            continue;
        }
        counts[rank < KEYS ? rank : KEYS]++;
        i++;
    }
    if (sampler == SCRAMBLED) {
        qsort(counts, KEYS, sizeof *counts, by_count);
    }
    ckbench_zipf_end(&zipf);
    print(sampler, exponent, seed, counts);
}

// Every rank is somebody's key, and every key somebody's: no bit is set twice.
static int check_scatter(uint64_t keys, uint64_t seed)
{
    struct ckbench_scatter scatter;
    unsigned char *seen = calloc(keys, 1);
    int fault = seen == NULL;
    ckbench_scatter_start(&scatter, keys, seed);
    for (uint64_t rank = 0; fault == 0 && rank < keys; rank++) {
        uint64_t key = ckbench_scatter(&scatter, rank);
        fault = key >= keys || seen[key]++ != 0;
    }
    free(seen);
    return fault;
}

// A rank can come if its own slot keeps something, or if another one gives something to it.
static int check_reach(double exponent)
{
    struct ckbench_zipf zipf;
    int fault = !ckbench_zipf_start(&zipf, CKBENCH_ALIAS_MAX, exponent);
    unsigned char *can = calloc(CKBENCH_ALIAS_MAX, 1);
    for (size_t slot = 0; fault == 0 && slot < CKBENCH_ALIAS_MAX; slot++) {
        can[slot] |= zipf.alias[slot].keep > 0;
        can[zipf.alias[slot].other] |= zipf.alias[slot].keep < UINT32_MAX;
    }
    for (size_t rank = 0; fault == 0 && rank < CKBENCH_ALIAS_MAX; rank++) {
        fault = !can[rank];
    }
    free(can);
    ckbench_zipf_end(&zipf);
    return fault;
}

int main(void)
{
    static const uint64_t ranges[] = {1, 2, 3, 7, 100, 1023, 1024, 1025, 10000, 65537, 1 << 20};
    uint64_t ends[GROUPS_MAX];
    size_t groups = group_ends(ends);
    printf("ends");
    for (size_t i = 0; i < groups; i++) {
        printf(" %" PRIu64, ends[i]);
    }
    printf("\n");
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            run(ALIAS, exponents[e], seed);
        }
    }
    for (uint64_t seed = 1; seed <= 10; seed++) {
        run(REJECTION, 0.99, seed);
        run(REJECTION, 1, seed);
        run(REJECTION, 1.2, seed);
        run(REJECTION, 3, seed);
        run(GRAY, 0.99, seed);
        run(SCRAMBLED, 0.99, seed);
    }
    int faults = 0;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        faults += check_scatter(ranges[i], 1) + check_scatter(ranges[i], 77);
    }
    faults += check_reach(0) + check_reach(0.99) + check_reach(1) + check_reach(1.2);
    printf("faults %d\n", faults);
    return 0;
}
