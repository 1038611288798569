// SPDX-License-Identifier: MIT
// Envelopes of all widths, read back by msgpack-c and liblz4 called directly, and by ourselves.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <lz4.h>
#include <msgpack.h>

#include <cachekit/envelope.h>

#include "base/hash.h"
#include "fault_allocator.h"

// Incompressible bytes: xorshift with a fixed seed.
static void fill_random(uint8_t *data, size_t len)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < len; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        data[i] = (uint8_t)(state >> 32);
    }
}

// Header bytes before a block of this length when every width is the shortest.
static size_t shortest_header(size_t block_len)
{
    return 1 + (block_len < 256 ? 2 : block_len < 65536 ? 3 : 5);
}

static void check_with_oracle(const cachekit_buffer *envelope, cachekit_slice payload)
{
    msgpack_unpacked result;
    msgpack_unpacked_init(&result);
    size_t offset = 0;
    cr_assert(eq(int,
                 msgpack_unpack_next(&result, (const char *)envelope->data, envelope->len, &offset),
                 MSGPACK_UNPACK_SUCCESS));
    cr_assert(eq(sz, offset, envelope->len));
    cr_assert(eq(int, result.data.type, MSGPACK_OBJECT_ARRAY));
    cr_assert(eq(sz, result.data.via.array.size, 4));
    const msgpack_object *item = result.data.via.array.ptr;
    cr_assert(eq(int, item[0].type, MSGPACK_OBJECT_BIN));
    cr_assert(eq(int, item[1].type, MSGPACK_OBJECT_ARRAY));
    cr_assert(eq(sz, item[1].via.array.size, 8));
    cr_assert(eq(int, item[2].type, MSGPACK_OBJECT_POSITIVE_INTEGER));
    cr_assert(eq(u64, item[2].via.u64, payload.len));
    cr_assert(eq(int, item[3].type, MSGPACK_OBJECT_STR));
    uint64_t checksum = cki_xxh3(payload.data, payload.len);
    for (unsigned i = 0; i < 8; i++) {
        cr_assert(eq(u64, item[1].via.array.ptr[i].via.u64, checksum >> (56 - 8 * i) & 0xff));
    }
    const msgpack_object_bin *block = &item[0].via.bin;
    cr_assert(eq(ptr, (void *)block->ptr, envelope->data + shortest_header(block->size)));
    char *back = malloc(payload.len + 1);
    cr_assert(eq(int, LZ4_decompress_safe(block->ptr, back, (int)block->size, (int)payload.len),
                 (int)payload.len));
    cr_assert(payload.len == 0 || memcmp(back, payload.data, payload.len) == 0);
    free(back);
    msgpack_unpacked_destroy(&result);
}

static void check_round_trip(cachekit_slice payload)
{
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT;
    cachekit_buffer back = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_envelope_encode(payload, NULL, &envelope, NULL), CACHEKIT_OK),
              "%zu bytes", payload.len);
    check_with_oracle(&envelope, payload);
    cachekit_slice bytes = {envelope.data, envelope.len};
    cr_assert(eq(int, cachekit_envelope_decode(bytes, 0, &back, NULL, NULL), CACHEKIT_OK));
    cr_assert(eq(sz, back.len, payload.len));
    cr_assert(payload.len == 0 || memcmp(back.data, payload.data, payload.len) == 0);
    cachekit_buffer_release(&envelope);
    cachekit_buffer_release(&back);
}

// Around every width, and where the header's width is guessed wrong in either direction.
static const size_t lens[] = {127,    128,    253,    254,    255,     256,    257,   509,
                              510,    511,    512,    513,    1024,    65023,  65024, 65025,
                              65278,  65279,  65280,  65535,  65536,   65537,  65600, 131070,
                              131071, 131072, 131073, 140000, 4278189, 1 << 23};
enum { LEN_MAX = 1 << 23 };

Test(envelope_write, random_bytes_of_every_width)
{
    uint8_t *data = malloc(LEN_MAX);
    fill_random(data, LEN_MAX);
    for (size_t len = 0; len <= 300; len++) {
        check_round_trip((cachekit_slice){data, len});
    }
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        check_round_trip((cachekit_slice){data, lens[i]});
    }
    free(data);
}

// Runs of one byte come as close to 255 : 1 as LZ4 can; the bound must let them pass.
Test(envelope_write, runs_of_one_byte_of_every_width)
{
    uint8_t *data = calloc(LEN_MAX, 1);
    for (size_t len = 0; len <= 300; len++) {
        check_round_trip((cachekit_slice){data, len});
    }
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        check_round_trip((cachekit_slice){data, lens[i]});
    }
    free(data);
}

Test(envelope_write, only_texts_of_the_protocol_are_formats)
{
    static const struct {
        const char *format;
        cachekit_status expected;
    } rows[] = {
        {NULL, CACHEKIT_OK},
        {"msgpack", CACHEKIT_OK},
        {"orjson", CACHEKIT_OK},
        {"arrow", CACHEKIT_OK},
        {"", CACHEKIT_E_INVALID},
        {"json", CACHEKIT_E_INVALID},
        {"pickle", CACHEKIT_E_INVALID},
        {"msgpack ", CACHEKIT_E_INVALID},
    };
    cachekit_slice payload = {(const uint8_t *)"x", 1};
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT;
    cachekit_buffer back = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_status status = cachekit_envelope_encode(payload, rows[i].format, &envelope, NULL);
        cr_expect(eq(int, status, rows[i].expected), "row %zu", i);
        cr_expect(eq(int, envelope.len != 0, status == CACHEKIT_OK));
        if (status == CACHEKIT_OK) {
            const char *format = NULL;
            cachekit_slice bytes = {envelope.data, envelope.len};
            cr_expect(
                eq(int, cachekit_envelope_decode(bytes, 0, &back, &format, NULL), CACHEKIT_OK));
            cr_expect(eq(str, (char *)format,
                         (char *)(rows[i].format != NULL ? rows[i].format : "msgpack")));
        }
    }
    cachekit_buffer_release(&envelope);
    cachekit_buffer_release(&back);
}

Test(envelope_write, a_payload_over_512_mib_is_not_looked_at)
{
    const uint8_t byte = 0;
    cachekit_slice over = {&byte, (size_t)CACHEKIT_ENVELOPE_MAX_BYTES + 1};
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_envelope_encode(over, NULL, &envelope, NULL), CACHEKIT_E_TOO_LARGE));
    cr_assert(eq(sz, envelope.room, 0));
}

Test(envelope_write, refused_memory_is_an_error)
{
    struct fault_allocator none;
    fault_allocator_init(&none);
    none.fail_at = 0;
    none.fail_on = true;
    cachekit_buffer poor;
    cachekit_buffer envelope = CACHEKIT_BUFFER_INIT;
    cachekit_buffer_init(&poor, &none.hooks);
    cachekit_slice payload = {(const uint8_t *)"x", 1};
    cachekit_error error;
    cr_assert(eq(int, cachekit_envelope_encode(payload, NULL, &poor, &error), CACHEKIT_E_NOMEM));
    cr_assert(eq(int, cachekit_envelope_encode(payload, NULL, &envelope, NULL), CACHEKIT_OK));
    cachekit_slice bytes = {envelope.data, envelope.len};
    cr_assert(eq(int, cachekit_envelope_decode(bytes, 0, &poor, NULL, &error), CACHEKIT_E_NOMEM));
    cr_assert(eq(sz, poor.len, 0));
    cachekit_buffer_release(&envelope);
}
