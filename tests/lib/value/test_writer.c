// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>

#include <cachekit/value.h>

#include "fault_allocator.h"
#include "hex.h"
#include "value/writer.h"

static void check(const cachekit_value *value, const char *hex)
{
    uint8_t expected[256];
    size_t len = hex_append(expected, 0, sizeof expected, hex);
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_error error;
    cr_assert(eq(int, cachekit_value_encode(value, &out, &error), CACHEKIT_OK), "%s", hex);
    cr_assert(eq(sz, out.len, len), "%s", hex);
    cr_assert(memcmp(out.data, expected, len) == 0, "%s", hex);
    cachekit_buffer_release(&out);
}

Test(writer, integers_take_the_shortest_form)
{
    static const struct {
        int64_t number;
        const char *hex;
    } rows[] = {
        {0, "00"},
        {127, "7f"},
        {128, "cc80"},
        {255, "ccff"},
        {256, "cd0100"},
        {65535, "cdffff"},
        {65536, "ce00010000"},
        {4294967295, "ceffffffff"},
        {4294967296, "cf0000000100000000"},
        {INT64_MAX, "cf7fffffffffffffff"},
        {-1, "ff"},
        {-32, "e0"},
        {-33, "d0df"},
        {-128, "d080"},
        {-129, "d1ff7f"},
        {-32768, "d18000"},
        {-32769, "d2ffff7fff"},
        {-2147483648, "d280000000"},
        {-2147483649, "d3ffffffff7fffffff"},
        {INT64_MIN, "d38000000000000000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_value value = cachekit_value_i64(rows[i].number);
        check(&value, rows[i].hex);
    }
    cachekit_value above = cachekit_value_u64((uint64_t)INT64_MAX + 1);
    check(&above, "cf8000000000000000");
    above = cachekit_value_u64(UINT64_MAX);
    check(&above, "cfffffffffffffffff");
    cachekit_value below = cachekit_value_u64(5);
    check(&below, "05");
}

Test(writer, floats_are_binary64_whatever_their_value)
{
    static const struct {
        double number;
        const char *hex;
    } rows[] = {
        {2.0, "cb4000000000000000"},      {0.0, "cb0000000000000000"},
        {-0.0, "cb8000000000000000"},     {1.5, "cb3ff8000000000000"},
        {INFINITY, "cb7ff0000000000000"}, {-INFINITY, "cbfff0000000000000"},
        {5e-324, "cb0000000000000001"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_value value = cachekit_value_f64(rows[i].number);
        check(&value, rows[i].hex);
    }
}

Test(writer, text_and_bytes_stay_apart)
{
    cachekit_value text = cachekit_value_text("abc");
    cachekit_value bytes = cachekit_value_bin("abc", 3);
    check(&text, "a3616263");
    check(&bytes, "c403616263");
    text = cachekit_value_str(NULL, 0);
    bytes = cachekit_value_bin(NULL, 0);
    check(&text, "a0");
    check(&bytes, "c400");
}

// Lengths around the edges of every width: the header is right and the body is whole.
Test(writer, lengths_take_the_shortest_form)
{
    static const struct {
        size_t len;
        const char *str;
        const char *bin;
        const char *array;
        const char *map;
    } rows[] = {
        {1, "a1", "c401", "91", "81"},
        {15, "af", "c40f", "9f", "8f"},
        {16, "b0", "c410", "dc0010", "de0010"},
        {17, "b1", "c411", "dc0011", "de0011"},
        {31, "bf", "c41f", "dc001f", "de001f"},
        {32, "d920", "c420", "dc0020", "de0020"},
        {33, "d921", "c421", "dc0021", "de0021"},
        {255, "d9ff", "c4ff", "dc00ff", "de00ff"},
        {256, "da0100", "c50100", "dc0100", "de0100"},
        {65535, "daffff", "c5ffff", "dcffff", "deffff"},
        {65536, "db00010000", "c600010000", "dd00010000", "df00010000"},
    };
    static char body[65536];
    static cachekit_value nodes[2 * 65536];
    memset(body, 'x', sizeof body);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t len = rows[i].len;
        const struct {
            cachekit_value value;
            const char *head;
            size_t body_len;
            int byte;
        } forms[] = {
            {cachekit_value_str(body, len), rows[i].str, len, 'x'},
            {cachekit_value_bin(body, len), rows[i].bin, len, 'x'},
            {cachekit_value_array(nodes, len), rows[i].array, len, 0xc0},
            {cachekit_value_map(nodes, len), rows[i].map, 2 * len, 0xc0},
        };
        for (size_t k = 0; k < 4; k++) {
            uint8_t head[8];
            size_t head_len = hex_append(head, 0, sizeof head, forms[k].head);
            cachekit_buffer out = CACHEKIT_BUFFER_INIT;
            cr_assert(eq(int, cachekit_value_encode(&forms[k].value, &out, NULL), CACHEKIT_OK));
            cr_assert(eq(sz, out.len, head_len + forms[k].body_len));
            cr_assert(memcmp(out.data, head, head_len) == 0, "%s", forms[k].head);
            for (size_t b = head_len; b < out.len; b++) {
                cr_assert(out.data[b] == forms[k].byte, "%s, byte %zu", forms[k].head, b);
            }
            cachekit_buffer_release(&out);
        }
    }
}

// Every short length, with neighbours that may not be touched.
Test(writer, copies_texts_of_all_lengths)
{
    char text[101];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (char)('!' + i % 90);
    }
    for (size_t len = 0; len <= 100; len++) {
        const cachekit_value nodes[] = {cachekit_value_str(text, len), cachekit_value_i64(1)};
        cachekit_value value = cachekit_value_array(nodes, 2);
        cachekit_buffer out = CACHEKIT_BUFFER_INIT;
        cr_assert(eq(int, cachekit_value_encode(&value, &out, NULL), CACHEKIT_OK));
        cr_assert(memcmp(out.data + out.len - 1 - len, text, len) == 0, "%zu", len);
        cr_assert(eq(u8, out.data[out.len - 1], 1));
        cachekit_buffer_release(&out);
    }
}

