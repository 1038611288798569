// SPDX-License-Identifier: MIT
// For writers that fill an arena themselves: the free bytes are [low, high).
#ifndef CKI_ARENA_H
#define CKI_ARENA_H

#include <stdbool.h>

#include <cachekit/arena.h>

enum { CKI_ARENA_ALIGN = 16 };

// Starts a block with at least `size` free bytes between low and an aligned high.
bool cki_arena_grow(cachekit_arena *arena, size_t size);

// Overwrites whatever was handed out; what was stays reachable until the reset.
void cki_arena_wipe(cachekit_arena *arena);

#endif
