// SPDX-License-Identifier: MIT
// Each check of the layout and of the claims by a table, and the order of all checks. The parts
// are those of the pinned vector "simple_string".
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <sys/mman.h>

#include <cachekit/envelope.h>

#include "fault_allocator.h"
#include "hex.h"
#include "wire/layout.h"

#define OK          CACHEKIT_OK
#define E_DECODE    CACHEKIT_E_DECODE
#define BLOCK       "c412 f001 68656c6c6f2c2063616368656b697421"
#define BLOCK_INTS  "f0 01 68 65 6c 6c 6f 2c 20 63 61 63 68 65 6b 69 74 21"
#define CHECKSUM    "98 6d cc8a 34 ccb6 3a 3c 52 ccd3"
#define LEGACY_TAIL "01 68656c6c6f2c2063616368656b697421"

// Parts that are NULL are those of the vector.
struct row {
    const char *name;
    const char *outer;
    const char *block;
    const char *checksum;
    const char *size;
    const char *format;
    const char *behind;
    cachekit_status expected;
};

static size_t build(const struct row *row, uint8_t *out, size_t room)
{
    const char *parts[] = {
        row->outer != NULL ? row->outer : "94",
        row->block != NULL ? row->block : BLOCK,
        row->checksum != NULL ? row->checksum : CHECKSUM,
        row->size != NULL ? row->size : "10",
        row->format != NULL ? row->format : "a7 6d73677061636b",
        row->behind != NULL ? row->behind : "",
    };
    size_t len = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        len = hex_append(out, len, room, parts[i]);
    }
    return len;
}

static void run(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[512];
        size_t len = build(&rows[i], bytes, sizeof bytes);
        uint8_t *exact = malloc(len + 1); // a sanitizer sees one byte read too many
        memcpy(exact, bytes, len);
        cachekit_buffer payload;
        struct fault_allocator counting;
        fault_allocator_init(&counting);
        cachekit_buffer_init(&payload, &counting.hooks);
        cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
        const char *format = "";
        cachekit_status status =
            cachekit_envelope_decode((cachekit_slice){exact, len}, 0, &payload, &format, &error);
        cr_expect(eq(int, status, rows[i].expected), "%s: %s: %s", rows[i].name,
                  cachekit_status_name(status), error.text);
        if (status == CACHEKIT_OK) {
            cr_expect(eq(sz, payload.len, 16));
            cr_expect(eq(int, memcmp(payload.data, "hello, cachekit!", 16), 0));
            cr_expect(eq(str, (char *)format, (char *)"msgpack"));
        } else {
            cr_expect(eq(int, error.status, status), "%s", rows[i].name);
            cr_expect(eq(sz, payload.len, 0), "%s", rows[i].name);
            cr_expect(eq(ptr, (void *)format, NULL), "%s", rows[i].name);
        }
        bool may_allocate = status == CACHEKIT_OK || status == CACHEKIT_E_DECOMPRESS ||
                            status == CACHEKIT_E_CHECKSUM || status == CACHEKIT_E_SIZE;
        cr_expect(may_allocate || counting.calls == 0, "%s: %d allocations", rows[i].name,
                  counting.calls);
        cachekit_buffer_release(&payload);
        free(exact);
    }
}

#define RUN(rows) run(rows, sizeof(rows) / sizeof(rows)[0])

Test(layout, outer_array)
{
    static const struct row rows[] = {
        {"the vector", .expected = OK},
        {"array16 of four", .outer = "dc0004", .expected = OK},
        {"array32 of four", .outer = "dd00000004", .expected = OK},
        {"array of three", .outer = "93", .expected = E_DECODE},
        {"array of five", .outer = "95", .expected = E_DECODE},
        {"array of none", .outer = "90", .expected = E_DECODE},
        {"array16 of five", .outer = "dc0005", .expected = E_DECODE},
        {"array32 of 2^32 - 1", .outer = "ddffffffff", .expected = E_DECODE},
        {"map of four", .outer = "84", .expected = E_DECODE},
        {"bin", .outer = "c404", .expected = E_DECODE},
        {"nil", .outer = "c0", .expected = E_DECODE},
        {"reserved marker", .outer = "c1", .expected = E_DECODE},
        {"nil behind", .behind = "c0", .expected = E_DECODE},
        {"NUL behind", .behind = "00", .expected = E_DECODE},
        {"a second envelope behind",
         .behind = "94c40100982d06cc800538ccd3cc94ccc200a76d73677061636b", .expected = E_DECODE},
    };
    RUN(rows);
}

