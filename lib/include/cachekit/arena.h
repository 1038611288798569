// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_ARENA_H
#define CACHEKIT_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include <cachekit/allocator.h>
#include <cachekit/status.h>

CACHEKIT_BEGIN_DECLS

/**
 * Memory that is handed out piece by piece and taken back all at once. A loop that decodes
 * document after document resets one arena instead of releasing it, and soon allocates nothing.
 * The fields are private; the struct is public so that it can live in the caller's storage. Not
 * for two threads at a time; must not be moved or copied while in use.
 */
typedef struct cachekit_arena {
    uint8_t *low;    /* free bytes are [low, high): unaligned bytes grow up from low, */
    uint8_t *high;   /* nodes grow down from high, which stays aligned to 16 */
    void *chunk;     /* newest first */
    size_t reserved; /* bytes taken from the allocator, headers included */
    size_t budget_bytes;
    const cachekit_allocator *allocator;
} cachekit_arena;

#define CACHEKIT_ARENA_INIT                                                                        \
    {                                                                                              \
        NULL, NULL, NULL, 0, SIZE_MAX, NULL                                                        \
    }

/**
 * Prepares an empty arena; allocates nothing. `allocator` may be NULL (malloc) and must outlive
 * the arena. At most `budget_bytes` are ever held; SIZE_MAX is no bound.
 */
CACHEKIT_API void cachekit_arena_init(cachekit_arena *arena, const cachekit_allocator *allocator,
                                      size_t budget_bytes);

/** Takes everything back at once and keeps the largest block for the next use. */
CACHEKIT_API void cachekit_arena_reset(cachekit_arena *arena);

/** Gives all memory back; the arena is empty and usable again. NULL is allowed. */
CACHEKIT_API void cachekit_arena_release(cachekit_arena *arena);

/**
 * `size` bytes aligned to 16 that live until reset or release, or NULL when the allocator or the
 * budget says no. Their content is undefined. Size 0 gives a pointer that is not NULL.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK void *cachekit_arena_alloc(cachekit_arena *arena, size_t size);

/** A copy of `len` bytes with a NUL behind them, or NULL. `data` may be NULL when `len` is 0. */
CACHEKIT_API CACHEKIT_MUST_CHECK char *cachekit_arena_copy(cachekit_arena *arena, const void *data,
                                                           size_t len);

CACHEKIT_END_DECLS

#endif
