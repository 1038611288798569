// SPDX-License-Identifier: MIT
// Owned bytes that at least double when they grow, so that appending is linear over all.
#include <cachekit/bytes.h>

#include <string.h>

#include "base/alloc.h"
#include "base/num.h"

enum { FIRST_ROOM = 64 };

void cachekit_buffer_init(cachekit_buffer *buffer, const cachekit_allocator *allocator)
{
    *buffer = (cachekit_buffer){NULL, 0, 0, allocator};
}

cachekit_status cachekit_buffer_reserve(cachekit_buffer *buffer, size_t more)
{
    size_t need;
    if (!cki_add_size(buffer->len, more, &need)) {
        return CACHEKIT_E_NOMEM;
    }
    if (need <= buffer->room) {
        return CACHEKIT_OK;
    }
    size_t room = buffer->room <= SIZE_MAX / 2 ? buffer->room * 2 : need;
    if (room < need) {
        room = need;
    }
    if (room < FIRST_ROOM) {
        room = FIRST_ROOM;
    }
    uint8_t *data = cki_resize(buffer->allocator, buffer->data, buffer->room, room);
    if (data == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    buffer->data = data;
    buffer->room = room;
    return CACHEKIT_OK;
}

cachekit_status cachekit_buffer_append(cachekit_buffer *buffer, const void *data, size_t len)
{
    cachekit_status status = cachekit_buffer_reserve(buffer, len);
    if (status == CACHEKIT_OK && len > 0) {
        memcpy(buffer->data + buffer->len, data, len);
        buffer->len += len;
    }
    return status;
}

void cachekit_buffer_release(cachekit_buffer *buffer)
{
    if (buffer != NULL) {
        cki_free(buffer->allocator, buffer->data, buffer->room);
        cachekit_buffer_init(buffer, buffer->allocator);
    }
}
