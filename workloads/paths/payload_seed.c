// SPDX-License-Identifier: MIT
// The same codecs in the order of the Python package: each step puts out a buffer of its own, of
// the payload's size, and all of them are given back at the end of the call. What such a program
// pays is how its allocator treats large blocks; the library itself uses its buffers again.

#include <ckbench/subject.h>

#include <stdlib.h>
#include <string.h>

#include <cachekit/envelope.h>
#include <cachekit/seal.h>

#include "paths/payload_value.h"
#include "paths/verdict.h"

/* A packer starts with so much and doubles it until it is enough. */
enum { PACKER_BYTES = 8192, FRAME_BYTES = 32, ENVELOPE_SLACK = 64 };

static const char CACHE_KEY[] = "ns:payloads:func:app.get_payload:args:42:1s";

typedef struct seed_state {
    payload_value value;
    cachekit_entropy entropy;
    uint64_t nonces;
    cachekit_keyring *keyring;
    cachekit_binding binding;
    cachekit_buffer slot; /* the backend */
    void (*run)(struct seed_state *s);
    uint64_t last; /* digest of what a get read, when asked */
    bool is_digesting;
    uint64_t calls, good;
} seed_state;

static cachekit_slice whole(const cachekit_buffer *buffer)
{
    return (cachekit_slice){buffer->data, buffer->len};
}

static cachekit_status fill_number(void *context, void *out, size_t len)
{
    seed_state *s = context;
    memset(out, 0, len);
    s->nonces++;
    memcpy(out, &s->nonces, len < sizeof s->nonces ? len : sizeof s->nonces);
    return CACHEKIT_OK;
}

/* A fresh buffer with `head` bytes of nothing in front of a copy of `bytes`. */
static cachekit_status copy_out(cachekit_slice bytes, size_t head, cachekit_buffer *out)
{
    *out = (cachekit_buffer)CACHEKIT_BUFFER_INIT;
    cachekit_status status = cachekit_buffer_reserve(out, head + bytes.len);
    if (status == CACHEKIT_OK) {
        memset(out->data, 0, head);
        memcpy(out->data + head, bytes.data, bytes.len);
        out->len = head + bytes.len;
    }
    return status;
}

static cachekit_status pack_tree(const seed_state *s, cachekit_buffer *packer)
{
    size_t need = s->value.bytes.len + ENVELOPE_SLACK;
    cachekit_status status = CACHEKIT_OK;
    for (size_t room = PACKER_BYTES; status == CACHEKIT_OK && packer->room < need; room *= 2) {
        status = cachekit_buffer_reserve(packer, room);
    }
    return status == CACHEKIT_OK ? cachekit_value_encode(&s->value.tree, packer, NULL) : status;
}

enum { PACKER, PACKED, BLOCK, ENVELOPE, SEALED, SET_BUFFERS };

static cachekit_status set_steps(seed_state *s, cachekit_buffer *b, cachekit_buffer *frame)
{
    cachekit_status status = pack_tree(s, &b[PACKER]);
    if (status == CACHEKIT_OK) {
        status = copy_out(whole(&b[PACKER]), 0, &b[PACKED]);
        cachekit_buffer_release(&b[PACKER]);
    }
    if (status == CACHEKIT_OK) {
        status = cachekit_envelope_encode(whole(&b[PACKED]), NULL, &b[BLOCK], NULL);
    }
    if (status == CACHEKIT_OK) {
        status = copy_out(whole(&b[BLOCK]), 0, &b[ENVELOPE]);
        cachekit_buffer_release(&b[BLOCK]);
    }
    if (status == CACHEKIT_OK) {
        status = cachekit_seal(s->keyring, &s->binding, whole(&b[ENVELOPE]), &b[SEALED], NULL);
    }
    return status == CACHEKIT_OK ? copy_out(whole(&b[SEALED]), FRAME_BYTES, frame) : status;
}

static void run_set(seed_state *s)
{
    cachekit_buffer b[SET_BUFFERS] = {CACHEKIT_BUFFER_INIT};
    cachekit_buffer frame = CACHEKIT_BUFFER_INIT;
    if (set_steps(s, b, &frame) == CACHEKIT_OK) {
        cachekit_buffer_release(&s->slot);
        s->slot = frame;
        s->good++;
    }
    for (int i = 0; i < SET_BUFFERS; i++) {
        cachekit_buffer_release(&b[i]);
    }
}

