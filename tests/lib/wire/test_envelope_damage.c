// SPDX-License-Identifier: MIT
// Damage of every envelope at every place: an error or the very payload, never other bytes.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <cachekit/envelope.h>

#include "wire_vectors.h"

static struct wire_vector vectors[WIRE_VECTORS_COUNT];

static void load(void)
{
    cr_assert(eq(sz, wire_vectors_load(vectors, WIRE_VECTORS_COUNT), WIRE_VECTORS_COUNT));
}

TestSuite(envelope_damage, .init = load);

static bool is_original(const struct wire_vector *row, const cachekit_buffer *payload)
{
    return payload->len == row->payload_len &&
           (payload->len == 0 || memcmp(payload->data, row->payload, payload->len) == 0);
}

Test(envelope_damage, every_truncation_is_refused)
{
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < WIRE_VECTORS_COUNT; i++) {
        for (size_t len = 0; len < vectors[i].envelope_len; len++) {
            uint8_t *exact = malloc(len + 1);
            memcpy(exact, vectors[i].envelope, len);
            cachekit_slice cut = {exact, len};
            cr_assert(
                eq(int, cachekit_envelope_decode(cut, 0, &payload, NULL, NULL), CACHEKIT_E_DECODE),
                "%s cut to %zu", vectors[i].name, len);
            free(exact);
        }
    }
    cachekit_buffer_release(&payload);
}

Test(envelope_damage, every_flipped_bit_gives_an_error_or_the_original)
{
    size_t refused = 0;
    size_t original = 0;
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < WIRE_VECTORS_COUNT; i++) {
        const struct wire_vector *row = &vectors[i];
        for (size_t bit = 0; bit < 8 * row->envelope_len; bit++) {
            uint8_t *bytes = malloc(row->envelope_len);
            memcpy(bytes, row->envelope, row->envelope_len);
            bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            cachekit_slice flipped = {bytes, row->envelope_len};
            if (cachekit_envelope_decode(flipped, 0, &payload, NULL, NULL) != CACHEKIT_OK) {
                refused++;
            } else {
                cr_assert(is_original(row, &payload), "%s, bit %zu", row->name, bit);
                original++;
            }
            free(bytes);
        }
    }
    cr_assert(gt(sz, refused, 5000));
    cr_assert(lt(sz, original, 300), "%zu flips changed nothing", original);
    cachekit_buffer_release(&payload);
}

Test(envelope_damage, every_replaced_byte_gives_an_error_or_the_original)
{
    cachekit_buffer payload = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < WIRE_VECTORS_COUNT; i++) {
        const struct wire_vector *row = &vectors[i];
        uint8_t bytes[WIRE_VECTOR_ROOM];
        memcpy(bytes, row->envelope, row->envelope_len);
        for (size_t at = 0; at < row->envelope_len; at++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                bytes[at] = (uint8_t)byte;
                cachekit_slice changed = {bytes, row->envelope_len};
                if (cachekit_envelope_decode(changed, 0, &payload, NULL, NULL) == CACHEKIT_OK) {
                    cr_assert(is_original(row, &payload), "%s at %zu", row->name, at);
                }
            }
            bytes[at] = row->envelope[at];
        }
    }
    cachekit_buffer_release(&payload);
}
