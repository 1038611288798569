// SPDX-License-Identifier: MIT
// Each square has a generator of its own, seeded by what it is for, so that any block's order can
// be computed again without those before it.
#include "stats/ab_order.h"

enum { OF_CELLS = -1 };

uint64_t order_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15U;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

// Below `bound`, each equally likely.
static size_t below(uint64_t *state, size_t bound)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound, drawn;
    do {
        drawn = order_random(state);
    } while (drawn >= limit);
    return (size_t)(drawn % bound);
}

void order_shuffle(uint64_t *state, size_t count, size_t *out)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = below(state, i + 1);
        out[i] = out[at];
        out[at] = i;
    }
}

static uint64_t state_of(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t state = seed;
    state = order_random(&state) ^ a;
    state = order_random(&state) ^ b;
    return order_random(&state);
}

// 0, 1, n - 1, 2, n - 2, ...: neighbours differ by each amount once.
static size_t zigzag(size_t i, size_t n)
{
    return i % 2 == 1 ? (i + 1) / 2 : (n - i / 2) % n;
}

void order_of_block(uint64_t seed, size_t cell, size_t block, size_t arms, size_t *out)
{
    size_t names[ORDER_ITEMS_MAX], rows[ORDER_ITEMS_MAX];
    uint64_t state = state_of(seed, cell, block / arms);
    order_shuffle(&state, arms, names);
    order_shuffle(&state, arms, rows);
    for (size_t i = 0; i < arms; i++) {
        out[i] = names[(zigzag(i, arms) + rows[block % arms]) % arms];
    }
}

void order_of_cells(uint64_t seed, size_t block, size_t cells, size_t *out)
{
    uint64_t state = state_of(seed, (uint64_t)OF_CELLS, block);
    order_shuffle(&state, cells, out);
}
