// SPDX-License-Identifier: MIT
// What the envelope cannot be cheaper than: LZ4 and XXH3 alone on the very text of
// byte_storage_store_64k. Their sum is that path's floor, the rest is ours.

#include <stdlib.h>
#include <string.h>

#include <ckbench/subject.h>

#include <lz4.h>
#include <xxhash.h>

#include "gen/inputs.h"
#include "paths/verdict.h"

typedef struct floors {
    pack text;
    char *block;
    int room;
    int block_len;
    LZ4_stream_t lz4;
    uint64_t checksum;
} floors;

static void floors_free(void *state)
{
    floors *f = state;
    if (f != NULL) {
        pack_release(&f->text);
        free(f->block);
        free(f);
    }
}

static void *setup(void)
{
    floors *f = calloc(1, sizeof *f);
    if (f == NULL || !input_make("address_64k", &f->text)) {
        floors_free(f);
        return NULL;
    }
    f->room = LZ4_compressBound((int)f->text.len);
    f->block = malloc((size_t)f->room);
    if (f->block == NULL) {
        floors_free(f);
        return NULL;
    }
    return f;
}

static void compress(void *state)
{
    floors *f = state;
    f->block_len = LZ4_compress_fast_extState(&f->lz4, (const char *)f->text.bytes, f->block,
                                              (int)f->text.len, f->room, 1);
}

static int verify_compress(void *state)
{
    floors *f = state;
    int verdict = VERDICT_WRONG_OUTPUT;
    char *text = malloc(f->text.len);
    if (text != NULL) {
        int len = LZ4_decompress_safe(f->block, text, f->block_len, (int)f->text.len);
        if (len == (int)f->text.len && memcmp(text, f->text.bytes, f->text.len) == 0) {
            verdict = VERDICT_OK;
        }
    }
    free(text);
    return verdict;
}

static void checksum(void *state)
{
    floors *f = state;
    f->checksum = XXH3_64bits(f->text.bytes, f->text.len);
}

/* The same digest, computed in pieces, takes another way through XXH3. */
static int verify_checksum(void *state)
{
    floors *f = state;
    XXH3_state_t *pieces = XXH3_createState();
    int verdict = VERDICT_WRONG_OUTPUT;
    if (pieces != NULL && XXH3_64bits_reset(pieces) == XXH_OK) {
        for (size_t at = 0; at < f->text.len; at += 1000) {
            size_t len = f->text.len - at < 1000 ? f->text.len - at : 1000;
            (void)XXH3_64bits_update(pieces, f->text.bytes + at, len);
        }
        if (XXH3_64bits_digest(pieces) == f->checksum) {
            verdict = VERDICT_OK;
        }
    }
    XXH3_freeState(pieces);
    return verdict;
}

CKBENCH_PATH(lz4_alone_64k, "floor: LZ4 alone on 64 KiB of address-like text", setup, compress,
             verify_compress, floors_free)
CKBENCH_PATH(xxh3_alone_64k, "floor: XXH3-64 alone on 64 KiB of address-like text", setup, checksum,
             verify_checksum, floors_free)
