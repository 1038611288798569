// SPDX-License-Identifier: MIT
// LZ4 blocks, with the sizes checked before they become int. The only place that calls LZ4.
#ifndef CKI_BLOCK_H
#define CKI_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Room that a block of `len` bytes may need; `len` is at most 512 MiB.
size_t cki_block_bound(size_t len);

// Length of the block written to `out`, which has room for the bound; 0 when LZ4 fails.
size_t cki_block_compress(const uint8_t *data, size_t len, uint8_t *out);

// Decompresses into at most `cap` bytes and says how many came out. False when the block is
// damaged, wants more room, or a size does not fit LZ4's int; `code` is LZ4's own then.
bool cki_block_decompress(const uint8_t *block, size_t len, uint8_t *out, size_t cap,
                          size_t *produced, int *code);

#endif
