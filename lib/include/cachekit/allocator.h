// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_ALLOCATOR_H
#define CACHEKIT_ALLOCATOR_H

#include <stddef.h>

#include <cachekit/export.h>

CACHEKIT_BEGIN_DECLS

/**
 * Where memory comes from. The struct is borrowed and must outlive whatever was made with it; it
 * may be called from every thread that calls the library.
 */
typedef struct cachekit_allocator {
    /** `size` > 0 bytes aligned for any type, or NULL. */
    void *(*alloc)(void *context, size_t size);
    /** Grows or shrinks `block` (NULL: a new one) from `old_size`; on NULL the old one stays. */
    void *(*resize)(void *context, void *block, size_t old_size, size_t size);
    /** Takes back what alloc or resize gave; `block` is never NULL, `size` its last size. */
    void (*free)(void *context, void *block, size_t size);
    void *context;
} cachekit_allocator;

CACHEKIT_END_DECLS

#endif
