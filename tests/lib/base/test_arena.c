// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include <cachekit/arena.h>

#include "fault_allocator.h"

enum { PIECES = 300 };

static size_t size_of(int i)
{
    return (size_t)(i * 7919 % 700);
}

// Aligned and unaligned pieces in turn, each filled to its end: none may lie on another.
static void fill_and_check(cachekit_arena *arena)
{
    uint8_t *pieces[PIECES];
    for (int i = 0; i < PIECES; i++) {
        uint8_t data[700];
        memset(data, i, sizeof data);
        if (i % 2 == 0) {
            pieces[i] = cachekit_arena_alloc(arena, size_of(i));
            cr_assert_not_null(pieces[i]);
            cr_assert(eq(sz, (uintptr_t)pieces[i] % 16, 0));
            memset(pieces[i], i, size_of(i));
        } else {
            pieces[i] = (uint8_t *)cachekit_arena_copy(arena, data, size_of(i));
            cr_assert_not_null(pieces[i]);
        }
    }
    for (int i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < size_of(i); k++) {
            cr_assert(eq(u8, pieces[i][k], (uint8_t)i));
        }
        cr_assert(i % 2 == 0 || pieces[i][size_of(i)] == 0);
    }
}

Test(arena, pieces_do_not_overlap)
{
    struct fault_allocator memory;
    fault_allocator_init(&memory);
    cachekit_arena arena;
    cachekit_arena_init(&arena, &memory.hooks, SIZE_MAX);
    cr_assert(eq(int, memory.calls, 0));
    for (int round = 0; round < 3; round++) {
        fill_and_check(&arena);
        cr_assert(eq(sz, arena.reserved, memory.live_bytes));
        cachekit_arena_reset(&arena);
        cr_assert(eq(sz, memory.live_blocks, 1));
        cr_assert(eq(sz, arena.reserved, memory.live_bytes));
    }
    cachekit_arena_release(&arena);
    cr_assert(eq(sz, memory.live_blocks, 0));
    cr_assert(eq(sz, memory.live_bytes, 0));
}

Test(arena, reset_keeps_the_largest_block)
{
    struct fault_allocator memory;
    fault_allocator_init(&memory);
    cachekit_arena arena;
    cachekit_arena_init(&arena, &memory.hooks, SIZE_MAX);
    cr_assert_not_null(cachekit_arena_alloc(&arena, 100000));
    cr_assert_not_null(cachekit_arena_alloc(&arena, 300000));
    cachekit_arena_reset(&arena);
    cr_assert(eq(sz, memory.live_blocks, 1));
    int calls = memory.calls;
    cr_assert_not_null(cachekit_arena_alloc(&arena, 300000));
    cr_assert(eq(int, memory.calls, calls));
    cachekit_arena_release(&arena);
    cachekit_arena_reset(&arena); // of an empty arena: nothing
    cachekit_arena_release(NULL);
}

// A budget that runs out leaves a last block smaller than the one before.
Test(arena, the_largest_block_need_not_be_the_newest)
{
    cachekit_arena arena;
    cachekit_arena_init(&arena, NULL, 4096 + 8192 + 1000);
    while (cachekit_arena_alloc(&arena, 160) != NULL) {
    }
    cr_assert(eq(sz, arena.reserved, 4096 + 8192 + 1000));
    cachekit_arena_reset(&arena);
    cr_assert(eq(sz, arena.reserved, 8192));
    cachekit_arena_release(&arena);
}

Test(arena, empty_pieces_have_their_own_address)
{
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    void *a = cachekit_arena_alloc(&arena, 0);
    void *b = cachekit_arena_alloc(&arena, 0);
    char *c = cachekit_arena_copy(&arena, NULL, 0);
    cr_assert(a != NULL && b != NULL && a != b && c != NULL && *c == '\0');
    cachekit_arena_release(&arena);
}

Test(arena, budget_is_never_exceeded_and_can_be_used)
{
    struct fault_allocator memory;
    fault_allocator_init(&memory);
    cachekit_arena arena;
    cachekit_arena_init(&arena, &memory.hooks, 10000);
    size_t given = 0;
    while (cachekit_arena_alloc(&arena, 160) != NULL) {
        given += 160;
    }
    cr_assert(le(sz, memory.peak_bytes, 10000));
    cr_assert(gt(sz, given, 8000));
    cr_assert_null(cachekit_arena_copy(&arena,
                                       "0123456789012345678901234567890123456789"
                                       "0123456789012345678901234567890123456789"
                                       "0123456789012345678901234567890123456789"
                                       "0123456789012345678901234567890123456789",
                                       160));
    cachekit_arena_release(&arena);
    cr_assert_not_null(cachekit_arena_alloc(&arena, 160)); // the budget outlives a release
    cachekit_arena_release(&arena);
}

// Sums that overflow never reach the allocator as something small.
Test(arena, impossible_sizes_are_refused)
{
    struct fault_allocator memory;
    fault_allocator_init(&memory);
    cachekit_arena arena;
    cachekit_arena_init(&arena, &memory.hooks, SIZE_MAX);
    cr_assert_not_null(cachekit_arena_alloc(&arena, 1));
    size_t reserved = arena.reserved;
    int calls = memory.calls;
    memory.fail_at = calls; // a size that does reach it is refused there
    memory.fail_on = true;
    for (size_t less = 0; less < 100; less++) {
        cr_assert_null(cachekit_arena_alloc(&arena, SIZE_MAX - less));
        cr_assert_null(cachekit_arena_copy(&arena, "x", SIZE_MAX - less));
        cr_assert(less >= 32 || memory.calls == calls);
    }
    cr_assert(eq(sz, arena.reserved, reserved));
    cachekit_arena_release(&arena);
}

// The terminator of a copy that fills all free bytes would lie on the node above them.
Test(arena, a_copy_needs_room_for_its_end)
{
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    static const uint8_t data[8192];
    for (size_t less = 0; less < 3; less++) {
        uint8_t *node = cachekit_arena_alloc(&arena, 16);
        cr_assert_not_null(node);
        memset(node, 0xaa, 16);
        size_t len = (size_t)(arena.high - arena.low) - less;
        char *copy = cachekit_arena_copy(&arena, data, len);
        cr_assert_not_null(copy);
        cr_assert(eq(int, copy[len], 0));
        cr_assert(eq(u8, node[0], 0xaa));
        cachekit_arena_release(&arena);
    }
}

Test(arena, refused_memory_changes_nothing)
{
    struct fault_allocator memory;
    fault_allocator_init(&memory);
    cachekit_arena arena;
    cachekit_arena_init(&arena, &memory.hooks, SIZE_MAX);
    char *text = cachekit_arena_copy(&arena, "abc", 3);
    cr_assert_not_null(text);
    size_t reserved = arena.reserved;
    memory.fail_at = memory.calls;
    cr_assert_null(cachekit_arena_alloc(&arena, 100000));
    cr_assert(eq(sz, arena.reserved, reserved));
    cr_assert(strcmp(text, "abc") == 0);
    cr_assert_not_null(cachekit_arena_alloc(&arena, 100000));
    cachekit_arena_release(&arena);
    cr_assert(eq(sz, memory.live_blocks, 0));
}
