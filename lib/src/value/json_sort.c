// SPDX-License-Identifier: MIT
// Objects are small or already in order, mostly: insertion is best there. Heapsort bounds the
// rest. Neither takes memory nor the C library's qsort(), which may call malloc.
#include "value/json_sort.h"

#include <stdbool.h>
#include <string.h>

enum { INSERTION_MAX = 64 };

// The pair's number breaks ties, so no two pairs are equal and any sort is stable.
static bool is_before(const cachekit_value *items, uint32_t a, uint32_t b)
{
    const cachekit_value *x = &items[2 * (size_t)a];
    const cachekit_value *y = &items[2 * (size_t)b];
    uint32_t len = x->len < y->len ? x->len : y->len;
    int order = len > 0 ? memcmp(x->as.text, y->as.text, len) : 0;
    if (order != 0) {
        return order < 0;
    }
    return x->len != y->len ? x->len < y->len : a < b;
}

// Looks for the place by halving, since a comparison costs more than moving a few numbers.
static void insert(const cachekit_value *items, uint32_t *order, uint32_t at)
{
    uint32_t moved = order[at];
    uint32_t low = 0;
    uint32_t high = at;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (is_before(items, moved, order[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    memmove(order + low + 1, order + low, (at - low) * sizeof order[0]);
    order[low] = moved;
}

static void insert_all(const cachekit_value *items, uint32_t pairs, uint32_t *order)
{
    for (uint32_t i = 1; i < pairs; i++) {
        if (is_before(items, order[i], order[i - 1])) {
            insert(items, order, i);
        }
    }
}

// Lets the pair at `at` sink until both below it come before it.
static void sink(const cachekit_value *items, uint32_t *order, uint32_t at, uint32_t count)
{
    uint32_t moved = order[at];
    for (;;) {
        uint64_t below = 2 * (uint64_t)at + 1;
        if (below >= count) {
            break;
        }
        if (below + 1 < count && is_before(items, order[below], order[below + 1])) {
            below++;
        }
        if (!is_before(items, moved, order[below])) {
            break;
        }
        order[at] = order[below];
        at = (uint32_t)below;
    }
    order[at] = moved;
}

static void heapsort(const cachekit_value *items, uint32_t pairs, uint32_t *order)
{
    for (uint32_t i = pairs / 2; i-- > 0;) {
        sink(items, order, i, pairs);
    }
    for (uint32_t count = pairs - 1; count > 0; count--) {
        uint32_t last = order[count];
        order[count] = order[0];
        order[0] = last;
        sink(items, order, 0, count);
    }
}

void cki_json_sort(const cachekit_value *items, uint32_t pairs, uint32_t *order)
{
    for (uint32_t i = 0; i < pairs; i++) {
        order[i] = i;
    }
    if (pairs <= INSERTION_MAX) {
        insert_all(items, pairs, order);
    } else {
        heapsort(items, pairs, order);
    }
}
