// SPDX-License-Identifier: MIT
// Heap layouts: a number decides which objects lie in the heap before a path sets up and where
// the holes between them are. Holes matter more than objects: freed neighbours change how malloc
// searches, held ones only move addresses.
#include "kit.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECTS_MIN = 256, OBJECTS_SPREAD = 768, SIZE_MIN = 16, SIZE_DOUBLINGS = 7 };

// Held for the life of the process, and where leak checkers see them.
static void *ckbench_held[OBJECTS_MIN + OBJECTS_SPREAD];

static uint64_t ckbench_layout_next(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
}

// Between 16 and 2,063 bytes, small ones more often.
static size_t ckbench_object_size(uint64_t *state)
{
    uint64_t drawn = ckbench_layout_next(state);
    size_t base = (size_t)SIZE_MIN << (drawn % SIZE_DOUBLINGS);
    return base + (size_t)((drawn >> 32) % base) + (size_t)((drawn >> 8) % SIZE_MIN);
}

void ckbench_heap_layout(uint64_t layout)
{
    if (layout == 0) {
        return;
    }
    uint64_t state = layout;
    size_t count = OBJECTS_MIN + (size_t)(ckbench_layout_next(&state) % OBJECTS_SPREAD);
    for (size_t i = 0; i < count; i++) {
        size_t size = ckbench_object_size(&state);
        ckbench_held[i] = malloc(size);
        if (ckbench_held[i] != NULL) {
            memset(ckbench_held[i], (int)(i & 0xff), size);
        }
    }
    // About half of them go again, in an order of its own.
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)(ckbench_layout_next(&state) % count);
        if (ckbench_layout_next(&state) % 4 != 0) {
            free(ckbench_held[at]);
            ckbench_held[at] = NULL;
        }
    }
}
