// SPDX-License-Identifier: MIT
// Encryption of the protocol: one message of 1 KiB sealed, and opened; and the whole way of a value
// of an encrypted cache, from tree to sealed envelope and back. Nonces are numbers here, because
// runs must be the same; drawing one from the kernel is a system call more and few instructions.

#include <ckbench/subject.h>

#include <stdlib.h>
#include <string.h>

#include <cachekit/envelope.h>
#include <cachekit/seal.h>

#include "gen/inputs.h"
#include "paths/path_document.h"
#include "paths/hostile_input.h"

enum { MESSAGE_BYTES = 1024 };

/* The key and the parts that Python's auto mode binds a value to. */
static const char CACHE_KEY[] =
    "ns:users:func:app.get_user:args:9a4f1c66d0b25e8137c5d9e20f8b46aa:1s";

typedef struct sealed_state {
    document *document; /* NULL in the paths of one message */
    pack input;
    cachekit_slice message;
    cachekit_entropy entropy;
    cachekit_keyring *keyring;
    cachekit_binding binding;
    cachekit_buffer sealed;
    cachekit_buffer opened;
    uint64_t counted_before; /* the key's count when the keyring was made */
    uint64_t nonces;
    uint64_t calls;
    uint64_t seals; /* that said CACHEKIT_OK */
    uint64_t opens;
} sealed_state;

static cachekit_slice whole(const cachekit_buffer *buffer)
{
    return (cachekit_slice){buffer->data, buffer->len};
}

static cachekit_status fill_number(void *context, void *out, size_t len)
{
    sealed_state *s = context;
    memset(out, 0, len);
    s->nonces++;
    memcpy(out, &s->nonces, len < sizeof s->nonces ? len : sizeof s->nonces);
    return CACHEKIT_OK;
}

static cachekit_status seal(sealed_state *s, cachekit_slice plain)
{
    cachekit_status status = cachekit_seal(s->keyring, &s->binding, plain, &s->sealed, NULL);
    s->seals += status == CACHEKIT_OK;
    return status;
}

static cachekit_status open_sealed(sealed_state *s)
{
    cachekit_status status =
        cachekit_open(s->keyring, &s->binding, whole(&s->sealed), &s->opened, NULL, NULL);
    s->opens += status == CACHEKIT_OK;
    return status;
}

static void sealed_free(void *state)
{
    sealed_state *s = state;
    if (s != NULL) {
        document_free(s->document);
        pack_release(&s->input);
        cachekit_keyring_free(s->keyring);
        cachekit_buffer_release(&s->sealed);
        cachekit_buffer_release(&s->opened);
        free(s);
    }
}

static sealed_state *sealed_new(void)
{
    sealed_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->entropy = (cachekit_entropy){fill_number, s};
    s->binding = (cachekit_binding){
        {(const uint8_t *)CACHE_KEY, sizeof CACHE_KEY - 1}, "msgpack", true, "msgpack"};
    cachekit_keyring_options options = CACHEKIT_KEYRING_OPTIONS_INIT;
    options.master_key = "6161616161616161616161616161616161616161616161616161616161616161";
    options.entropy = &s->entropy;
    options.allow_unlocked = true; /* a small limit is no reason not to measure */
    if (cachekit_keyring_new(&options, &s->keyring, NULL) != CACHEKIT_OK) {
        sealed_free(s);
        return NULL;
    }
    s->counted_before = cachekit_keyring_sealed(s->keyring);
    return s;
}

/* As many seals as calls by every count there is, and none that repeated a nonce. */
static bool counts_are(const sealed_state *s, uint64_t seals, uint64_t opens)
{
    return s->seals == seals && s->opens == opens && s->nonces == seals &&
           cachekit_keyring_sealed(s->keyring) - s->counted_before == seals;
}

/* A wrong bit anywhere in the first and the last 64 bytes, and another key, open nothing. */
static bool forgeries_refused(sealed_state *s)
{
    for (size_t i = 0; i < 2 * 64; i++) {
        size_t at = i < 64 ? i : s->sealed.len - 128 + i;
        s->sealed.data[at] ^= (uint8_t)(1u << i % 8);
        cachekit_status status = open_sealed(s);
        s->sealed.data[at] ^= (uint8_t)(1u << i % 8);
        if (status != CACHEKIT_E_AUTH || s->opened.len != 0) {
            return false;
        }
    }
    s->binding.cache_key.len--;
    cachekit_status status = open_sealed(s);
    s->binding.cache_key.len++;
    return status == CACHEKIT_E_AUTH;
}

/* ---- one message ---- */

static void seal_message(void *state)
{
    sealed_state *s = state;
    s->calls++;
    (void)seal(s, s->message);
}

static void open_message(void *state)
{
    sealed_state *s = state;
    s->calls++;
    (void)open_sealed(s);
}

