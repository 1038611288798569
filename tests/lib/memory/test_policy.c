// SPDX-License-Identifier: MIT
// What the two policies are for, on traces whose miss ratios are known from libCacheSim (20,000
// objects of one size, Zipf 0.99): where each wins, and that all structures hold meanwhile.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory.h"

enum { OBJECTS = 20000, REQUESTS = 300000, SHIFT_EVERY = 30000, VALID_EVERY = 20000 };

static struct cki_memory memory;
static int64_t now;
static double sums[OBJECTS];
static uint64_t state;

static int64_t now_ns(void *context)
{
    (void)context;
    return now;
}

static double draw(void)
{
    state += 0x9e3779b97f4a7c15U;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static uint32_t zipf(void)
{
    double at = draw() * sums[OBJECTS - 1];
    uint32_t low = 0, high = OBJECTS - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (sums[middle] < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

enum trace { STEADY, SCANNED, SHIFTING, LOOP };

static uint32_t next_of(enum trace trace, int i)
{
    static uint32_t scan;
    if (trace == LOOP) {
        return (uint32_t)i % 6000;
    }
    uint32_t object = zipf();
    if (trace == SCANNED && i % 5 == 0) {
        return OBJECTS + scan++; // never asked for again
    }
    uint32_t epoch = trace == SHIFTING ? (uint32_t)(i / SHIFT_EVERY) : 0;
    return (object * (1 + 2 * 5 * epoch) + 7777 * epoch) % OBJECTS; // another order of them all
}

static bool request(uint32_t object)
{
    struct cki_key key = {(object + 1) * 0x9e3779b97f4a7c15U, CKI_KEY_BYTES, sizeof object,
                          (const uint8_t *)&object};
    struct cki_grip grip = {NULL, NULL};
    struct cki_entry *entry = cki_memory_find(&memory, &key, &grip);
    if (entry != NULL) {
        cki_memory_unhold(&memory, entry);
        return true;
    }
    const struct cki_store store = {cki_entry_new(NULL, &key), CKI_FOREVER, CKI_FOREVER, 0, NULL};
    cr_assert(cki_memory_put(&memory, &store, NULL) == CKI_STORED);
    return false;
}

static double miss_ratio(enum trace trace, enum cki_policy policy, uint32_t entries)
{
    static const cachekit_clock clock = {now_ns, NULL};
    const struct cki_memory_options options = {
        .clock = &clock, .budget_bytes = SIZE_MAX, .entries_max = entries, .policy = policy};
    int misses = 0;
    state = 1;
    for (int i = 0; i < OBJECTS; i++) {
        sums[i] = (i > 0 ? sums[i - 1] : 0) + 1 / pow(i + 1, 0.99);
    }
    cr_assert(cki_memory_init(&memory, &options) == CACHEKIT_OK);
    for (int i = 0; i < REQUESTS; i++) {
        now++;
        misses += !request(next_of(trace, i));
        cr_assert(i % VALID_EVERY != 0 || cki_memory_is_valid(&memory));
    }
    cr_assert(memory.count == entries && cki_memory_release(&memory));
    return (double)misses / REQUESTS;
}

Test(policy, s3_fifo_misses_less_under_steady_popularity_scans_and_loops)
{
    static const struct {
        enum trace trace;
        uint32_t entries;
        double lru, most; // LRU's ratio in libCacheSim; S3-FIFO's may be this part of ours
    } rows[] = {
        {STEADY, 200, 0.585, 0.90},   {STEADY, 1000, 0.401, 0.90}, {STEADY, 10000, 0.107, 1.01},
        {SCANNED, 1000, 0.527, 0.95}, {LOOP, 4000, 1.0, 0.80},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double lru = miss_ratio(rows[i].trace, CKI_LRU, rows[i].entries);
        double s3 = miss_ratio(rows[i].trace, CKI_S3_FIFO, rows[i].entries);
        fprintf(stderr, "trace %d, %u entries: LRU %.3f, S3-FIFO %.3f\n", (int)rows[i].trace,
                rows[i].entries, lru, s3);
        if (rows[i].trace == STEADY) {
            cr_assert(fabs(lru - rows[i].lru) < 0.05, "LRU misses %.3f", lru);
        }
        cr_assert(s3 < lru * rows[i].most);
    }
}

Test(policy, lru_misses_less_where_popularity_moves_and_much_fits)
{
    double lru = miss_ratio(SHIFTING, CKI_LRU, 4000);
    double s3 = miss_ratio(SHIFTING, CKI_S3_FIFO, 4000);
    fprintf(stderr, "shifting: LRU %.3f, S3-FIFO %.3f\n", lru, s3);
    cr_assert(lru < s3);
}
