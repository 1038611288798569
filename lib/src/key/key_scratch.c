// SPDX-License-Identifier: MIT
// The user's storage is left, never resized: the first growth copies, the others resize.
#include "key/key_scratch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/num.h"

enum { FIRST_ROOM = 64 };

cachekit_status cki_scratch_grow(struct cki_scratch *s, size_t more)
{
    size_t need, room = s->room <= SIZE_MAX / 2 ? s->room * 2 : SIZE_MAX;
    if (!cki_add_size(s->len, more, &need)) {
        return CACHEKIT_E_NOMEM;
    }
    room = room < need ? need : room;
    room = room < FIRST_ROOM ? FIRST_ROOM : room;
    uint8_t *data = s->is_owned ? cki_resize(s->allocator, s->data, s->room, room)
                                : cki_alloc(s->allocator, room);
    if (data == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    if (!s->is_owned && s->len > 0) {
        memcpy(data, s->data, s->len);
    }
    s->data = data;
    s->room = room;
    s->is_owned = true;
    return CACHEKIT_OK;
}

cachekit_status cki_scratch_append(struct cki_scratch *s, const void *data, size_t len)
{
    cachekit_status status = cki_scratch_reserve(s, len);
    if (status == CACHEKIT_OK && len > 0) {
        memcpy(s->data + s->len, data, len);
        s->len += len;
    }
    return status;
}

void cki_scratch_take(struct cki_scratch *s, const cachekit_buffer *buffer)
{
    *s = (struct cki_scratch){buffer->data, buffer->len, buffer->room, buffer->allocator, true};
}

void cki_scratch_give(const struct cki_scratch *s, cachekit_buffer *buffer)
{
    buffer->data = s->data;
    buffer->len = s->len;
    buffer->room = s->room;
}

void cki_scratch_release(struct cki_scratch *s)
{
    if (s->is_owned) {
        cki_free(s->allocator, s->data, s->room);
    }
}
