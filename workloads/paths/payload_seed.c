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

enum { PACKER, PACKED, BLOCK, ENVELOPE, SEALED, BODY, CIPHERTEXT, OPENED, PAYLOAD, BUFFERS };

typedef struct seed_state {
    payload_value value;
    cachekit_entropy entropy;
    uint64_t nonces;
    cachekit_keyring *keyring;
    cachekit_binding binding;
    cachekit_buffer slot; /* the backend */
    bool is_set;
    cachekit_buffer held[BUFFERS]; /* of the call under way */
    cachekit_buffer frame;
    cachekit_arena arena;
    cachekit_value tree; /* what a get read */
    cachekit_status status;
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

/* Whether a step is one of the call under way, and all before it were good. */
static bool goes(const seed_state *s, bool is_set)
{
    return s->is_set == is_set && s->status == CACHEKIT_OK;
}

static void pack_tree(void *state)
{
    seed_state *s = state;
    cachekit_buffer *packer = &s->held[PACKER];
    size_t need = s->value.bytes.len + ENVELOPE_SLACK;
    for (size_t room = PACKER_BYTES; goes(s, true) && packer->room < need; room *= 2) {
        s->status = cachekit_buffer_reserve(packer, room);
    }
    if (goes(s, true)) {
        s->status = cachekit_value_encode(&s->value.tree, packer, NULL);
    }
}

static void copy_packed(void *state)
{
    seed_state *s = state;
    if (goes(s, true)) {
        s->status = copy_out(whole(&s->held[PACKER]), 0, &s->held[PACKED]);
        cachekit_buffer_release(&s->held[PACKER]);
    }
}

static void compress(void *state)
{
    seed_state *s = state;
    if (goes(s, true)) {
        s->status = cachekit_envelope_encode(whole(&s->held[PACKED]), NULL, &s->held[BLOCK], NULL);
    }
}

static void copy_envelope(void *state)
{
    seed_state *s = state;
    if (goes(s, true)) {
        s->status = copy_out(whole(&s->held[BLOCK]), 0, &s->held[ENVELOPE]);
        cachekit_buffer_release(&s->held[BLOCK]);
    }
}

static void seal(void *state)
{
    seed_state *s = state;
    if (goes(s, true)) {
        s->status = cachekit_seal(s->keyring, &s->binding, whole(&s->held[ENVELOPE]),
                                  &s->held[SEALED], NULL);
    }
}

static void copy_frame(void *state)
{
    seed_state *s = state;
    if (goes(s, true)) {
        s->status = copy_out(whole(&s->held[SEALED]), FRAME_BYTES, &s->frame);
    }
}

static void store(void *state)
{
    seed_state *s = state;
    if (goes(s, true)) {
        cachekit_buffer_release(&s->slot);
        s->slot = s->frame;
        s->frame = (cachekit_buffer)CACHEKIT_BUFFER_INIT;
    }
}

static void copy_body(void *state)
{
    seed_state *s = state;
    if (goes(s, false)) {
        s->status = copy_out(whole(&s->slot), 0, &s->held[BODY]);
    }
}

static void copy_ciphertext(void *state)
{
    seed_state *s = state;
    const cachekit_buffer *body = &s->held[BODY];
    if (goes(s, false)) {
        const cachekit_slice sealed = {body->data + FRAME_BYTES, body->len - FRAME_BYTES};
        s->status = copy_out(sealed, 0, &s->held[CIPHERTEXT]);
    }
}

static void unseal(void *state)
{
    seed_state *s = state;
    if (goes(s, false)) {
        s->status = cachekit_open(s->keyring, &s->binding, whole(&s->held[CIPHERTEXT]),
                                  &s->held[OPENED], NULL, NULL);
    }
}

static void decompress(void *state)
{
    seed_state *s = state;
    if (goes(s, false)) {
        s->status =
            cachekit_envelope_decode(whole(&s->held[OPENED]), 0, &s->held[PAYLOAD], NULL, NULL);
    }
}

static void read_tree(void *state)
{
    seed_state *s = state;
    if (goes(s, false)) {
        s->status = cachekit_value_decode(whole(&s->held[PAYLOAD]), CACHEKIT_DECODE_COPY, &s->arena,
                                          &s->tree, NULL);
    }
    if (s->is_digesting) {
        s->last = goes(s, false) ? payload_digest(&s->tree) : 0;
    }
}

static void give_back(void *state)
{
    seed_state *s = state;
    cachekit_arena_release(&s->arena);
    cachekit_arena_init(&s->arena, NULL, SIZE_MAX);
    for (int i = 0; i < BUFFERS; i++) {
        cachekit_buffer_release(&s->held[i]);
    }
    cachekit_buffer_release(&s->frame);
    s->calls++;
    s->good += s->status == CACHEKIT_OK;
    s->status = CACHEKIT_OK;
}

/* Those of a set, those of a get; a call passes over the others. */
static const struct ckbench_phase steps[] = {{"pack", pack_tree},
                                             {"copy-packed", copy_packed},
                                             {"compress", compress},
                                             {"copy-envelope", copy_envelope},
                                             {"seal", seal},
                                             {"copy-frame", copy_frame},
                                             {"store", store},
                                             {"copy-body", copy_body},
                                             {"copy-ciphertext", copy_ciphertext},
                                             {"open", unseal},
                                             {"decompress", decompress},
                                             {"read-tree", read_tree},
                                             {"give-back", give_back},
                                             {NULL, NULL}};

/* Which buffers a step read and wrote. */
static void step_buffers(void *state, size_t step, const void **from, const void **to)
{
    enum { NONE = -1, FRAME = -2, SLOT = -3 };
    static const struct {
        const char *step;
        int from, to;
    } rows[] = {{"copy-packed", NONE, PACKED},         {"compress", PACKED, BLOCK},
                {"copy-envelope", BLOCK, ENVELOPE},    {"seal", ENVELOPE, SEALED},
                {"copy-frame", SEALED, FRAME},         {"copy-body", SLOT, BODY},
                {"copy-ciphertext", BODY, CIPHERTEXT}, {"open", CIPHERTEXT, OPENED},
                {"decompress", OPENED, PAYLOAD}};
    seed_state *s = state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].step, steps[step].name) != 0) {
            continue;
        }
        *from = rows[i].from == SLOT ? s->slot.data
                : rows[i].from >= 0  ? s->held[rows[i].from].data
                                     : NULL;
        *to = rows[i].to == FRAME ? s->frame.data : s->held[rows[i].to].data;
    }
}

static void seed_op(void *state)
{
    for (const struct ckbench_phase *step = steps; step->name != NULL; step++) {
        step->run(state);
    }
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
    cachekit_arena_init(&s->arena, NULL, SIZE_MAX);
    s->is_set = true;
    if (!payload_value_make(&s->value, bytes) ||
        cachekit_keyring_new(&options, &s->keyring, NULL) != CACHEKIT_OK) {
        seed_free(s);
        return NULL;
    }
    seed_op(s);
    if (s->good != 1) {
        seed_free(s);
        return NULL;
    }
    s->is_set = payload_is_set();
    s->calls = s->good = 0;
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
    uint64_t calls = s->calls, good = s->good;
    bool is_set = s->is_set;
    s->is_set = false;
    s->is_digesting = true;
    seed_op(s);
    s->is_digesting = false;
    s->is_set = is_set;
    s->calls = calls;
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
                                           .phases = steps,
                                           .setup_bytes = seed_setup_bytes,
                                           .digest = digest,
                                           .phase_buffers = step_buffers};

CKBENCH_PATH_EX(payload_seed,
                "the same codecs, each step with a fresh buffer of the payload's size", seed_setup,
                seed_op, seed_verify, seed_free, &extra)
