// SPDX-License-Identifier: MIT
// Allocation through the caller's hooks. A NULL allocator is malloc's family.
#ifndef CKI_ALLOC_H
#define CKI_ALLOC_H

#include <cachekit/allocator.h>

void *cki_alloc(const cachekit_allocator *allocator, size_t size);
void *cki_resize(const cachekit_allocator *allocator, void *block, size_t old_size, size_t size);
void cki_free(const cachekit_allocator *allocator, void *block, size_t size); // NULL block: nothing

// From malloc's family, aligned to a cache line, never given back.
void *cki_alloc_line(size_t size);

#endif