static void *setup_message(void)
{
    sealed_state *s = sealed_new();
    if (s == NULL || !input_make("address_64k", &s->input) || s->input.len < MESSAGE_BYTES) {
        sealed_free(s);
        return NULL;
    }
    s->message = (cachekit_slice){s->input.bytes, MESSAGE_BYTES};
    if (seal(s, s->message) != CACHEKIT_OK || open_sealed(s) != CACHEKIT_OK) {
        sealed_free(s);
        return NULL;
    }
    return s;
}

static int verify_message(sealed_state *s, uint64_t seals, uint64_t opens)
{
    if (!counts_are(s, seals, opens)) {
        return VERDICT_CALL_FAILED;
    }
    memset(s->opened.data, 0, s->opened.room);
    bool same = open_sealed(s) == CACHEKIT_OK && s->opened.len == MESSAGE_BYTES &&
                s->sealed.len == MESSAGE_BYTES + CACHEKIT_SEAL_OVERHEAD_BYTES &&
                memcmp(s->opened.data, s->message.data, MESSAGE_BYTES) == 0 &&
                memcmp(s->sealed.data + 12, s->message.data, MESSAGE_BYTES) != 0;
    if (!same) {
        return VERDICT_WRONG_OUTPUT;
    }
    return forgeries_refused(s) ? VERDICT_OK : VERDICT_READ_HOSTILE;
}

/* Setup made one message and opened it. */
static int verify_seal(void *state)
{
    sealed_state *s = state;
    return verify_message(s, s->calls + 1, 1);
}

static int verify_open(void *state)
{
    sealed_state *s = state;
    return verify_message(s, 1, s->calls + 1);
}

CKBENCH_PATH(seal_1k, "1 KiB sealed under a keyring of one key, into a used buffer", setup_message,
             seal_message, verify_seal, sealed_free)
CKBENCH_PATH(open_1k, "1 KiB opened, into a used buffer", setup_message, open_message, verify_open,
             sealed_free)

/* ---- a value ---- */

static cachekit_status write_sealed(sealed_state *s)
{
    document *d = s->document;
    cachekit_status status = cachekit_value_encode(&d->tree, &d->text, NULL);
    if (status == CACHEKIT_OK) {
        status = cachekit_envelope_encode(whole(&d->text), NULL, &d->envelope, NULL);
    }
    return status == CACHEKIT_OK ? seal(s, whole(&d->envelope)) : status;
}

static cachekit_status read_sealed(sealed_state *s)
{
    document *d = s->document;
    cachekit_status status = open_sealed(s);
    if (status == CACHEKIT_OK) {
        status = cachekit_envelope_decode(whole(&s->opened), 0, &d->payload, NULL, NULL);
    }
    if (status == CACHEKIT_OK) {
        cachekit_arena_reset(&d->arena);
        status = cachekit_value_decode(whole(&d->payload), CACHEKIT_DECODE_BORROW, &d->arena,
                                       &d->result, NULL);
    }
    return status;
}

static void round_trip(void *state)
{
    sealed_state *s = state;
    s->document->calls++;
    s->document->good += write_sealed(s) == CACHEKIT_OK && read_sealed(s) == CACHEKIT_OK;
}

static void *setup_value(void)
{
    sealed_state *s = sealed_new();
    if (s != NULL) {
        s->document = document_new("users_4");
    }
    if (s == NULL || s->document == NULL) {
        sealed_free(s);
        return NULL;
    }
    for (int i = 0; i < 3; i++) {
        round_trip(s);
    }
    return s;
}

/* What the read half makes of a document that someone with the key sealed. */
static cachekit_status read_foreign(void *state, cachekit_slice document_bytes)
{
    sealed_state *s = state;
    document *d = s->document;
    cachekit_status status = cachekit_envelope_encode(document_bytes, NULL, &d->envelope, NULL);
    if (status == CACHEKIT_OK) {
        status = seal(s, whole(&d->envelope));
    }
    return status == CACHEKIT_OK ? read_sealed(s) : status;
}

static int verify_value(void *state)
{
    sealed_state *s = state;
    document *d = s->document;
    document_forget(d);
    memset(s->sealed.data, 0xc1, s->sealed.room);
    memset(s->opened.data, 0xc1, s->opened.room);
    round_trip(s);
    if (!document_calls_good(d) || !counts_are(s, d->calls, d->calls)) {
        return VERDICT_CALL_FAILED;
    }
    if (!cachekit_value_equal(&d->result, &d->tree) || !document_result_is_input(d)) {
        return VERDICT_WRONG_OUTPUT;
    }
    return forgeries_refused(s) && hostile_refused(read_foreign, s) ? VERDICT_OK
                                                                    : VERDICT_READ_HOSTILE;
}

static uint64_t digest_value(void *state)
{
    return document_digest(((sealed_state *)state)->document);
}

static const struct ckbench_extra extra = {.digest = digest_value};

CKBENCH_PATH_EX(serializer_encrypted,
                "round trip of 4 users: tree, MessagePack, envelope, sealed, and back", setup_value,
                round_trip, verify_value, sealed_free, &extra)