Test(layout, block_element)
{
    static const struct row rows[] = {
        {"bin16",
         .block = "c50012f001"
                  "68656c6c6f2c2063616368656b697421",
         .expected = OK},
        {"bin32",
         .block = "c600000012f001"
                  "68656c6c6f2c2063616368656b697421",
         .expected = OK},
        {"array16 of ints", .block = "dc0012 ccf0" LEGACY_TAIL, .expected = OK},
        {"array32 of ints", .block = "dd00000012 ccf0" LEGACY_TAIL, .expected = OK},
        {"uint16 in the array", .block = "dc0012 cd00f0" LEGACY_TAIL, .expected = OK},
        {"uint32 in the array", .block = "dc0012 ce000000f0" LEGACY_TAIL, .expected = OK},
        {"uint64 in the array", .block = "dc0012 cf00000000000000f0" LEGACY_TAIL, .expected = OK},
        {"int16 in the array", .block = "dc0012 d100f0" LEGACY_TAIL, .expected = OK},
        {"int32 in the array", .block = "dc0012 d2000000f0" LEGACY_TAIL, .expected = OK},
        {"int64 in the array", .block = "dc0012 d300000000000000f0" LEGACY_TAIL, .expected = OK},
        {"byte 256 in the array", .block = "dc0012 cd0100" LEGACY_TAIL, .expected = E_DECODE},
        {"byte 496, 240 when cut", .block = "dc0012 cd01f0" LEGACY_TAIL, .expected = E_DECODE},
        {"negative int8, 240 when cast", .block = "dc0012 d0f0" LEGACY_TAIL, .expected = E_DECODE},
        {"negative int16", .block = "dc0012 d1fff0" LEGACY_TAIL, .expected = E_DECODE},
        {"negative fixint", .block = "dc0012 f0" LEGACY_TAIL, .expected = E_DECODE},
        {"float in the array", .block = "dc0012 ca43700000" LEGACY_TAIL, .expected = E_DECODE},
        {"true in the array", .block = "dc0012 c3" LEGACY_TAIL, .expected = E_DECODE},
        {"array one longer than its ints", .block = "dc0013 ccf0" LEGACY_TAIL,
         .expected = E_DECODE},
        {"array one shorter than its ints", .block = "dc0011 ccf0" LEGACY_TAIL,
         .expected = E_DECODE},
        {"str",
         .block = "b2 f001"
                  "68656c6c6f2c2063616368656b697421",
         .expected = E_DECODE},
        {"nil", .block = "c0", .expected = E_DECODE},
        {"int", .block = "05", .expected = E_DECODE},
        {"ext8",
         .block = "c71201 f001"
                  "68656c6c6f2c2063616368656b697421",
         .expected = E_DECODE},
        {"bin32 of 4 GiB", .block = "c6ffffffff", .expected = E_DECODE},
        {"array32 of 2^32 - 1", .block = "ddffffffff", .expected = E_DECODE},
        {"array32 of 100 million", .block = "dd05f5e100", .expected = E_DECODE},
    };
    RUN(rows);
}

