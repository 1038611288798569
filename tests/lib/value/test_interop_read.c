// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

#include <cachekit/interop.h>

#include "fault_allocator.h"
#include "hex.h"
#include "show.h"
#include "small_stack.h"

static const char alice[] = "82 a3616765 1e a46e616d65 a5616c696365";

static cachekit_slice bytes_of(const char *hex)
{
    static uint8_t bytes[8192];
    return (cachekit_slice){bytes, hex_append(bytes, 0, sizeof bytes, hex)};
}

Test(interop_read, takes_any_widths_and_any_order)
{
    static const struct {
        const char *hex;
        const char *shown;
    } rows[] = {
        {"43", "67"}, // alone it is a number
        {"9143", "[67]"},
        {"cf0000000000000001", "1"},
        {"ca3fc00000", "0x1.8p+0"},
        {"df00000002 da0001 62 cc01 a161 d002", "{'b': 1, 'a': 2}"},
        {"82 a576616c7565 aa323032342d30322d3239 a85f5f646174655f5f c3", "date'2024-02-29'"},
        {"82 a85f5f646174655f5f 01 a576616c7565 a178", "{'__date__': 1, 'value': 'x'}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char shown[SHOW_MAX];
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        cachekit_value root;
        cr_assert(eq(int, cachekit_interop_decode(bytes_of(rows[i].hex), 0, &arena, &root, NULL),
                     CACHEKIT_OK));
        cr_assert(eq(str, (char *)(uintptr_t)show(&root, shown), (char *)(uintptr_t)rows[i].shown));
        cachekit_arena_release(&arena);
    }
}

Test(interop_read, refuses_and_says_why)
{
    static const struct {
        const char *hex;
        const char *text;
        uint64_t position;
    } rows[] = {
        // Other containers.
        {"434b", "Python", 0},
        {"434b03 0000007d 7b", "Python's auto mode", 0},
        {"434b01 0000", "CK", 0},
        {"c102 93 00 01 c40101", "interop/v2", 0},
        {"4301", "behind", 1},
        {"c1", "c1", 0},
        {"c103", "c1", 0},
        // Bounds.
        {"", "empty", 0},
        {"c0c0", "behind", 1},
        {"82a16101", "ends before", 0},
        {"92c0", "ends before", 0},
        {"a5616c69", "ends before", 0},
        {"c6ffffffff00", "ends before", 0},
        {"ddffffffff00", "ends before", 0},
        {"dfffffffff00", "ends before", 0},
        {"93 dc0004 dc0004 00", "ends before", 1}, // in sum only
        {"91c1", "c1", 1},
        // Not in the profile.
        {"d4ff00", "ext", 0},
        {"d6ff00000000", "ext", 0},
        {"c70100 00", "ext", 0},
        {"91d70000000000000000 00", "ext", 1},
        {"a1ff", "UTF-8", 1},
        {"a3eda080", "UTF-8", 1},
        {"81a1ff01", "UTF-8", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned flags = 0; flags < 4; flags++) {
            cachekit_arena arena = CACHEKIT_ARENA_INIT;
            cachekit_value root = cachekit_value_i64(1);
            cachekit_error error = {.text = ""};
            cachekit_slice input = bytes_of(rows[i].hex);
            cr_assert(eq(int, cachekit_interop_decode(input, flags, &arena, &root, &error),
                         CACHEKIT_E_DECODE),
                      "%s", rows[i].hex);
            cr_assert(eq(int, error.status, CACHEKIT_E_DECODE));
            cr_assert_not_null(strstr(error.text, rows[i].text), "%s: %s", rows[i].hex, error.text);
            cr_assert(eq(u64, error.position, rows[i].position), "%s", rows[i].hex);
            cr_assert(eq(u32, root.type, CACHEKIT_NIL));
            cachekit_arena_release(&arena);
        }
    }
}

Test(interop_read, no_truncation_passes)
{
    cachekit_slice whole = bytes_of(alice);
    for (size_t len = 0; len < whole.len; len++) {
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        cachekit_value root;
        cachekit_slice cut = {whole.data, len};
        cr_assert(eq(int, cachekit_interop_decode(cut, 0, &arena, &root, NULL), CACHEKIT_E_DECODE));
        cachekit_arena_release(&arena);
    }
}

Test(interop_read, knows_the_flags_of_the_reader_of_values)
{
    char shown[SHOW_MAX];
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    cachekit_slice input = bytes_of("82 a85f5f646174655f5f c3 a576616c7565 aa323032342d30322d3239");
    cr_assert(eq(int, cachekit_interop_decode(input, 8, &arena, &root, NULL), CACHEKIT_E_INVALID));
    cr_assert(
        eq(int, cachekit_interop_decode(input, CACHEKIT_DECODE_KEEP_SENTINELS, &arena, &root, NULL),
           CACHEKIT_OK));
    cr_assert(eq(str, (char *)(uintptr_t)show(&root, shown),
                 (char *)"{'__date__': true, 'value': '2024-02-29'}"));
    cr_assert(eq(int, cachekit_interop_decode(input, CACHEKIT_DECODE_COPY, &arena, &root, NULL),
                 CACHEKIT_OK));
    cr_assert(root.as.bytes < input.data || root.as.bytes >= input.data + input.len);
    cachekit_arena_release(&arena);
}

// What the protocol accepts: plain documents have no checksum. Only encryption notices.
Test(interop_read, a_flip_inside_a_scalar_of_a_plain_document_goes_unnoticed)
{
    char shown[SHOW_MAX];
    uint8_t bytes[32];
    size_t len = hex_append(bytes, 0, sizeof bytes, alice);
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    bytes[5] ^= 1; // the age
    bytes[len - 1] ^= 0x04;
    cr_assert(eq(int, cachekit_interop_decode((cachekit_slice){bytes, len}, 0, &arena, &root, NULL),
                 CACHEKIT_OK));
    cr_assert(
        eq(str, (char *)(uintptr_t)show(&root, shown), (char *)"{'age': 31, 'name': 'alica'}"));
    cachekit_arena_release(&arena);
}

// ---- the law: reading and writing canonical bytes gives the same bytes ----

static void check_law(cachekit_slice input)
{
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root, again;
    cachekit_buffer first = CACHEKIT_BUFFER_INIT, second = CACHEKIT_BUFFER_INIT;
    for (unsigned flags = 0; flags <= CACHEKIT_DECODE_KEEP_SENTINELS; flags += 2) {
        cr_assert(eq(int, cachekit_interop_decode(input, flags, &arena, &root, NULL), CACHEKIT_OK));
        cr_assert(eq(int, cachekit_interop_encode(&root, &first, NULL), CACHEKIT_OK));
        cachekit_slice canonical = {first.data, first.len};
        cr_assert(
            eq(int, cachekit_interop_decode(canonical, flags, &arena, &again, NULL), CACHEKIT_OK));
        cr_assert(eq(int, cachekit_interop_encode(&again, &second, NULL), CACHEKIT_OK));
        cr_assert(eq(sz, second.len, first.len));
        cr_assert(memcmp(second.data, first.data, first.len) == 0);
        // In order already, so the plain writer says the same.
        cr_assert(eq(int, cachekit_value_encode(&again, &second, NULL), CACHEKIT_OK));
        cr_assert(eq(sz, second.len, first.len));
        cr_assert(memcmp(second.data, first.data, first.len) == 0);
    }
    cachekit_buffer_release(&second);
    cachekit_buffer_release(&first);
    cachekit_arena_release(&arena);
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
    return (cachekit_slice){bytes, len};
}

Test(interop_read, what_is_canonical_comes_back_byte_for_byte)
{
    check_law(vector("users_4.msgpack"));
    check_law(vector("users_100.msgpack"));
    check_law(bytes_of("df00000002 da0001 62 cc01 a161 ca3fc00000"));
    check_law(bytes_of("82 a576616c7565 aa323032342d30322d3239 a85f5f646174655f5f c3"));
}

// ---- memory and depth ----

// A map of `width` keys in the wrong order.
static cachekit_value disordered(cachekit_arena *arena, size_t width)
{
    cachekit_value *items = cachekit_arena_values(arena, 2 * width);
    cr_assert_not_null(items);
    for (size_t i = 0; i < width; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "k%05u", (unsigned)((width - i) % 100000));
        items[2 * i] = cachekit_value_text(cachekit_arena_copy(arena, name, 6));
        items[2 * i + 1] = cachekit_value_bool(true);
    }
    return cachekit_value_map(items, width);
}

