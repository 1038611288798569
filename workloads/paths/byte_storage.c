// SPDX-License-Identifier: MIT
// The envelope alone: LZ4 block, XXH3-64 and a few header bytes, into a buffer that is used again.
// 40 bytes show the fixed cost (such payloads never reach the compressor), 64 KiB the variable one.

#include <stdlib.h>
#include <string.h>

#include <ckbench/subject.h>

#include <cachekit/envelope.h>

#include "gen/inputs.h"
#include "paths/verdict.h"

typedef struct storage {
    pack text;
    cachekit_buffer envelope;
    cachekit_buffer payload;
    uint64_t calls;
    uint64_t good;
} storage;

static void storage_free(void *state)
{
    storage *s = state;
    if (s != NULL) {
        pack_release(&s->text);
        cachekit_buffer_release(&s->envelope);
        cachekit_buffer_release(&s->payload);
        free(s);
    }
}

static void store(void *state)
{
    storage *s = state;
    cachekit_slice text = {s->text.bytes, s->text.len};
    s->calls++;
    s->good += cachekit_envelope_encode(text, NULL, &s->envelope, NULL) == CACHEKIT_OK;
}

static void retrieve(void *state)
{
    storage *s = state;
    cachekit_slice envelope = {s->envelope.data, s->envelope.len};
    s->calls++;
    s->good += cachekit_envelope_decode(envelope, 0, &s->payload, NULL, NULL) == CACHEKIT_OK;
}

static void *storage_new(const char *name)
{
    storage *s = calloc(1, sizeof *s);
    if (s == NULL || !input_make(name, &s->text)) {
        storage_free(s);
        return NULL;
    }
    store(s);
    retrieve(s);
    if (s->good != s->calls) {
        storage_free(s);
        return NULL;
    }
    return s;
}

static void *setup_40b(void)
{
    return storage_new("text_40");
}

static void *setup_64k(void)
{
    return storage_new("address_64k");
}

/* The envelope's payload, read again, against the text. */
static int compare_text(storage *s)
{
    memset(s->payload.data, 0xc1, s->payload.room);
    retrieve(s);
    if (s->good != s->calls) {
        return VERDICT_CALL_FAILED;
    }
    bool same =
        s->payload.len == s->text.len && memcmp(s->payload.data, s->text.bytes, s->text.len) == 0;
    return same ? VERDICT_OK : VERDICT_WRONG_OUTPUT;
}

static int verify_store(void *state)
{
    storage *s = state;
    memset(s->envelope.data, 0xc1, s->envelope.room);
    store(s);
    return compare_text(s);
}

/* Every byte of the envelope's last 24, checksum, length and format, matters. */
static bool refuses_damage(storage *s)
{
    for (size_t i = s->envelope.len - 24; i < s->envelope.len; i++) {
        uint64_t good = s->good;
        s->envelope.data[i] ^= 1;
        retrieve(s);
        s->envelope.data[i] ^= 1;
        if (s->good != good) {
            return false;
        }
        s->calls--;
    }
    return true;
}

static int verify_retrieve(void *state)
{
    storage *s = state;
    int verdict = compare_text(s);
    if (verdict == VERDICT_OK && !refuses_damage(s)) {
        verdict = VERDICT_READ_HOSTILE;
    }
    return verdict;
}

CKBENCH_PATH(byte_storage_store_40b, "envelope around 40 bytes of repetitive text", setup_40b,
             store, verify_store, storage_free)
CKBENCH_PATH(byte_storage_store_64k, "envelope around 64 KiB of address-like text", setup_64k,
             store, verify_store, storage_free)
CKBENCH_PATH(byte_storage_retrieve_64k, "64 KiB of address-like text out of its envelope",
             setup_64k, retrieve, verify_retrieve, storage_free)
