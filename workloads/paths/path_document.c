// SPDX-License-Identifier: MIT
// State and checks that paths on value trees share. Whatever is random, allocating or comparing
// happens here, outside the measured calls.

#include "paths/path_document.h"

#include <stdlib.h>
#include <string.h>

#include <cachekit/json.h>

#include "gen/inputs.h"

/* Ample for our documents, and a wall for a reader that believes what a hostile one promises. */
enum { ARENA_BYTES = 64 << 20 };

typedef cachekit_status (*reader)(document *d, cachekit_slice input);

static cachekit_status read_msgpack(document *d, cachekit_slice input)
{
    return cachekit_value_decode(input, CACHEKIT_DECODE_BORROW, &d->origin, &d->tree, NULL);
}

static document *open_with(const char *name, reader read)
{
    document *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return NULL;
    }
    cachekit_arena_init(&d->origin, NULL, ARENA_BYTES);
    cachekit_arena_init(&d->arena, NULL, ARENA_BYTES);
    if (!input_make(name, &d->input) ||
        read(d, (cachekit_slice){d->input.bytes, d->input.len}) != CACHEKIT_OK) {
        document_free(d);
        return NULL;
    }
    return d;
}

static cachekit_status read_json(document *d, cachekit_slice input)
{
    const unsigned flags = CACHEKIT_JSON_BORROW | CACHEKIT_JSON_PLAIN;
    return cachekit_json_decode(input, flags, &d->origin, &d->tree, NULL);
}

document *document_new(const char *input)
{
    return open_with(input, read_msgpack);
}

document *document_new_json(const char *input)
{
    return open_with(input, read_json);
}

/* The third call is the first that finds an arena of one block, and frees what came before. */
document *document_settled(document *d, void (*op)(void *state))
{
    for (int i = 0; d != NULL && i < 3; i++) {
        op(d);
    }
    return d;
}

void document_free(void *state)
{
    document *d = state;
    if (d != NULL) {
        pack_release(&d->input);
        cachekit_arena_release(&d->origin);
        cachekit_arena_release(&d->arena);
        cachekit_buffer_release(&d->text);
        cachekit_buffer_release(&d->envelope);
        cachekit_buffer_release(&d->payload);
        free(d);
    }
}

bool document_calls_good(const document *d)
{
    return d->calls > 0 && d->good == d->calls;
}

static void poison(cachekit_buffer *buffer)
{
    if (buffer->room > 0) {
        memset(buffer->data, 0xc1, buffer->room);
    }
    buffer->len = 0;
}

void document_forget(document *d)
{
    d->result = cachekit_value_nil();
    poison(&d->text);
    poison(&d->envelope);
    poison(&d->payload);
}

bool document_result_is_input(document *d)
{
    cachekit_buffer again = CACHEKIT_BUFFER_INIT;
    bool same = cachekit_value_encode(&d->result, &again, NULL) == CACHEKIT_OK &&
                again.len == d->input.len && memcmp(again.data, d->input.bytes, again.len) == 0;
    cachekit_buffer_release(&again);
    return same;
}

uint64_t document_digest(void *state)
{
    document *d = state;
    cachekit_buffer again = CACHEKIT_BUFFER_INIT;
    uint64_t digest = 0;
    if (cachekit_value_encode(&d->result, &again, NULL) == CACHEKIT_OK) {
        digest = 0xcbf29ce484222325;
        for (size_t i = 0; i < again.len; i++) {
            digest = (digest ^ again.data[i]) * 0x100000001b3;
        }
    }
    cachekit_buffer_release(&again);
    return digest;
}