Test(writer, keeps_the_order_of_a_map)
{
    const cachekit_value pairs[] = {
        cachekit_value_text("b"), cachekit_value_i64(1),     cachekit_value_text("a"),
        cachekit_value_nil(),     cachekit_value_bool(true), cachekit_value_bool(false),
    };
    cachekit_value map = cachekit_value_map(pairs, 3);
    check(&map, "83 a16201 a161c0 c3c2");
}

Test(writer, dates_become_their_maps)
{
    cachekit_value date;
    cr_assert(eq(
        int, cachekit_value_date(CACHEKIT_DATETIME, "2024-01-01T12:30:45.123456+00:00", 32, &date),
        CACHEKIT_OK));
    check(&date,
          "82ac5f5f6461746574696d655f5fc3a576616c7565d920323032342d30312d30315431323a33303a34"
          "352e3132333435362b30303a3030");
    cr_assert(eq(int, cachekit_value_date(CACHEKIT_DATE, "2024-02-29", 10, &date), CACHEKIT_OK));
    check(&date, "82a85f5f646174655f5fc3a576616c7565aa323032342d30322d3239");
    cr_assert(eq(int, cachekit_value_date(CACHEKIT_TIME, "23:59:59", 8, &date), CACHEKIT_OK));
    check(&date, "82a85f5f74696d655f5fc3a576616c7565a832333a35393a3539");
}

static void check_refused(const cachekit_value *value, const char *text)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_error error;
    cr_assert(eq(int, cachekit_buffer_append(&out, "before", 6), CACHEKIT_OK));
    cr_assert(eq(int, cachekit_value_encode(value, &out, &error), CACHEKIT_E_VALUE), "%s", text);
    cr_assert(eq(sz, out.len, 0));
    cr_assert(eq(int, error.status, CACHEKIT_E_VALUE));
    cr_assert_not_null(strstr(error.text, text), "%s", error.text);
    cachekit_buffer_release(&out);
}