Test(layout, checksum_element)
{
    static const struct row rows[] = {
        {"array16 of eight", .checksum = "dc0008 6d cc8a 34 ccb6 3a 3c 52 ccd3", .expected = OK},
        {"array32 of eight", .checksum = "dd00000008 6d cc8a 34 ccb6 3a 3c 52 ccd3",
         .expected = OK},
        {"wide ints",
         .checksum = "98 cc6d cd008a ce00000034 cf00000000000000b6 d03a d1003c 52 ccd3",
         .expected = OK},
        {"seven", .checksum = "97 6d cc8a 34 ccb6 3a 3c 52", .expected = E_DECODE},
        {"nine, the last one the length", .checksum = "99 6d cc8a 34 ccb6 3a 3c 52 ccd3",
         .expected = E_DECODE},
        {"nine", .checksum = "99 6d cc8a 34 ccb6 3a 3c 52 ccd3 00", .expected = E_DECODE},
        {"bin", .checksum = "c408 6d8a34b63a3c52d3", .expected = E_DECODE},
        {"uint64", .checksum = "cf 6d8a34b63a3c52d3", .expected = E_DECODE},
        {"int8 negatives", .checksum = "98 6d d08a 34 d0b6 3a 3c 52 d0d3", .expected = E_DECODE},
        {"byte 256", .checksum = "98 6d cc8a 34 ccb6 3a 3c 52 cd0100", .expected = E_DECODE},
        {"little-endian", .checksum = "98 ccd3 52 3c 3a ccb6 34 cc8a 6d",
         .expected = CACHEKIT_E_CHECKSUM},
        {"last byte off by one", .checksum = "98 6d cc8a 34 ccb6 3a 3c 52 ccd2",
         .expected = CACHEKIT_E_CHECKSUM},
    };
    RUN(rows);
}

Test(layout, size_element)
{
    static const struct row rows[] = {
        {"uint8", .size = "cc10", .expected = OK},
        {"uint16", .size = "cd0010", .expected = OK},
        {"uint32", .size = "ce00000010", .expected = OK},
        {"uint64", .size = "cf0000000000000010", .expected = OK},
        {"int8", .size = "d010", .expected = OK},
        {"int16", .size = "d10010", .expected = OK},
        {"int32", .size = "d200000010", .expected = OK},
        {"int64", .size = "d30000000000000010", .expected = OK},
        {"-1", .size = "ff", .expected = E_DECODE},
        {"int8 -128", .size = "d080", .expected = E_DECODE},
        {"int32 -1", .size = "d2ffffffff", .expected = E_DECODE},
        {"int64 -1", .size = "d3ffffffffffffffff", .expected = E_DECODE},
        {"2^32", .size = "cf0000000100000000", .expected = E_DECODE},
        {"2^32 + 16", .size = "cf0000000100000010", .expected = E_DECODE},
        {"int64 2^32", .size = "d30000000100000000", .expected = E_DECODE},
        {"2^32 - 1", .size = "ceffffffff", .expected = CACHEKIT_E_TOO_LARGE},
        {"512 MiB + 1", .size = "ce20000001", .expected = CACHEKIT_E_TOO_LARGE},
        {"512 MiB", .size = "ce20000000", .expected = CACHEKIT_E_BOMB},
        {"float 16.0", .size = "ca41800000", .expected = E_DECODE},
        {"nil", .size = "c0", .expected = E_DECODE},
        {"text", .size = "a23136", .expected = E_DECODE},
        {"one more than comes out", .size = "11", .expected = CACHEKIT_E_SIZE},
        {"one less than comes out", .size = "0f", .expected = CACHEKIT_E_DECOMPRESS},
        {"0", .size = "00", .expected = CACHEKIT_E_DECOMPRESS},
        {"255 times the block", .size = "cd11ee", .expected = CACHEKIT_E_SIZE},
        {"255 times the block and one", .size = "cd11ef", .expected = CACHEKIT_E_BOMB},
    };
    RUN(rows);
}

