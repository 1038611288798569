// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_BYTES_H
#define CACHEKIT_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include <cachekit/allocator.h>
#include <cachekit/status.h>

CACHEKIT_BEGIN_DECLS

/** Borrowed bytes: `data` is read for the call only and may be NULL when `len` is 0. */
typedef struct cachekit_slice {
    const uint8_t *data;
    size_t len;
} cachekit_slice;

/**
 * Bytes that the caller owns. Functions that fill a buffer empty it first and keep its room, so
 * one buffer serves a whole loop; after a failure its length is 0. Start with
 * CACHEKIT_BUFFER_INIT or cachekit_buffer_init(), end with cachekit_buffer_release().
 */
typedef struct cachekit_buffer {
    uint8_t *data;
    size_t len;
    size_t room;
    const cachekit_allocator *allocator; /* NULL: malloc; outlives the buffer */
} cachekit_buffer;

#define CACHEKIT_BUFFER_INIT                                                                       \
    {                                                                                              \
        NULL, 0, 0, NULL                                                                           \
    }

/** Prepares an empty buffer; allocates nothing. `allocator` may be NULL and must outlive it. */
CACHEKIT_API void cachekit_buffer_init(cachekit_buffer *buffer,
                                       const cachekit_allocator *allocator);

/** Makes room for `more` bytes behind `len`, at least doubling. On failure nothing changes. */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_buffer_reserve(cachekit_buffer *buffer,
                                                                         size_t more);

/** Copies `len` bytes behind the buffer's own. On failure nothing changes. */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_buffer_append(cachekit_buffer *buffer,
                                                                        const void *data,
                                                                        size_t len);

/** Gives the memory back and leaves an empty buffer with its allocator. NULL is allowed. */
CACHEKIT_API void cachekit_buffer_release(cachekit_buffer *buffer);

CACHEKIT_END_DECLS

#endif
