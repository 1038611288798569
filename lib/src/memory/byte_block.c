// SPDX-License-Identifier: MIT
// The last holder frees, whoever it is. The ledger knows how much is out there, so that a budget
// can count what readers keep after its entry has left.
#include "memory/byte_block.h"

#include <string.h>

#include "base/alloc.h"
#include "base/num.h"

enum { WASTE_SHARE = 8 };

size_t cki_block_bytes(const struct cki_block *block)
{
    return sizeof *block + (block->room != 0 ? block->room : block->len);
}

static struct cki_block *make(struct cki_ledger *ledger, size_t follow, enum cki_block_kind kind)
{
    size_t bytes;
    struct cki_block *block =
        cki_add_size(sizeof *block, follow, &bytes) ? cki_alloc(ledger->allocator, bytes) : NULL;
    if (block != NULL) {
        *block = (struct cki_block){
            .data = (const uint8_t *)(block + 1),
            .len = follow,
            .kind = kind,
            .forks = atomic_load_explicit(&ledger->forks, memory_order_relaxed),
            .ledger = ledger,
        };
        atomic_init(&block->holders, 1);
    }
    return block;
}

static void enter(struct cki_ledger *ledger, const struct cki_block *block)
{
    atomic_fetch_add_explicit(&ledger->blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&ledger->bytes, cki_block_bytes(block), memory_order_relaxed);
}

struct cki_block *cki_block_copy(struct cki_ledger *ledger, cachekit_slice bytes,
                                 enum cki_block_kind kind)
{
    struct cki_block *block = make(ledger, bytes.len, kind);
    if (block != NULL) {
        if (bytes.len > 0) {
            memcpy(block + 1, bytes.data, bytes.len);
        }
        enter(ledger, block);
    }
    return block;
}

struct cki_block *cki_block_take(struct cki_ledger *ledger, cachekit_buffer *buffer,
                                 enum cki_block_kind kind)
{
    if (buffer->allocator != ledger->allocator || buffer->len == 0 ||
        buffer->room - buffer->len > buffer->room / WASTE_SHARE) {
        return cki_block_copy(ledger, (cachekit_slice){buffer->data, buffer->len}, kind);
    }
    struct cki_block *block = make(ledger, 0, kind);
    if (block != NULL) {
        block->data = buffer->data;
        block->len = buffer->len;
        block->room = buffer->room;
        cachekit_buffer_init(buffer, buffer->allocator);
        enter(ledger, block);
    }
    return block;
}

void cki_block_release(struct cki_block *block)
{
    if (block == NULL || atomic_fetch_sub_explicit(&block->holders, 1, memory_order_acq_rel) != 1) {
        return;
    }
    struct cki_ledger *ledger = block->ledger;
    if (block->forks != atomic_load_explicit(&ledger->forks, memory_order_relaxed)) {
        return; // the parent's: in nobody's books, and left alone
    }
    size_t bytes = cki_block_bytes(block), own = bytes - block->room;
    if (block->room != 0) {
        cki_free(ledger->allocator, (void *)(uintptr_t)block->data, block->room);
    }
    cki_free(ledger->allocator, block, own);
    // Last: once both are 0 the ledger may be gone.
    atomic_fetch_sub_explicit(&ledger->bytes, bytes, memory_order_relaxed);
    atomic_fetch_sub_explicit(&ledger->blocks, 1, memory_order_release);
}