Test(layout, format_element)
{
    static const struct row rows[] = {
        {"str8", .format = "d907 6d73677061636b", .expected = OK},
        {"str16", .format = "da0007 6d73677061636b", .expected = OK},
        {"str32", .format = "db00000007 6d73677061636b", .expected = OK},
        {"bin", .format = "c407 6d73677061636b", .expected = E_DECODE},
        {"empty", .format = "a0", .expected = E_DECODE},
        {"a prefix", .format = "a6 6d7367706163", .expected = E_DECODE},
        {"with a NUL", .format = "a8 6d73677061636b00", .expected = E_DECODE},
        {"upper case", .format = "a7 4d73677061636b", .expected = E_DECODE},
        {"pickle", .format = "a6 7069636b6c65", .expected = E_DECODE},
        {"invalid UTF-8", .format = "a2 c328", .expected = E_DECODE},
        {"a lone surrogate", .format = "a3 eda080", .expected = E_DECODE},
        {"text longer than the input", .format = "a8 6d73677061636b", .expected = E_DECODE},
        {"str32 of 4 GiB", .format = "dbffffffff", .expected = E_DECODE},
        {"nil", .format = "c0", .expected = E_DECODE},
    };
    RUN(rows);
}

// Every envelope here has the faults of its line and all those of the lines below it that it can
// have at once; the first must win.
Test(layout, checks_run_in_the_protocols_order)
{
    static const struct row rows[] = {
        {"decode before size limit", .size = "ce20000001", .behind = "00", .expected = E_DECODE},
        {"decode before empty block", .block = "c400", .format = "a0", .expected = E_DECODE},
        {"size limit before empty block", .block = "c400", .size = "ce20000001",
         .expected = CACHEKIT_E_TOO_LARGE},
        {"size limit before ratio", .block = "c40100", .size = "ce20000001",
         .expected = CACHEKIT_E_TOO_LARGE},
        {"empty block, even for nothing", .block = "c400", .size = "00",
         .expected = CACHEKIT_E_BOMB},
        {"empty array, even for nothing", .block = "90", .size = "00", .expected = CACHEKIT_E_BOMB},
        {"ratio before a damaged block", .block = "c401f0", .size = "cd0100",
         .expected = CACHEKIT_E_BOMB},
        {"ratio of an array before a damaged block", .block = "91ccf0", .size = "cd0100",
         .expected = CACHEKIT_E_BOMB},
        {"damaged block before checksum", .block = "c401f0", .checksum = "980000000000000000",
         .expected = CACHEKIT_E_DECOMPRESS},
        {"checksum before length", .block = "c40100", .expected = CACHEKIT_E_CHECKSUM},
        {"length last: the checksum is that of what came out", .block = "c40100",
         .checksum = "98 2d 06 cc80 05 38 ccd3 cc94 ccc2", .expected = CACHEKIT_E_SIZE},
    };
    RUN(rows);
}

Test(layout, an_envelope_over_512_mib_is_not_looked_at)
{
    const uint8_t byte = 0x94;
    cachekit_envelope_info info;
    cachekit_slice over = {&byte, (size_t)CACHEKIT_ENVELOPE_MAX_BYTES + 1};
    cr_assert(eq(int, cachekit_envelope_inspect(over, &info, NULL), CACHEKIT_E_TOO_LARGE));
    cachekit_slice none = {NULL, 0};
    cr_assert(eq(int, cachekit_envelope_inspect(none, &info, NULL), CACHEKIT_E_DECODE));
}

