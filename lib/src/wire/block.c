// SPDX-License-Identifier: MIT
// LZ4 blocks. Below 64 bytes a block is one run of literals, which we write ourselves: LZ4 would
// clear 16 KiB of hash table first, for payloads that hardly ever shrink. Above, its table lives
// on the stack for the call, so there is no state to share between threads.
#include "wire/block.h"

#include <limits.h>
#include <string.h>

#include <lz4.h>

enum {
    LITERALS_BELOW = 64,
    TOKEN_FULL = 15, // a literal count of the token that continues in the next byte
};

size_t cki_block_bound(size_t len)
{
    return len + len / 255 + 16;
}

static size_t write_literals(const uint8_t *data, size_t len, uint8_t *out)
{
    size_t at = 0;
    if (len < TOKEN_FULL) {
        out[at++] = (uint8_t)(len << 4);
    } else {
        out[at++] = TOKEN_FULL << 4;
        out[at++] = (uint8_t)(len - TOKEN_FULL);
    }
    if (len > 0) {
        memcpy(out + at, data, len);
    }
    return at + len;
}

size_t cki_block_compress(const uint8_t *data, size_t len, uint8_t *out)
{
    if (len < LITERALS_BELOW) {
        return write_literals(data, len, out);
    }
    if (len > LZ4_MAX_INPUT_SIZE) {
        return 0;
    }
    int written =
        LZ4_compress_default((const char *)data, (char *)out, (int)len, (int)cki_block_bound(len));
    return written > 0 ? (size_t)written : 0;
}

bool cki_block_decompress(const uint8_t *block, size_t len, uint8_t *out, size_t cap,
                          size_t *produced, int *code)
{
    *code = 0;
    if (len > INT_MAX || cap > INT_MAX) {
        return false;
    }
    int count = LZ4_decompress_safe((const char *)block, (char *)out, (int)len, (int)cap);
    if (count < 0) {
        *code = count;
        return false;
    }
    *produced = (size_t)count;
    return true;
}
