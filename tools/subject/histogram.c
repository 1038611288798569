// SPDX-License-Identifier: MIT
// Times of a whole recording: base-2 cells, and every time itself: below 65,536 ns as a count for
// each ns, so that a fast layer needs no memory that grows, above one by one up to 2^24, in four
// bytes each. A quantile finds its cell first, so that only what lies in that cell is sorted.
#include "terrain_parts.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES_MAX = 1 << 24, SAMPLES_FIRST = 4096 };

const char *const ckbench_time_names[CKBENCH_TIMES] = {"service", "wait", "response"};

uint64_t ckbench_cell_last(unsigned cell)
{
    if (cell < 64) {
        return cell;
    }
    unsigned shift = cell / 32 - 1;
    return ((UINT64_C(33) + cell % 32) << shift) - 1;
}

bool ckbench_raw_open(struct ckbench_raw *raw)
{
    raw->small = calloc(CKBENCH_SMALL, sizeof *raw->small);
    raw->values = malloc(SAMPLES_FIRST * sizeof *raw->values);
    raw->room = SAMPLES_FIRST;
    return raw->small != NULL && raw->values != NULL;
}

uint32_t *ckbench_raw_room(struct ckbench_raw *raw, size_t count)
{
    size_t room = raw->room;
    while (room < raw->count + count) {
        room *= 2;
    }
    if (room > raw->room) {
        uint32_t *values = realloc(raw->values, room * sizeof *values);
        if (values == NULL) {
            raw->is_full = true;
            raw->count = 0; // they serve no more, what comes goes over them
            return raw->values;
        }
        raw->values = values;
        raw->room = room;
    }
    return raw->values + raw->count;
}

void ckbench_raw_kept(struct ckbench_raw *raw, size_t count)
{
    raw->count += count;
    if (raw->count + raw->large_count > SAMPLES_MAX) {
        raw->is_full = true;
    }
    raw->count = raw->is_full ? 0 : raw->count;
}

void ckbench_raw_large(struct ckbench_raw *raw, uint64_t ns)
{
    if (raw->large_count == raw->large_room) {
        size_t room = raw->large_room != 0 ? 2 * raw->large_room : SAMPLES_FIRST;
        uint64_t *large = !raw->is_full ? realloc(raw->large, room * sizeof *large) : NULL;
        if (large == NULL) {
            raw->is_full = true;
            return;
        }
        raw->large = large;
        raw->large_room = room;
    }
    raw->large[raw->large_count++] = ns;
}

void ckbench_raw_free(struct ckbench_raw *raw)
{
    free(raw->small);
    free(raw->values);
    free(raw->large);
}

bool ckbench_raw_is_whole(const struct ckbench_raw *raw)
{
    return !raw->is_full;
}

static int ckbench_by_size(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

// The samples of one cell, sorted.
static uint64_t *ckbench_raw_gather(const struct ckbench_raw *raw, unsigned cell)
{
    uint64_t *found = malloc((size_t)raw->cells[cell] * sizeof *found);
    size_t count = 0;
    if (found == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < raw->count; i++) {
        if (ckbench_cell(raw->values[i]) == cell) {
            found[count++] = raw->values[i];
        }
    }
    for (size_t i = 0; i < raw->large_count; i++) {
        if (ckbench_cell(raw->large[i]) == cell) {
            found[count++] = raw->large[i];
        }
    }
    qsort(found, count, sizeof *found, ckbench_by_size);
    return found;
}

uint64_t ckbench_raw_quantile(const struct ckbench_raw *raw, double quantile)
{
    // Nearest rank: the smallest value that at least that share of the values does not exceed.
    uint64_t rank = (uint64_t)(quantile * (double)raw->n);
    rank += (double)rank < quantile * (double)raw->n;
    rank = rank > 0 ? rank : 1;
    unsigned cell = 0;
    uint64_t below = 0;
    while (cell < CKBENCH_CELLS - 1 && below + raw->cells[cell] < rank) {
        below += raw->cells[cell++];
    }
    uint64_t last = ckbench_cell_last(cell);
    uint64_t out = last < raw->max ? last : raw->max;
    if (last < CKBENCH_SMALL) {
        for (out = cell == 0 ? 0 : ckbench_cell_last(cell - 1) + 1;
             below + raw->small[out] < rank;) {
            below += raw->small[out++];
        }
        return out;
    }
    uint64_t *found = raw->is_full ? NULL : ckbench_raw_gather(raw, cell);
    if (found != NULL) {
        out = found[rank - below - 1];
        free(found);
    }
    return out;
}
