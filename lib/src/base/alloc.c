// SPDX-License-Identifier: MIT
// The one place of the library that calls malloc, realloc and free.
#include "base/alloc.h"

#include <stdlib.h>

void *cki_alloc(const cachekit_allocator *allocator, size_t size)
{
    if (allocator == NULL) {
        return malloc(size);
    }
    return allocator->alloc(allocator->context, size);
}

void *cki_resize(const cachekit_allocator *allocator, void *block, size_t old_size, size_t size)
{
    if (allocator == NULL) {
        return realloc(block, size);
    }
    return allocator->resize(allocator->context, block, old_size, size);
}

void cki_free(const cachekit_allocator *allocator, void *block, size_t size)
{
    if (block == NULL) {
        return;
    }
    if (allocator == NULL) {
        free(block);
    } else {
        allocator->free(allocator->context, block, size);
    }
}

void *cki_alloc_line(size_t size)
{
    void *block = NULL;
    return posix_memalign(&block, 64, size) == 0 ? block : NULL;
}
