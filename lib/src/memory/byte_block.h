// SPDX-License-Identifier: MIT
// Stored bytes with a count of who holds them: the byte cache, readers that decode, handles whose
// texts point into them. Never changed once made, so whoever holds one reads it without a lock.
#ifndef CKI_BYTE_BLOCK_H
#define CKI_BYTE_BLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include <cachekit/bytes.h>

// What the bytes are; the byte cache does not look.
enum cki_block_kind {
    CKI_BLOCK_STORED = 1, // as the backend has them
    CKI_BLOCK_HELD,       // without their envelope or checksum, which was found sound
    CKI_BLOCK_PACKED      // an envelope's block behind its payload's length, likewise
};

// Memory of blocks, wherever they are: their holders may outlive the entries, not the ledger.
struct cki_ledger {
    const cachekit_allocator *allocator;
    atomic_size_t blocks, bytes;
    atomic_uint forks; // blocks of other forks are not this process's to free
};

struct cki_block {
    const uint8_t *data;
    size_t len;
    enum cki_block_kind kind;
    // Private.
    atomic_uint holders;
    unsigned forks;
    size_t room; // of a buffer that was taken over; 0: the bytes follow the block
    struct cki_ledger *ledger;
};

// A block with one holder, the caller. NULL: out of memory. cki_block_copy() copies the bytes once.
// cki_block_take() takes the buffer's memory, without a copy, and leaves it empty if it has the
// ledger's allocator and at most an eighth of it is unused; else it copies, and the buffer stays as
// it is. On NULL the buffer stays as it is.
struct cki_block *cki_block_copy(struct cki_ledger *ledger, cachekit_slice bytes,
                                 enum cki_block_kind kind);
struct cki_block *cki_block_take(struct cki_ledger *ledger, cachekit_buffer *buffer,
                                 enum cki_block_kind kind);

// One more holder, for somebody who is one.
static inline struct cki_block *cki_block_hold(struct cki_block *block)
{
    atomic_fetch_add_explicit(&block->holders, 1, memory_order_relaxed);
    return block;
}

// Legal from any thread; the last one frees it. NULL: nothing.
void cki_block_release(struct cki_block *block);

// What it counts against a budget.
size_t cki_block_bytes(const struct cki_block *block);

#endif
