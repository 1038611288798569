// SPDX-License-Identifier: MIT
// Bytes that begin in storage of their user, mostly on the stack, and move to the heap when they
// grow out of it: what is small costs no allocation.
#ifndef CKI_KEY_SCRATCH_H
#define CKI_KEY_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/bytes.h>

struct cki_scratch {
    uint8_t *data;
    size_t len, room;
    const cachekit_allocator *allocator;
    bool is_owned; // false: `data` is storage of the user
};

static inline void cki_scratch_init(struct cki_scratch *s, void *storage, size_t room,
                                    const cachekit_allocator *allocator)
{
    *s = (struct cki_scratch){storage, 0, room, allocator, false};
}

// Makes room for `more` bytes, at least doubling. On failure, which is CACHEKIT_E_NOMEM, nothing
// changes.
CACHEKIT_MUST_CHECK cachekit_status cki_scratch_grow(struct cki_scratch *s, size_t more);

CACHEKIT_MUST_CHECK static inline cachekit_status cki_scratch_reserve(struct cki_scratch *s,
                                                                      size_t more)
{
    return more <= s->room - s->len ? CACHEKIT_OK : cki_scratch_grow(s, more);
}

CACHEKIT_MUST_CHECK cachekit_status cki_scratch_append(struct cki_scratch *s, const void *data,
                                                       size_t len);

// Works in a buffer's memory for a while: between the two calls the buffer is not touched.
void cki_scratch_take(struct cki_scratch *s, const cachekit_buffer *buffer);
void cki_scratch_give(const struct cki_scratch *s, cachekit_buffer *buffer);

void cki_scratch_release(struct cki_scratch *s);

#endif
