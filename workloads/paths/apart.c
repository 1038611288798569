// SPDX-License-Identifier: MIT
// 64 KiB of random bytes from one buffer to another, whose beginnings lie so many bytes apart
// modulo a page: alone, or out of an envelope, where LZ4 copies them as one run of literals. Some
// processors copy much slower at some distances, and which distance a program gets is its
// allocator's doing.

#include <ckbench/subject.h>

#include <stdlib.h>
#include <string.h>

#include <cachekit/envelope.h>

#include "gen/json_filler.h"
#include "paths/verdict.h"

enum { BYTES = 65536, PAGE = 4096, PROBE = 16 };

typedef struct apart_state {
    pack random;
    uint8_t *room;        /* holds the input */
    cachekit_slice input; /* the bytes, or their envelope */
    cachekit_buffer output;
    size_t run_at; /* where in the input the bytes begin */
    uint64_t calls, good;
    bool is_copy;
} apart_state;

static void apart_free(void *state)
{
    apart_state *s = state;
    if (s != NULL) {
        pack_release(&s->random);
        cachekit_buffer_release(&s->output);
        free(s->room);
        free(s);
    }
}

static void apart_op(void *state)
{
    apart_state *s = state;
    s->calls++;
    if (s->is_copy) {
        memcpy(s->output.data, s->input.data, s->input.len);
        s->output.len = s->input.len;
        s->good++;
    } else {
        s->good += cachekit_envelope_decode(s->input, 0, &s->output, NULL, NULL) == CACHEKIT_OK;
    }
}

/* Moves the input to where its bytes begin `apart` bytes before the output's, modulo a page. */
static bool place(apart_state *s, cachekit_slice input, size_t apart)
{
    s->room = malloc(input.len + PAGE);
    if (s->room == NULL) {
        return false;
    }
    uintptr_t wanted = (uintptr_t)s->output.data - apart - s->run_at;
    uint8_t *at = s->room + (wanted - (uintptr_t)s->room) % PAGE;
    memcpy(at, input.data, input.len);
    s->input = (cachekit_slice){at, input.len};
    return true;
}

static bool prepare(apart_state *s, size_t apart)
{
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT;
    const cachekit_slice bytes = {s->random.bytes, s->random.len};
    if (cachekit_buffer_reserve(&s->output, BYTES) != CACHEKIT_OK) {
        return false;
    }
    if (s->is_copy) {
        return place(s, bytes, apart);
    }
    bool is_good = cachekit_envelope_encode(bytes, NULL, &envelope, NULL) == CACHEKIT_OK;
    while (is_good && s->run_at + PROBE < envelope.len &&
           memcmp(envelope.data + s->run_at, bytes.data, PROBE) != 0) {
        s->run_at++;
    }
    is_good = is_good && place(s, (cachekit_slice){envelope.data, envelope.len}, apart);
    cachekit_buffer_release(&envelope);
    return is_good;
}

static void *apart_setup(void)
{
    apart_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->is_copy = strcmp(ckbench_operation(), "copy") == 0;
    random_make(&s->random, BYTES);
    if (s->random.failed || !prepare(s, (size_t)strtoul(ckbench_shape(), NULL, 10))) {
        apart_free(s);
        return NULL;
    }
    return s;
}

static int apart_verify(void *state)
{
    apart_state *s = state;
    if (s->calls == 0 || s->good != s->calls) {
        return VERDICT_CALL_FAILED;
    }
    return s->output.len == BYTES && memcmp(s->output.data, s->random.bytes, BYTES) == 0
               ? VERDICT_OK
               : VERDICT_WRONG_OUTPUT;
}

static const char *const shapes[] = {"0",  "1",  "5",   "8",    "15",   "16",   "17",   "31", "32",
                                     "48", "64", "352", "1024", "2048", "4080", "4095", NULL};
static const char *const operations[] = {"copy", "decompress", NULL};
static const struct ckbench_extra extra = {.shapes = shapes, .operations = operations};

CKBENCH_PATH_EX(apart_64k, "64 KiB between buffers that lie so many bytes apart", apart_setup,
                apart_op, apart_verify, apart_free, &extra)
