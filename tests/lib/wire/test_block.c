// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <limits.h>

#include <lz4.h>

#include "wire/block.h"

Test(block, literals_below_64_bytes_are_what_lz4_reads)
{
    uint8_t data[64];
    uint8_t block[128];
    char back[64];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = 'A'; // LZ4 itself would shorten this
    }
    for (size_t len = 0; len < 64; len++) {
        size_t written = cki_block_compress(data, len, block);
        cr_assert(eq(sz, written, len + (len < 15 ? 1 : 2)), "length %zu", len);
        cr_assert(eq(int, LZ4_decompress_safe((char *)block, back, (int)written, 64), (int)len));
        cr_assert(eq(int, memcmp(back, data, len), 0));
    }
    cr_assert(lt(sz, cki_block_compress(data, 64, block), 64), "from 64 on LZ4 compresses");
}

Test(block, bound_is_lz4s_own)
{
    static const size_t lens[] = {0, 1, 254, 255, 256, 65536, 536870912};
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        cr_assert(eq(sz, cki_block_bound(lens[i]), (size_t)LZ4_compressBound((int)lens[i])));
    }
}

Test(block, sizes_beyond_int_never_reach_lz4)
{
    static const struct {
        size_t len;
        size_t cap;
    } rows[] = {{(size_t)INT_MAX + 1, 1},
                {1, (size_t)INT_MAX + 1},
                {(size_t)1 << 32, 1},
                {((size_t)1 << 32) + 1, 0}, // cut to an int: a block that decompresses
                {1, (size_t)1 << 32}};
    uint8_t byte = 0;
    uint8_t out = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t produced = 7;
        int code = 7;
        cr_expect(
            not(cki_block_decompress(&byte, rows[i].len, &out, rows[i].cap, &produced, &code)),
            "row %zu", i);
        cr_expect(eq(sz, produced, 7), "row %zu", i);
        cr_expect(eq(int, code, 0), "row %zu", i);
    }
    cr_assert(eq(sz, cki_block_compress(&byte, (size_t)LZ4_MAX_INPUT_SIZE + 1, &out), 0));
}

Test(block, an_empty_payload_needs_no_destination)
{
    const uint8_t block = 0;
    size_t produced = 7;
    int code;
    cr_assert(cki_block_decompress(&block, 1, NULL, 0, &produced, &code));
    cr_assert(eq(sz, produced, 0));
}
