// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

#include <cachekit/value.h>

#include "fault_allocator.h"
#include "hex.h"
#include "small_stack.h"

enum { MILLION = 1000000, FIRST_BLOCK = 4096 };

// What value.h promises: 16 bytes for each input byte and one for the copy, in blocks that double.
static size_t bound(size_t input_len)
{
    return 4 * 17 * input_len + 2 * (size_t)FIRST_BLOCK;
}

static cachekit_slice vector(const char *name)
{
    static uint8_t bytes[65536];
    char path[512];
    (void)snprintf(path, sizeof path, "%s/vectors/%s", CACHEKIT_TEST_DIR, name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size_t len = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    cr_assert(len > 0 && len < sizeof bytes);
    return (cachekit_slice){bytes, len};
}

Test(reader_memory, hostile_headers_allocate_nothing)
{
    static const char *const inputs[] = {"dd05f5e100", "ddffffffff", "df05f5e100", "dfffffffff",
                                         "df80000000", "dbffffffff", "c6ffffffff", "dcffff",
                                         "deffff",     "9f",         "8f",         "c1"};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        uint8_t bytes[16];
        size_t len = hex_append(bytes, 0, sizeof bytes, inputs[i]);
        struct fault_allocator memory;
        fault_allocator_init(&memory);
        cachekit_arena arena;
        cachekit_arena_init(&arena, &memory.hooks, SIZE_MAX);
        cachekit_value root;
        cr_assert(eq(int,
                     cachekit_value_decode((cachekit_slice){bytes, len}, 0, &arena, &root, NULL),
                     CACHEKIT_E_DECODE));
        cr_assert(eq(int, memory.calls, 0), "%s", inputs[i]);
        cachekit_arena_release(&arena);
    }
}

static size_t peak_of(const char *pattern, size_t len, unsigned flags)
{
    uint8_t unit[8];
    size_t unit_len = hex_append(unit, 0, sizeof unit, pattern);
    uint8_t *bytes = malloc(len);
    cr_assert_not_null(bytes);
    for (size_t i = 0; i < len; i++) {
        bytes[i] = unit[i % unit_len];
    }
    struct fault_allocator memory;
    fault_allocator_init(&memory);
    cachekit_arena arena;
    cachekit_arena_init(&arena, &memory.hooks, SIZE_MAX);
    cachekit_value root;
    cr_assert(eq(int,
                 cachekit_value_decode((cachekit_slice){bytes, len}, flags, &arena, &root, NULL),
                 CACHEKIT_E_DECODE));
    cr_assert(eq(sz, memory.peak_bytes, arena.reserved));
    cachekit_arena_release(&arena);
    cr_assert(eq(sz, memory.live_blocks, 0));
    free(bytes);
    return memory.peak_bytes;
}

// Headers that each promise less than what is left, and in sum far more.
Test(reader_memory, promises_in_sum_are_bounded)
{
    // Sized so that one header's promise just fits: a check of single headers would allow the
    // square of it.
    cr_assert(le(sz, peak_of("dc07d0", 6144, 0), bound(6144)));
    cr_assert(le(sz, peak_of("de03e8", 6144, 0), bound(6144)));
    cr_assert(le(sz, peak_of("dcffff", 3 * 65536, 0), bound(3 * 65536)));
    cr_assert(le(sz, peak_of("dd0000ffff", 5 * 65536, 0), bound(5 * 65536)));
}

Test(reader_memory, depth_is_refused_before_it_costs)
{
    size_t levels_bytes = CACHEKIT_VALUE_DEPTH_MAX * sizeof(cachekit_value);
    cr_assert(le(sz, peak_of("91", MILLION, 0), 4 * levels_bytes + FIRST_BLOCK));
    cr_assert(le(sz, peak_of("81", MILLION, 0), 8 * levels_bytes + FIRST_BLOCK));
    cr_assert(le(sz, peak_of("91", MILLION, CACHEKIT_DECODE_COPY), bound(MILLION)));
}

Test(reader_memory, widest_document_stays_in_its_bound)
{
    static uint8_t bytes[5 + MILLION];
    (void)hex_append(bytes, 0, sizeof bytes, "dd000f4240"); // a million nils
    memset(bytes + 5, 0xc0, MILLION);
    for (unsigned flags = 0; flags <= CACHEKIT_DECODE_COPY; flags++) {
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        cachekit_value root;
        cr_assert(eq(int,
                     cachekit_value_decode((cachekit_slice){bytes, sizeof bytes}, flags, &arena,
                                           &root, NULL),
                     CACHEKIT_OK));
        cr_assert(le(sz, arena.reserved, bound(sizeof bytes)));
        cachekit_arena_release(&arena);
    }
}