enum { BODY, CIPHERTEXT, OPENED, PAYLOAD, GET_BUFFERS };

static cachekit_status get_steps(seed_state *s, cachekit_buffer *b, cachekit_arena *arena)
{
    cachekit_value tree;
    cachekit_status status = copy_out(whole(&s->slot), 0, &b[BODY]);
    if (status == CACHEKIT_OK) {
        cachekit_slice sealed = {b[BODY].data + FRAME_BYTES, b[BODY].len - FRAME_BYTES};
        status = copy_out(sealed, 0, &b[CIPHERTEXT]);
    }
    if (status == CACHEKIT_OK) {
        status =
            cachekit_open(s->keyring, &s->binding, whole(&b[CIPHERTEXT]), &b[OPENED], NULL, NULL);
    }
    if (status == CACHEKIT_OK) {
        status = cachekit_envelope_decode(whole(&b[OPENED]), 0, &b[PAYLOAD], NULL, NULL);
    }
    if (status == CACHEKIT_OK) {
        status =
            cachekit_value_decode(whole(&b[PAYLOAD]), CACHEKIT_DECODE_COPY, arena, &tree, NULL);
    }
    s->last = status == CACHEKIT_OK && s->is_digesting ? payload_digest(&tree) : 0;
    return status;
}

static void run_get(seed_state *s)
{
    cachekit_buffer b[GET_BUFFERS] = {CACHEKIT_BUFFER_INIT};
    cachekit_arena arena;
    cachekit_arena_init(&arena, NULL, SIZE_MAX);
    s->good += get_steps(s, b, &arena) == CACHEKIT_OK;
    cachekit_arena_release(&arena);
    for (int i = 0; i < GET_BUFFERS; i++) {
        cachekit_buffer_release(&b[i]);
    }
}

static void seed_op(void *state)
{
    seed_state *s = state;
    s->calls++;
    s->run(s);
}

static void seed_free(void *state)
{
    seed_state *s = state;
    if (s != NULL) {
        cachekit_keyring_free(s->keyring);
        cachekit_buffer_release(&s->slot);
        payload_value_release(&s->value);
        free(s);
    }
}

static void *seed_setup_bytes(uint64_t bytes)
{
    seed_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    s->entropy = (cachekit_entropy){fill_number, s};
    s->binding = (cachekit_binding){
        {(const uint8_t *)CACHE_KEY, sizeof CACHE_KEY - 1}, "msgpack", true, "msgpack"};
    options.master_key = "6161616161616161616161616161616161616161616161616161616161616161";
    options.entropy = &s->entropy;
    options.allow_unlocked = true; /* a small limit is no reason not to measure */
    s->run = payload_is_set() ? run_set : run_get;
    if (!payload_value_make(&s->value, bytes) ||
        cachekit_keyring_new(&options, &s->keyring, NULL) != CACHEKIT_OK) {
        seed_free(s);
        return NULL;
    }
    run_set(s);
    if (s->good != 1) {
        seed_free(s);
        return NULL;
    }
    s->good = 0;
    return s;
}

static void *seed_setup(void)
{
    return seed_setup_bytes(0);
}

/* What the slot holds, read once more. */
static uint64_t digest(void *state)
{
    seed_state *s = state;
    uint64_t good = s->good;
    s->is_digesting = true;
    run_get(s);
    s->is_digesting = false;
    s->good = good;
    return s->last;
}

static int seed_verify(void *state)
{
    seed_state *s = state;
    if (s->calls == 0 || s->good != s->calls) {
        return VERDICT_CALL_FAILED;
    }
    return digest(s) == payload_digest(&s->value.tree) ? VERDICT_OK : VERDICT_WRONG_OUTPUT;
}

static const struct ckbench_extra extra = {.shapes = payload_shapes,
                                           .operations = payload_operations,
                                           .setup_bytes = seed_setup_bytes,
                                           .digest = digest};

CKBENCH_PATH_EX(payload_seed,
                "the same codecs, each step with a fresh buffer of the payload's size", seed_setup,
                seed_op, seed_verify, seed_free, &extra)