Test(interop_read, every_refused_allocation_is_a_clean_failure)
{
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value *maps = cachekit_arena_values(&arena, 6);
    static const size_t widths[] = {16, 15, 1000, 2, 300, 40};
    for (size_t i = 0; i < 6; i++) {
        maps[i] = disordered(&arena, widths[i]);
    }
    maps[5] = cachekit_value_array(maps + 2, 3);
    const cachekit_value root = cachekit_value_array(maps, 6);
    int refused = 0;
    for (int n = 0;; n++) {
        struct fault_allocator memory;
        cachekit_buffer out;
        cachekit_error error = {.status = CACHEKIT_OK};
        fault_allocator_init(&memory);
        memory.fail_at = n;
        cachekit_buffer_init(&out, &memory.hooks);
        cachekit_status status = cachekit_interop_encode(&root, &out, &error);
        cachekit_buffer_release(&out);
        cr_assert(eq(sz, memory.live_blocks, 0));
        cr_assert(eq(sz, memory.live_bytes, 0));
        if (memory.calls <= n) {
            cr_assert(eq(int, status, CACHEKIT_OK));
            break;
        }
        cr_assert(eq(int, status, CACHEKIT_E_NOMEM));
        cr_assert(eq(int, error.status, CACHEKIT_E_NOMEM));
        cr_assert(eq(sz, out.len, 0));
        refused++;
    }
    cr_assert(refused > 5, "%d", refused);
    cachekit_arena_release(&arena);
}

