// SPDX-License-Identifier: MIT
// For writers that fill an arena themselves: the free bytes are [low, high).
#ifndef CKI_ARENA_H
#define CKI_ARENA_H

#include <stdbool.h>

#include <cachekit/arena.h>

enum { CKI_ARENA_ALIGN = 16 };

// Starts a block with at least `size` free bytes between low and an aligned high.
bool cki_arena_grow(cachekit_arena *arena, size_t size);

#endif