Test(writer, refuses_what_a_reader_would_refuse)
{
    static const char *const texts[] = {"\x80",
                                        "\xc3",
                                        "ab\xff",
                                        "\xed\xa0\x80",
                                        "abcdefg\xc0",
                                        "abcdefghijkl\xff",
                                        "0123456789abcdef\xe0\x80\x80",
                                        "0123456789abcdef0123456789abcdef0123456789\xf5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cachekit_value value = cachekit_value_text(texts[i]);
        check_refused(&value, "UTF-8");
    }
    cachekit_value unknown = {.type = CACHEKIT_TIME + 1};
    check_refused(&unknown, "unknown type");
    cachekit_value date = cachekit_value_text("2024-02-30");
    date.type = CACHEKIT_DATE;
    check_refused(&date, "date");
}

Test(writer, takes_wide_text)
{
    cachekit_value value = cachekit_value_text("\xc3\xa9\xe2\x82\xac");
    check(&value, "a5c3a9e282ac");
    value = cachekit_value_text("0123456789abcdef\xf0\x9f\x98\x80");
    check(&value, "b430313233343536373839616263646566f09f9880");
}

Test(writer, refuses_1025_levels)
{
    static cachekit_value chain[CACHEKIT_VALUE_DEPTH_MAX + 2];
    for (int levels = CACHEKIT_VALUE_DEPTH_MAX; levels <= CACHEKIT_VALUE_DEPTH_MAX + 1; levels++) {
        chain[levels] = cachekit_value_i64(1);
        for (int i = levels; i > 0; i--) {
            chain[i - 1] = cachekit_value_array(&chain[i], 1);
        }
        if (levels > CACHEKIT_VALUE_DEPTH_MAX) {
            check_refused(&chain[0], "levels");
            continue;
        }
        cachekit_buffer out = CACHEKIT_BUFFER_INIT;
        cr_assert(eq(int, cachekit_value_encode(&chain[0], &out, NULL), CACHEKIT_OK));
        cr_assert(eq(sz, out.len, CACHEKIT_VALUE_DEPTH_MAX + 1));
        cachekit_buffer_release(&out);
        // A date is written as a map, which would be one level more.
        cr_assert(eq(int, cachekit_value_date(CACHEKIT_DATE, "2024-02-29", 10, &chain[levels]),
                     CACHEKIT_OK));
        check_refused(&chain[0], "levels");
    }
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

Test(writer, users_come_back_byte_for_byte)
{
    static const struct {
        const char *name;
        size_t len;
    } rows[] = {{"users_4.msgpack", 1090}, {"users_100.msgpack", 23547}};
    for (size_t i = 0; i < 2; i++) {
        cachekit_slice input = vector(rows[i].name);
        cr_assert(eq(sz, input.len, rows[i].len));
        cachekit_arena arena = CACHEKIT_ARENA_INIT;
        cachekit_buffer out = CACHEKIT_BUFFER_INIT;
        cachekit_value root;
        cr_assert(eq(int, cachekit_value_decode(input, 0, &arena, &root, NULL), CACHEKIT_OK));
        for (int round = 0; round < 2; round++) { // a used buffer is emptied first
            cr_assert(eq(int, cachekit_value_encode(&root, &out, NULL), CACHEKIT_OK));
            cr_assert(eq(sz, out.len, input.len));
            cr_assert(memcmp(out.data, input.data, out.len) == 0);
        }
        cachekit_buffer_release(&out);
        cachekit_arena_release(&arena);
    }
}

Test(writer, refused_memory_is_a_clean_failure)
{
    cachekit_slice input = vector("users_4.msgpack");
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    cr_assert(eq(int, cachekit_value_decode(input, 0, &arena, &root, NULL), CACHEKIT_OK));
    for (int n = 0, calls = 1; n < calls; n++) {
        struct fault_allocator memory;
        fault_allocator_init(&memory);
        cachekit_buffer out;
        cachekit_buffer_init(&out, &memory.hooks);
        cr_assert(eq(int, cachekit_value_encode(&root, &out, NULL), CACHEKIT_OK));
        calls = memory.calls;
        cachekit_buffer_release(&out);
        fault_allocator_init(&memory);
        memory.fail_at = n;
        cachekit_error error;
        cachekit_buffer_init(&out, &memory.hooks);
        cr_assert(eq(int, cachekit_value_encode(&root, &out, &error), CACHEKIT_E_NOMEM));
        cr_assert(eq(sz, out.len, 0));
        cr_assert(eq(int, error.status, CACHEKIT_E_NOMEM));
        cachekit_buffer_release(&out);
        cr_assert(eq(sz, memory.live_blocks, 0));
        cr_assert(eq(sz, memory.live_bytes, 0));
    }
    cachekit_arena_release(&arena);
}

Test(writer, single_objects_append)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cki_pack_array(&out, 9), CACHEKIT_OK));
    cr_assert(eq(int, cki_pack_nil(&out), CACHEKIT_OK));
    cr_assert(eq(int, cki_pack_bool(&out, false), CACHEKIT_OK));
    cr_assert(eq(int, cki_pack_bool(&out, true), CACHEKIT_OK));
    cr_assert(eq(int, cki_pack_i64(&out, -129), CACHEKIT_OK));
    cr_assert(eq(int, cki_pack_u64(&out, UINT64_MAX), CACHEKIT_OK));
    cr_assert(eq(int, cki_pack_f64(&out, 1.5), CACHEKIT_OK));
    cr_assert(eq(int, cki_pack_str(&out, "ab", 2), CACHEKIT_OK));
    cr_assert(eq(int, cki_pack_bin(&out, "ab", 2), CACHEKIT_OK));
    cr_assert(eq(int, cki_pack_map(&out, 16), CACHEKIT_OK));
    uint8_t expected[64];
    size_t len =
        hex_append(expected, 0, sizeof expected,
                   "99 c0 c2 c3 d1ff7f cfffffffffffffffff cb3ff8000000000000 a26162 c4026162"
                   "de0010");
    cr_assert(eq(sz, out.len, len));
    cr_assert(memcmp(out.data, expected, len) == 0);
    cachekit_buffer_release(&out);
}

