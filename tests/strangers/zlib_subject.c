// SPDX-License-Identifier: MIT
// zlib as its users call it, on lines like those of a log.
#include <ckbench/subject.h>

#include <stdio.h>
#include <string.h>

#include <zlib.h>

enum { TEXT_BYTES = 20000, PACKED_BYTES = TEXT_BYTES + 100 };
static unsigned char text[TEXT_BYTES + 64], packed[PACKED_BYTES], unpacked[TEXT_BYTES];
static uLongf packed_size;
static uLong sum;

static void *fill(void)
{
    for (int at = 0, line = 0; at < TEXT_BYTES; line++) {
        at += snprintf((char *)text + at, 64, "%d GET /item/%d 200 %d\n", line, line * 7919 % 1000,
                       line * line % 977);
    }
    packed_size = PACKED_BYTES;
    return compress(packed, &packed_size, text, TEXT_BYTES) == Z_OK ? text : NULL;
}

static void pack(void *state)
{
    packed_size = PACKED_BYTES;
    (void)compress(packed, &packed_size, state, TEXT_BYTES);
}

static void unpack(void *state)
{
    uLongf size = TEXT_BYTES;
    (void)state;
    (void)uncompress(unpacked, &size, packed, packed_size);
}

static void add_up(void *state)
{
    sum = crc32(0, state, TEXT_BYTES);
}

static int verify(void *state)
{
    memset(unpacked, 0, sizeof unpacked);
    unpack(state);
    return memcmp(unpacked, text, TEXT_BYTES);
}

static int verify_sum(void *state)
{
    return sum == crc32(crc32(0, state, 1), (unsigned char *)state + 1, TEXT_BYTES - 1) ? 0 : 1;
}

CKBENCH_PATH(zlib_crc32, "the CRC of 20,000 bytes", fill, add_up, verify_sum, NULL)
CKBENCH_PATH(zlib_deflate, "compress 20,000 bytes of log lines", fill, pack, verify, NULL)
CKBENCH_PATH(zlib_inflate, "uncompress them again", fill, unpack, verify, NULL)
CKBENCH_MAIN