Test(interop_read, small_maps_and_sorted_ones_take_no_memory_of_their_own)
{
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    const cachekit_value nodes[] = {disordered(&arena, 15), disordered(&arena, 15)};
    const cachekit_value pair = cachekit_value_array(nodes, 2);
    struct fault_allocator memory;
    cachekit_buffer out;
    fault_allocator_init(&memory);
    cachekit_buffer_init(&out, &memory.hooks);
    cr_assert(eq(int, cachekit_buffer_reserve(&out, 4096), CACHEKIT_OK));
    cr_assert(eq(int, cachekit_interop_encode(&pair, &out, NULL), CACHEKIT_OK));
    cr_assert(eq(int, memory.calls, 1));
    cachekit_value large = disordered(&arena, 100);
    cr_assert(eq(int, cachekit_interop_encode(&large, &out, NULL), CACHEKIT_OK));
    cr_assert(memory.calls > 1);
    int calls = memory.calls;
    cachekit_value sorted;
    cachekit_buffer copy = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_buffer_append(&copy, out.data, out.len), CACHEKIT_OK));
    cachekit_slice written = {copy.data, copy.len};
    cr_assert(eq(int, cachekit_interop_decode(written, 0, &arena, &sorted, NULL), CACHEKIT_OK));
    cr_assert(eq(int, cachekit_interop_encode(&sorted, &out, NULL), CACHEKIT_OK));
    cr_assert(eq(int, memory.calls, calls));
    cachekit_buffer_release(&copy);
    cachekit_buffer_release(&out);
    cachekit_arena_release(&arena);
}

