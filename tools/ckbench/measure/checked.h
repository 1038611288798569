// SPDX-License-Identifier: MIT
// Sums of counts that say when they no longer fit, and products that always do. Layer: measure.
#ifndef CKBENCH_CHECKED_H
#define CKBENCH_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 checked_wide;
__extension__ typedef __int128 checked_signed;

static inline bool checked_add(uint64_t *sum, uint64_t value)
{
    return !__builtin_add_overflow(*sum, value, sum);
}

static inline checked_wide checked_product(uint64_t a, uint64_t b)
{
    return (checked_wide)a * b;
}

// Makes room for one more item of `size` bytes in a growing array. NULL: no memory, and `items`
// is still valid.
static inline void *checked_room(void *items, size_t count, size_t *cap, size_t size)
{
    if (count < *cap) {
        return items;
    }
    size_t fresh = *cap == 0 ? 32 : *cap * 2;
    if (fresh < *cap || fresh > SIZE_MAX / size) {
        return NULL;
    }
    void *grown = realloc(items, fresh * size);
    if (grown != NULL) {
        *cap = fresh;
    }
    return grown;
}

#endif