Test(writer, single_objects_fail_without_a_trace)
{
    struct fault_allocator memory;
    fault_allocator_init(&memory);
    memory.fail_at = 0;
    memory.fail_on = true;
    cachekit_buffer out;
    cachekit_buffer_init(&out, &memory.hooks);
    cr_assert(eq(int, cki_pack_nil(&out), CACHEKIT_E_NOMEM));
    cr_assert(eq(int, cki_pack_bool(&out, true), CACHEKIT_E_NOMEM));
    cr_assert(eq(int, cki_pack_i64(&out, 1), CACHEKIT_E_NOMEM));
    cr_assert(eq(int, cki_pack_u64(&out, 1), CACHEKIT_E_NOMEM));
    cr_assert(eq(int, cki_pack_f64(&out, 1), CACHEKIT_E_NOMEM));
    cr_assert(eq(int, cki_pack_str(&out, "a", 1), CACHEKIT_E_NOMEM));
    cr_assert(eq(int, cki_pack_bin(&out, "a", 1), CACHEKIT_E_NOMEM));
    cr_assert(eq(int, cki_pack_array(&out, 1), CACHEKIT_E_NOMEM));
    cr_assert(eq(int, cki_pack_map(&out, 1), CACHEKIT_E_NOMEM));
    cr_assert(eq(sz, out.len, 0));
}
