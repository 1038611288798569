// SPDX-License-Identifier: MIT
// The median is a measured value, never a mean of two: a figure that was not seen is not shown.
#include "stats/median.h"

static size_t rank(const int64_t *values, size_t count, size_t of)
{
    size_t below = 0;
    for (size_t i = 0; i < count; i++) {
        below += values[i] < values[of] || (values[i] == values[of] && i < of);
    }
    return below;
}

size_t median_index(const int64_t *values, size_t count)
{
    size_t wanted = (count - 1) / 2;
    size_t i = 0;
    while (rank(values, count, i) != wanted) {
        i++;
    }
    return i;
}