// Returns how many requests a whole decode makes.
static int decode_failing_at(cachekit_slice input, unsigned flags, int fail_at, bool fail_on)
{
    struct fault_allocator memory;
    fault_allocator_init(&memory);
    memory.fail_at = fail_at;
    memory.fail_on = fail_on;
    cachekit_arena arena;
    cachekit_arena_init(&arena, &memory.hooks, SIZE_MAX);
    cachekit_value root = cachekit_value_bool(true);
    cachekit_error error;
    cachekit_status status = cachekit_value_decode(input, flags, &arena, &root, &error);
    bool is_refused = memory.calls > fail_at;
    cr_assert(eq(int, status, is_refused ? CACHEKIT_E_NOMEM : CACHEKIT_OK));
    cr_assert(is_refused ? root.type == CACHEKIT_NIL && error.status == CACHEKIT_E_NOMEM : true);
    // The arena is still good for another try.
    memory.fail_at = INT_MAX;
    cachekit_arena_reset(&arena);
    cr_assert(eq(int, cachekit_value_decode(input, flags, &arena, &root, &error), CACHEKIT_OK));
    cachekit_arena_release(&arena);
    cr_assert(eq(sz, memory.live_blocks, 0));
    cr_assert(eq(sz, memory.live_bytes, 0));
    return memory.calls;
}

Test(reader_memory, refused_memory_is_a_clean_failure)
{
    cachekit_slice input = vector("users_100.msgpack");
    for (unsigned flags = 0; flags <= CACHEKIT_DECODE_COPY; flags++) {
        int calls = decode_failing_at(input, flags, INT_MAX - 1, false);
        cr_assert(gt(int, calls, 1));
        for (int n = 0; n < calls; n++) {
            (void)decode_failing_at(input, flags, n, false);
            (void)decode_failing_at(input, flags, n, true);
        }
    }
}

Test(reader_memory, reused_arena_stops_allocating)
{
    cachekit_slice input = vector("users_100.msgpack");
    struct fault_allocator memory;
    fault_allocator_init(&memory);
    cachekit_arena arena;
    cachekit_arena_init(&arena, &memory.hooks, SIZE_MAX);
    int calls = 0;
    for (int round = 0; round < 50; round++) {
        cachekit_value root;
        cr_assert(eq(int, cachekit_value_decode(input, CACHEKIT_DECODE_COPY, &arena, &root, NULL),
                     CACHEKIT_OK));
        cachekit_arena_reset(&arena);
        if (round == 2) {
            calls = memory.calls;
        }
    }
    cr_assert(eq(int, memory.calls, calls));
    cr_assert(eq(sz, memory.live_blocks, 1));
    cachekit_arena_release(&arena);
    cr_assert(eq(sz, memory.live_bytes, 0));
}

Test(reader_memory, budget_is_kept)
{
    cachekit_slice input = vector("users_4.msgpack");
    bool has_failed = false, has_passed = false;
    for (size_t budget = 0; budget < 8192; budget += 64) {
        struct fault_allocator memory;
        fault_allocator_init(&memory);
        cachekit_arena arena;
        cachekit_arena_init(&arena, &memory.hooks, budget);
        cachekit_value root;
        cachekit_status status = cachekit_value_decode(input, 0, &arena, &root, NULL);
        cr_assert(status == CACHEKIT_OK || status == CACHEKIT_E_NOMEM);
        cr_assert(le(sz, memory.peak_bytes, budget));
        cr_assert(status == CACHEKIT_OK || has_passed == false);
        has_failed |= status == CACHEKIT_E_NOMEM;
        has_passed |= status == CACHEKIT_OK;
        cachekit_arena_release(&arena);
    }
    cr_assert(has_failed && has_passed);
}

struct deep {
    cachekit_slice input;
    const char *failure;
};

static void *walk_deep(void *context)
{
    struct deep *deep = context;
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_value root, copy;
    cachekit_error error;
    if (cachekit_value_decode(deep->input, 0, &arena, &root, &error) != CACHEKIT_OK ||
        cachekit_value_decode(deep->input, CACHEKIT_DECODE_COPY, &arena, &copy, &error) !=
            CACHEKIT_OK) {
        deep->failure = "decode";
    } else if (!cachekit_value_equal(&root, &copy)) {
        deep->failure = "equal";
    } else if (cachekit_value_encode(&root, &out, &error) != CACHEKIT_OK ||
               out.len != deep->input.len || memcmp(out.data, deep->input.data, out.len) != 0) {
        deep->failure = "encode";
    }
    cachekit_buffer_release(&out);
    cachekit_arena_release(&arena);
    return NULL;
}

Test(reader_memory, deepest_document_fits_a_stack_of_64_kib)
{
    static uint8_t bytes[3 * CACHEKIT_VALUE_DEPTH_MAX + 1];
    size_t len = 0;
    for (int i = 0; i < CACHEKIT_VALUE_DEPTH_MAX; i++) {
        len = hex_append(bytes, len, sizeof bytes, i % 2 == 0 ? "81a0" : "91");
    }
    bytes[len++] = 0xc0;
    struct deep deep = {{bytes, len}, NULL};
    cr_assert(small_stack_run(walk_deep, &deep));
    cr_assert(deep.failure == NULL, "%s", deep.failure);
}
