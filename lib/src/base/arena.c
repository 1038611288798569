// SPDX-License-Identifier: MIT
// Blocks of doubling size in a list, newest first. Inside a block, nodes (aligned) come down from
// the top and text (unaligned) goes up from the bottom, so neither ever pads the other.
#include "base/arena.h"

#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "base/wipe.h"

enum { FIRST_BLOCK = 4096 };

struct block {
    struct block *older;
    size_t size;
};

void cachekit_arena_init(cachekit_arena *arena, const cachekit_allocator *allocator,
                         size_t budget_bytes)
{
    *arena = (cachekit_arena){NULL, NULL, NULL, 0, budget_bytes, allocator};
}

static void enter(cachekit_arena *arena, struct block *block)
{
    uint8_t *start = (uint8_t *)block;
    arena->chunk = block;
    arena->low = start + sizeof *block;
    arena->high = start + block->size - (uintptr_t)(start + block->size) % CKI_ARENA_ALIGN;
}

// Doubles while the budget allows, and takes exactly what is needed when it does not.
static size_t next_size(const cachekit_arena *arena, size_t need)
{
    const struct block *newest = arena->chunk;
    size_t left = arena->budget_bytes - arena->reserved;
    size_t size = newest == NULL                 ? FIRST_BLOCK
                  : newest->size <= SIZE_MAX / 2 ? newest->size * 2
                                                 : 0;
    if (size > left) {
        size = left;
    }
    return size > need ? size : need;
}

bool cki_arena_grow(cachekit_arena *arena, size_t size)
{
    size_t need;
    if (!cki_add_size(size, sizeof(struct block) + 2 * (size_t)CKI_ARENA_ALIGN, &need) ||
        need > arena->budget_bytes - arena->reserved) {
        return false;
    }
    size_t block_size = next_size(arena, need);
    struct block *block = cki_alloc(arena->allocator, block_size);
    if (block == NULL) {
        return false;
    }
    *block = (struct block){arena->chunk, block_size};
    arena->reserved += block_size;
    enter(arena, block);
    return true;
}

static void give_back(cachekit_arena *arena, struct block *block)
{
    arena->reserved -= block->size;
    cki_free(arena->allocator, block, block->size);
}

void cki_arena_wipe(cachekit_arena *arena)
{
    struct block *newest = arena->chunk;
    if (newest == NULL) {
        return;
    }
    // Nothing of the newest block was handed out between its two ends.
    cki_wipe(newest + 1, (size_t)(arena->low - (uint8_t *)(newest + 1)));
    cki_wipe(arena->high, (size_t)((uint8_t *)newest + newest->size - arena->high));
    for (struct block *block = newest->older; block != NULL; block = block->older) {
        cki_wipe(block + 1, block->size - sizeof *block);
    }
}

void cachekit_arena_reset(cachekit_arena *arena)
{
    struct block *kept = arena->chunk;
    if (kept == NULL) {
        return;
    }
    struct block *next = kept->older;
    while (next != NULL) {
        struct block *other = next;
        next = other->older;
        if (other->size > kept->size) {
            struct block *smaller = kept;
            kept = other;
            other = smaller;
        }
        give_back(arena, other);
    }
    kept->older = NULL;
    enter(arena, kept);
}

void cachekit_arena_release(cachekit_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    for (struct block *block = arena->chunk; block != NULL;) {
        struct block *older = block->older;
        give_back(arena, block);
        block = older;
    }
    cachekit_arena_init(arena, arena->allocator, arena->budget_bytes);
}

void *cachekit_arena_alloc(cachekit_arena *arena, size_t size)
{
    if (size > SIZE_MAX - CKI_ARENA_ALIGN) {
        return NULL;
    }
    // The empty piece still gets an address of its own.
    size_t room =
        size == 0 ? CKI_ARENA_ALIGN : (size + CKI_ARENA_ALIGN - 1) & ~(size_t)(CKI_ARENA_ALIGN - 1);
    if ((size_t)(arena->high - arena->low) < room && !cki_arena_grow(arena, room)) {
        return NULL;
    }
    arena->high -= room;
    return arena->high;
}

char *cachekit_arena_copy(cachekit_arena *arena, const void *data, size_t len)
{
    if (len == SIZE_MAX ||
        ((size_t)(arena->high - arena->low) <= len && !cki_arena_grow(arena, len + 1))) {
        return NULL;
    }
    char *copy = (char *)arena->low;
    if (len > 0) {
        memcpy(copy, data, len);
    }
    copy[len] = '\0';
    arena->low += len + 1;
    return copy;
}
