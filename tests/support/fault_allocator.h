// SPDX-License-Identifier: MIT
// malloc that counts, and says no where a test wants it.
#ifndef TESTS_FAULT_ALLOCATOR_H
#define TESTS_FAULT_ALLOCATOR_H

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cachekit/allocator.h>

struct fault_allocator {
    cachekit_allocator hooks; // give this to the library
    int calls;                // requests so far, the refused ones included
    int fail_at;              // which request is refused, from 0; INT_MAX: none
    bool fail_on;             // and all after it
    size_t live_blocks;
    size_t live_bytes;
    size_t peak_bytes;
};

static inline bool fault_allocator_refuses(struct fault_allocator *self)
{
    int call = self->calls++;
    return call == self->fail_at || (self->fail_on && call > self->fail_at);
}

static inline void fault_allocator_add(struct fault_allocator *self, size_t bytes)
{
    self->live_bytes += bytes;
    if (self->live_bytes > self->peak_bytes) {
        self->peak_bytes = self->live_bytes;
    }
}

static inline void *fault_allocator_alloc(void *context, size_t size)
{
    struct fault_allocator *self = context;
    void *block = fault_allocator_refuses(self) ? NULL : malloc(size);
    if (block != NULL) {
        self->live_blocks++;
        fault_allocator_add(self, size);
    }
    return block;
}

static inline void *fault_allocator_resize(void *context, void *block, size_t old_size, size_t size)
{
    struct fault_allocator *self = context;
    void *moved = fault_allocator_refuses(self) ? NULL : realloc(block, size);
    if (moved != NULL) {
        self->live_blocks += block == NULL;
        self->live_bytes -= old_size;
        fault_allocator_add(self, size);
    }
    return moved;
}

static inline void fault_allocator_free(void *context, void *block, size_t size)
{
    struct fault_allocator *self = context;
    self->live_blocks--;
    self->live_bytes -= size;
    free(block);
}

// The hooks point at the struct, which must stay where it is.
static inline void fault_allocator_init(struct fault_allocator *self)
{
    *self = (struct fault_allocator){.fail_at = INT_MAX};
    self->hooks = (cachekit_allocator){fault_allocator_alloc, fault_allocator_resize,
                                       fault_allocator_free, self};
}

#endif