Test(layout, an_envelope_of_512_mib_is_looked_at)
{
    uint8_t *zeros = mmap(NULL, CACHEKIT_ENVELOPE_MAX_BYTES, PROT_READ,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert(ne(ptr, zeros, MAP_FAILED));
    cachekit_envelope_info info;
    cachekit_slice most = {zeros, CACHEKIT_ENVELOPE_MAX_BYTES};
    cr_assert(eq(int, cachekit_envelope_inspect(most, &info, NULL), CACHEKIT_E_DECODE));
    munmap(zeros, CACHEKIT_ENVELOPE_MAX_BYTES);
}

Test(layout, claims)
{
    static const struct claim {
        uint64_t compressed_len;
        uint64_t payload_len;
        uint64_t cap;
        cachekit_status expected;
    } rows[] = {
        {1, 0, 0, OK},
        {1, 255, 0, OK},
        {1, 256, 0, CACHEKIT_E_BOMB},
        {1, 1000, 0, CACHEKIT_E_BOMB},
        {1, 1001, 0, CACHEKIT_E_BOMB},
        {4, 1020, 0, OK},
        {4, 1021, 0, CACHEKIT_E_BOMB},
        {15, 1024, 0, OK},
        {0, 0, 0, CACHEKIT_E_BOMB},
        {0, 1, 0, CACHEKIT_E_BOMB},
        // A product of 32 bits would refuse this payload, which does not even shrink.
        {4294968, 4278189, 0, OK},
        {16843010, 4278189, 0, OK},
        {2105377, 536870912, 0, OK},
        {2105376, 536870912, 0, CACHEKIT_E_BOMB},
        {536870912, 536870912, 0, OK},
        {536870913, 536870912, 0, CACHEKIT_E_TOO_LARGE},
        {536870912, 536870913, 0, CACHEKIT_E_TOO_LARGE},
        {536870913, 536870913, 0, CACHEKIT_E_TOO_LARGE},
        {0, 536870913, 0, CACHEKIT_E_TOO_LARGE},
        {UINT64_MAX, 1, 0, CACHEKIT_E_TOO_LARGE},
        {100, 1000, 1000, OK},
        {100, 1001, 1000, CACHEKIT_E_TOO_LARGE},
        {0, 1001, 1000, CACHEKIT_E_TOO_LARGE},
        {1, 1000, 1000, CACHEKIT_E_BOMB},
        {536870912, 536870913, UINT64_MAX, CACHEKIT_E_TOO_LARGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_status status =
            cki_claims_check(rows[i].compressed_len, rows[i].payload_len, rows[i].cap, NULL);
        cr_expect(eq(int, status, rows[i].expected), "row %zu: %s", i,
                  cachekit_status_name(status));
    }
}

Test(layout, the_error_names_the_element_and_where_it_stands)
{
    static const struct {
        struct row row;
        uint64_t position;
        const char *text;
    } rows[] = {
        {{"outer", .outer = "93"}, 0, "no array of four elements"},
        // 39 bytes are left behind this header.
        {{"one byte too many", .block = "c428 f001 68656c6c6f2c2063616368656b697421"},
         1,
         "the block is no complete bin and no complete array of bytes"},
        {{"bin", .checksum = "c4086d8a34b63a3c52d3"},
         21,
         "the checksum is no array of eight bytes"},
        {{"nil", .size = "c0"}, 33, "the payload length is no unsigned 32-bit integer"},
        {{"empty", .format = "a0"}, 34, "the format is no text that the protocol knows"},
        {{"nil", .behind = "c0"}, 42, "bytes follow the envelope"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[64];
        cachekit_slice envelope = {bytes, build(&rows[i].row, bytes, sizeof bytes)};
        cachekit_error error;
        cachekit_envelope_info info;
        cr_expect(eq(int, cachekit_envelope_inspect(envelope, &info, &error), E_DECODE));
        cr_expect(eq(u64, error.position, rows[i].position), "row %zu", i);
        cr_expect(eq(str, error.text, (char *)rows[i].text), "row %zu", i);
    }
}

Test(layout, inspect_shows_a_claim_that_it_refuses)
{
    static const struct row row = {"bomb", .block = "c40100", .size = "ce00001000", .expected = OK};
    uint8_t bytes[64];
    size_t len = build(&row, bytes, sizeof bytes);
    cachekit_envelope_info info = {0, 0, 0, NULL, true};
    cachekit_slice envelope = {bytes, len};
    cr_assert(eq(int, cachekit_envelope_inspect(envelope, &info, NULL), CACHEKIT_E_BOMB));
    cr_assert(eq(sz, info.compressed_len, 1));
    cr_assert(eq(sz, info.payload_len, 4096));
    cr_assert(eq(u64, info.checksum, 0x6d8a34b63a3c52d3));
    cr_assert(eq(str, (char *)info.format, (char *)"msgpack"));
    cr_assert(not(info.is_legacy));
}