// What a large map took it gives back when it closes, so a row of them takes no more than one.
Test(interop_read, large_maps_in_a_row_share_their_memory)
{
    static cachekit_value row[300];
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    const cachekit_value large = disordered(&arena, 100);
    for (size_t i = 0; i < 300; i++) {
        row[i] = large;
    }
    const cachekit_value root = cachekit_value_array(row, 300);
    struct fault_allocator memory;
    cachekit_buffer out;
    fault_allocator_init(&memory);
    cachekit_buffer_init(&out, &memory.hooks);
    cr_assert(eq(int, cachekit_buffer_reserve(&out, 300 * 1000), CACHEKIT_OK));
    size_t held = memory.live_bytes;
    cr_assert(eq(int, cachekit_interop_encode(&root, &out, NULL), CACHEKIT_OK));
    cr_assert(memory.peak_bytes < held + 1024, "%zu", memory.peak_bytes - held);
    cachekit_buffer_release(&out);
    cachekit_arena_release(&arena);
}

enum { LEVELS = CACHEKIT_VALUE_DEPTH_MAX };

struct chain {
    cachekit_value maps[LEVELS + 1][4]; // {"b": the next, "a": 1}
    cachekit_status encoded, one_more, decoded, too_deep;
    cachekit_error error;
    size_t len;
};

static cachekit_value link(struct chain *chain, int levels)
{
    cachekit_value inner = cachekit_value_nil();
    for (int i = levels - 1; i >= 0; i--) {
        cachekit_value *map = chain->maps[i];
        map[0] = cachekit_value_text("b");
        map[1] = inner;
        map[2] = cachekit_value_text("a");
        map[3] = cachekit_value_i64(1);
        inner = cachekit_value_map(map, 2);
    }
    return inner;
}

static void *go_deep(void *context)
{
    struct chain *chain = context;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT, again = CACHEKIT_BUFFER_INIT;
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root = link(chain, LEVELS);
    chain->encoded = cachekit_interop_encode(&root, &out, &chain->error);
    chain->len = out.len;
    cachekit_slice written = {out.data, out.len};
    chain->decoded = cachekit_interop_decode(written, 0, &arena, &root, &chain->error);
    root = link(chain, LEVELS + 1);
    chain->one_more = cachekit_interop_encode(&root, &again, &chain->error);
    if (cachekit_value_encode(&root, &again, NULL) == CACHEKIT_E_VALUE &&
        cachekit_buffer_append(&again, "\x91", 1) == CACHEKIT_OK &&
        cachekit_buffer_append(&again, out.data, out.len) == CACHEKIT_OK) {
        written = (cachekit_slice){again.data, again.len};
        chain->too_deep = cachekit_interop_decode(written, 0, &arena, &root, &chain->error);
    }
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&again);
    cachekit_buffer_release(&out);
    return NULL;
}

Test(interop_read, a_stack_of_64_kib_is_enough_for_1024_levels_in_disorder)
{
    static struct chain chain;
    cr_assert(small_stack_run(go_deep, &chain));
    cr_assert(eq(int, chain.encoded, CACHEKIT_OK));
    cr_assert(eq(sz, chain.len, LEVELS * 6 + 1));
    cr_assert(eq(int, chain.decoded, CACHEKIT_OK));
    cr_assert(eq(int, chain.one_more, CACHEKIT_E_VALUE));
    cr_assert(eq(int, chain.too_deep, CACHEKIT_E_DECODE));
    cr_assert_not_null(strstr(chain.error.text, "1024 levels"), "%s", chain.error.text);
    // A date is written as a map, which would be one level more.
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_value root = link(&chain, LEVELS);
    cr_assert(eq(int,
                 cachekit_value_date(CACHEKIT_DATE, "2024-02-29", 10, &chain.maps[LEVELS - 1][1]),
                 CACHEKIT_OK));
    cr_assert(eq(int, cachekit_interop_encode(&root, &out, &chain.error), CACHEKIT_E_VALUE));
    cr_assert_not_null(strstr(chain.error.text, "1024 levels"), "%s", chain.error.text);
    cachekit_buffer_release(&out);
}
