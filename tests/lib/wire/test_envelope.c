// SPDX-License-Identifier: MIT
// Envelopes against the protocol's pinned rows, in both directions.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <cachekit/envelope.h>

#include "base/hash.h"
#include "small_stack.h"
#include "wire_vectors.h"

static struct wire_vector vectors[WIRE_VECTORS_COUNT];

static void load(void)
{
    cr_assert(eq(sz, wire_vectors_load(vectors, WIRE_VECTORS_COUNT), WIRE_VECTORS_COUNT));
}

TestSuite(envelope, .init = load);

Test(envelope, every_pinned_row_decodes)
{
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < WIRE_VECTORS_COUNT; i++) {
        const struct wire_vector *row = &vectors[i];
        cachekit_slice envelope = {row->envelope, row->envelope_len};
        const char *format = NULL;
        cr_assert(
            eq(int, cachekit_envelope_decode(envelope, 0, &payload, &format, NULL), CACHEKIT_OK),
            "%s", row->name);
        cr_assert(eq(sz, payload.len, row->payload_len), "%s", row->name);
        cr_assert(row->payload_len == 0 ||
                  memcmp(payload.data, row->payload, row->payload_len) == 0);
        cr_assert(eq(str, (char *)format, (char *)row->format));
    }
    cachekit_buffer_release(&payload);
}

Test(envelope, inspect_tells_the_two_encodings_apart)
{
    for (size_t i = 0; i < WIRE_VECTORS_COUNT; i++) {
        const struct wire_vector *row = &vectors[i];
        cachekit_envelope_info info;
        cachekit_slice envelope = {row->envelope, row->envelope_len};
        cr_assert(eq(int, cachekit_envelope_inspect(envelope, &info, NULL), CACHEKIT_OK));
        cr_assert(eq(int, info.is_legacy, !row->is_bin), "%s", row->name);
        cr_assert(eq(sz, info.payload_len, row->payload_len), "%s", row->name);
        cr_assert(eq(u64, info.checksum, cki_xxh3(row->payload, row->payload_len)));
    }
}

// What follows the block does not depend on the compressor, so it must be the pinned bytes; the
// block itself must decode to the payload.
Test(envelope, every_pinned_payload_encodes)
{
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT;
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < WIRE_VECTORS_COUNT; i++) {
        const struct wire_vector *row = &vectors[i];
        cachekit_slice input = {row->payload, row->payload_len};
        cr_assert(
            eq(int, cachekit_envelope_encode(input, row->format, &envelope, NULL), CACHEKIT_OK));
        cachekit_envelope_info info;
        cachekit_slice bytes = {envelope.data, envelope.len};
        cr_assert(eq(int, cachekit_envelope_inspect(bytes, &info, NULL), CACHEKIT_OK));
        cr_assert(not(info.is_legacy), "writers write bin");
        size_t tail = envelope.len - info.compressed_len - 3;
        cr_assert(eq(int,
                     memcmp(envelope.data + envelope.len - tail,
                            row->envelope + row->envelope_len - tail, tail),
                     0),
                  "%s", row->name);
        cr_assert(eq(int, cachekit_envelope_decode(bytes, 0, &payload, NULL, NULL), CACHEKIT_OK));
        cr_assert(eq(sz, payload.len, row->payload_len));
        cr_assert(row->payload_len == 0 ||
                  memcmp(payload.data, row->payload, row->payload_len) == 0);
        // Literals have one form. From 64 bytes on LZ4 decides, and its encoders differ.
        if (row->is_bin && row->payload_len < 64) {
            cr_assert(eq(sz, envelope.len, row->envelope_len), "%s", row->name);
            cr_assert(eq(int, memcmp(envelope.data, row->envelope, envelope.len), 0), "%s",
                      row->name);
        }
    }
    cachekit_buffer_release(&envelope);
    cachekit_buffer_release(&payload);
}

Test(envelope, checksums_are_the_published_ones)
{
    cr_assert(eq(u64, cki_xxh3(NULL, 0), 0x2d06800538d394c2));
    cr_assert(eq(u64, cki_xxh3("hello, cachekit!", 16), 0x6d8a34b63a3c52d3));
    cr_assert(eq(u64, cki_xxh3("cachekit-kat", 12), 0xd123cc9bbe9da4b1));
}

Test(envelope, a_used_buffer_needs_no_new_memory)
{
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT;
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    for (size_t i = WIRE_VECTORS_COUNT; i-- > 0;) {
        const struct wire_vector *row = &vectors[i];
        if (row->payload_len != 1024 && envelope.data == NULL) {
            continue; // the largest comes first
        }
        uint8_t *before[] = {envelope.data, payload.data};
        cachekit_slice input = {row->payload, row->payload_len};
        cr_assert(eq(int, cachekit_envelope_encode(input, NULL, &envelope, NULL), CACHEKIT_OK));
        cachekit_slice bytes = {envelope.data, envelope.len};
        cr_assert(eq(int, cachekit_envelope_decode(bytes, 0, &payload, NULL, NULL), CACHEKIT_OK));
        cr_assert(before[0] == NULL || before[0] == envelope.data);
        cr_assert(before[1] == NULL || before[1] == payload.data);
    }
    cr_assert(ne(ptr, envelope.data, NULL));
    cachekit_buffer_release(&envelope);
    cachekit_buffer_release(&payload);
}

Test(envelope, the_callers_cap_is_a_limit_of_its_own)
{
    const struct wire_vector *row = &vectors[1];
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    cachekit_slice bytes = {row->envelope, row->envelope_len};
    size_t len = row->payload_len;
    cr_assert(eq(int, cachekit_envelope_decode(bytes, len, &payload, NULL, NULL), CACHEKIT_OK));
    cr_assert(eq(int, cachekit_envelope_decode(bytes, len - 1, &payload, NULL, NULL),
                 CACHEKIT_E_TOO_LARGE));
    cr_assert(eq(sz, payload.len, 0), "a failure leaves the used buffer empty");
    cachekit_buffer_release(&payload);
}

// A checksum is no proof of origin: whoever can write the store can write this one.
Test(envelope, a_forged_payload_with_its_own_checksum_is_accepted)
{
    cachekit_buffer forged = CACHEKIT_BUFFER_INIT;
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    cachekit_slice other = {(const uint8_t *)"hello, attacker!", 16};
    cr_assert(eq(int, cachekit_envelope_encode(other, NULL, &forged, NULL), CACHEKIT_OK));
    cachekit_slice bytes = {forged.data, forged.len};
    cr_assert(eq(int, cachekit_envelope_decode(bytes, 0, &payload, NULL, NULL), CACHEKIT_OK));
    cachekit_buffer_release(&forged);
    cachekit_buffer_release(&payload);
}

static void *encode_and_decode(void *context)
{
    bool *passed = context;
    static uint8_t text[1 << 16];
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT;
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    cachekit_slice input = {text, sizeof text};
    if (cachekit_envelope_encode(input, NULL, &envelope, NULL) == CACHEKIT_OK) {
        cachekit_slice bytes = {envelope.data, envelope.len};
        *passed = cachekit_envelope_decode(bytes, 0, &payload, NULL, NULL) == CACHEKIT_OK &&
                  payload.len == sizeof text;
    }
    cachekit_buffer_release(&envelope);
    cachekit_buffer_release(&payload);
    return NULL;
}

Test(envelope, works_on_a_stack_of_64_kib)
{
    bool passed = false;
    cr_assert(small_stack_run(encode_and_decode, &passed));
    cr_assert(passed);
}
