// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

#include <cachekit/value.h>

#include "hex.h"
#include "show.h"

enum { ROOM = 70000, LEVELS = CACHEKIT_VALUE_DEPTH_MAX };

// An input of exactly its own length on the heap, so that a sanitizer sees one byte too far.
static cachekit_slice exact(const uint8_t *bytes, size_t len)
{
    uint8_t *copy = malloc(len > 0 ? len : 1);
    cr_assert_not_null(copy);
    memcpy(copy, bytes, len);
    return (cachekit_slice){copy, len};
}

static cachekit_slice exact_hex(const char *hex)
{
    uint8_t bytes[512];
    return exact(bytes, hex_append(bytes, 0, sizeof bytes, hex));
}

static cachekit_status decode(cachekit_slice input, unsigned flags, cachekit_arena *arena,
                              cachekit_value *root, cachekit_error *error)
{
    *error = (cachekit_error){.status = CACHEKIT_OK};
    return cachekit_value_decode(input, flags, arena, root, error);
}

static void drop(cachekit_slice input)
{
    free((void *)(uintptr_t)input.data);
}

static const struct {
    const char *hex;
    const char *shown;
} accepted[] = {
    {"c0", "nil"},
    {"c2", "false"},
    {"c3", "true"},
    // integers: the edges of every width, and values that a shorter width could hold
    {"00", "0"},
    {"7f", "127"},
    {"cc80", "128"},
    {"ccff", "255"},
    {"cc00", "0"},
    {"cd0100", "256"},
    {"cdffff", "65535"},
    {"cd0001", "1"},
    {"ce00010000", "65536"},
    {"ceffffffff", "4294967295"},
    {"ce00000001", "1"},
    {"cf0000000100000000", "4294967296"},
    {"cf7fffffffffffffff", "9223372036854775807"},
    {"cf8000000000000000", "9223372036854775808u"},
    {"cfffffffffffffffff", "18446744073709551615u"},
    {"cf0000000000000001", "1"},
    {"ff", "-1"},
    {"e0", "-32"},
    {"d0df", "-33"},
    {"d080", "-128"},
    {"d07f", "127"},
    {"d1ff7f", "-129"},
    {"d18000", "-32768"},
    {"d17fff", "32767"},
    {"d2ffff7fff", "-32769"},
    {"d280000000", "-2147483648"},
    {"d27fffffff", "2147483647"},
    {"d3ffffffff7fffffff", "-2147483649"},
    {"d38000000000000000", "-9223372036854775808"},
    {"d37fffffffffffffff", "9223372036854775807"},
    // floats: binary32 widened, signs and specials kept
    {"ca3fc00000", "0x1.8p+0"},
    {"ca00000001", "0x1p-149"},
    {"ca7f800000", "inf"},
    {"cb3ff8000000000000", "0x1.8p+0"},
    {"cb8000000000000000", "-0x0p+0"},
    {"cbfff0000000000000", "-inf"},
    {"cb0000000000000001", "0x0.0000000000001p-1022"},
    {"cb4000000000000000", "0x1p+1"},
    // text and bytes, every width
    {"a0", "''"},
    {"a161", "'a'"},
    {"d90161", "'a'"},
    {"da000161", "'a'"},
    {"db0000000161", "'a'"},
    {"bf61616161616161616161616161616161616161616161616161616161616161",
     "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"},
    {"c400", "x''"},
    {"c402ff00", "x'ff00'"},
    {"c50001ff", "x'ff'"},
    {"c600000001ff", "x'ff'"},
    // collections, every width
    {"90", "[]"},
    {"9101", "[1]"},
    {"dc0000", "[]"},
    {"dc000101", "[1]"},
    {"dd0000000101", "[1]"},
    {"80", "{}"},
    {"810102", "{1: 2}"},
    {"de00010102", "{1: 2}"},
    {"df000000010102", "{1: 2}"},
    {"9f0102030405060708090a0b0c0d0e0f", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]"},
    {"83 c0c0 9101c3 8081a16100", "{nil: nil, [1]: true, {}: {'a': 0}}"},
    {"82 a16101 a16102", "{'a': 1, 'a': 2}"},
    {"93 9190 8180 90 9391c09190c2", "[[[]], {{}: []}, [[nil], [[]], false]]"},
    // the protocol's own value vectors
    {"82a36167651ea46e616d65a5616c696365", "{'age': 30, 'name': 'alice'}"},
    {"9501a374776fcb400c000000000000c0c3", "[1, 'two', 0x1.cp+1, nil, true]"},
    {"82ac5f5f6461746574696d655f5fc3a576616c7565d920323032342d30312d30315431323a33303a34352e3132333"
     "4"
     "35362b30303a3030",
     "datetime'2024-01-01T12:30:45.123456+00:00'"},
};

Test(reader, reads_every_width_of_every_type)
{
    char line[SHOW_MAX];
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        for (unsigned flags = 0; flags <= CACHEKIT_DECODE_COPY; flags++) {
            cachekit_arena arena = CACHEKIT_ARENA_INIT;
            cachekit_slice input = exact_hex(accepted[i].hex);
            cachekit_value root;
            cachekit_error error;
            cr_assert(eq(int, decode(input, flags, &arena, &root, &error), CACHEKIT_OK), "%s: %s",
                      accepted[i].hex, error.text);
            cr_assert(eq(str, (char *)show(&root, line), (char *)accepted[i].shown));
            drop(input);
            cachekit_arena_release(&arena);
        }
    }
}

static const struct {
    const char *hex;
    uint64_t position;
    const char *text;
} refused[] = {
    {"", 0, "empty"},
    {"c1", 0, "reserved"},
    {"9201c1", 2, "reserved"},
    {"81c1c0", 1, "reserved"},
    // ext of every width
    {"d40100", 0, "ext types"},
    {"d5010000", 0, "ext types"},
    {"d60100000000", 0, "ext types"},
    {"d7010000000000000000", 0, "ext types"},
    {"d80100000000000000000000000000000000", 0, "ext types"},
    {"c70001", 0, "ext types"},
    {"c8000001", 0, "ext types"},
    {"c90000000001", 0, "ext types"},
    {"9201d6ff00000000", 2, "ext types"},
    // bytes behind the document
    {"0101", 1, "behind"},
    {"c0c1", 1, "behind"},
    {"9000", 1, "behind"},
    {"9101c0", 2, "behind"},
    {"a16100", 2, "behind"},
    {"82ac5f5f6461746574696d655f5fc3a576616c7565b3323032342d30312d30315430303a30303a3030c0", 41,
     "behind"},
    // cut inside a header, inside a body, and before an owed object
    {"cc", 0, "ends"},
    {"cd01", 0, "ends"},
    {"ce010203", 0, "ends"},
    {"cf01020304050607", 0, "ends"},
    {"d0", 0, "ends"},
    {"d101", 0, "ends"},
    {"d2010203", 0, "ends"},
    {"d301020304050607", 0, "ends"},
    {"ca010203", 0, "ends"},
    {"cb01020304050607", 0, "ends"},
    {"d9", 0, "ends"},
    {"da00", 0, "ends"},
    {"db000000", 0, "ends"},
    {"c4", 0, "ends"},
    {"c500", 0, "ends"},
    {"c6000000", 0, "ends"},
    {"dc00", 0, "ends"},
    {"dd000000", 0, "ends"},
    {"de00", 0, "ends"},
    {"df000000", 0, "ends"},
    {"a1", 0, "ends"},
    {"a361 62", 0, "ends"},
    {"d90261", 0, "ends"},
    {"c40200", 0, "ends"},
    {"91", 0, "ends"},
    {"9201", 0, "ends"},
    {"81", 0, "ends"},
    {"8101", 0, "ends"},
    {"8201 02", 0, "ends"},
    {"92cd01 02", 1, "ends"},
    // promises beyond the input, one by one and in sum
    {"dd05f5e100", 0, "ends"},
    {"df05f5e100", 0, "ends"},
    {"ddffffffff", 0, "ends"},
    {"dfffffffff", 0, "ends"},
    {"df80000000", 0, "ends"},
    {"dbffffffff", 0, "ends"},
    {"c6ffffffff", 0, "ends"},
    {"dcffff", 0, "ends"},
    {"deffff", 0, "ends"},
    {"de8000", 0, "ends"},
    {"dc0004 dc0004 00000000", 3, "ends"},
    {"94 84 0000000000", 1, "ends"},
    {"92 a3616263", 1, "ends"},
    {"93 c402ffff c0", 1, "ends"},
    {"92 d90461626364", 1, "ends"},
};

Test(reader, refuses_with_a_reason_and_a_place)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        for (unsigned flags = 0; flags <= CACHEKIT_DECODE_COPY; flags++) {
            cachekit_arena arena = CACHEKIT_ARENA_INIT;
            cachekit_slice input = exact_hex(refused[i].hex);
            cachekit_value root = cachekit_value_bool(true);
            cachekit_error error;
            cachekit_status status = decode(input, flags, &arena, &root, &error);
            cr_assert(eq(int, status, CACHEKIT_E_DECODE), "%s", refused[i].hex);
            cr_assert(eq(int, error.status, CACHEKIT_E_DECODE));
            cr_assert(eq(u64, error.position, refused[i].position), "%s", refused[i].hex);
            cr_assert_not_null(strstr(error.text, refused[i].text), "%s: %s", refused[i].hex,
                               error.text);
            cr_assert(eq(int, (int)root.type, CACHEKIT_NIL));
            drop(input);
            cachekit_arena_release(&arena);
        }
    }
}

// One array that holds every marker but c1 and ext, and a map of text so long that every short
// text before it is read through its window.
static size_t every_marker(uint8_t *out)
{
    static const char *const items[] = {
        "c0",
        "c2",
        "c3",
        "cc80",
        "cdffff",
        "ceffffffff",
        "cfffffffffffffffff",
        "d080",
        "d18000",
        "d280000000",
        "d38000000000000000",
        "ca3fc00000",
        "cb3ff8000000000000",
        "d90161",
        "da000161",
        "db0000000161",
        "c401ff",
        "c50001ff",
        "c600000001ff",
        "dc000101",
        "dd0000000101",
        "de00010102",
        "df000000010102",
        "82ac5f5f6461746574696d655f5fc3a576616c7565b3323032342d30312d30315430303a30303a3030",
    };
    size_t count = sizeof items / sizeof items[0];
    size_t at = 3;
    for (size_t i = 0; i < count; i++) {
        at = hex_append(out, at, ROOM, items[i]);
    }
    for (unsigned marker = 0; marker < 0x100; marker++) {
        size_t body = marker < 0x80 || marker >= 0xe0 ? 0
                      : marker < 0x90                 ? 2 * (marker & 15u)
                      : marker < 0xa0                 ? marker & 15u
                      : marker < 0xc0                 ? marker & 31u
                                                      : SIZE_MAX;
        if (body == SIZE_MAX) {
            continue;
        }
        out[at++] = (uint8_t)marker;
        memset(out + at, marker < 0xa0 ? 0xc0 : 'x', body);
        at += body;
        count++;
    }
    out[0] = 0xdc;
    out[1] = (uint8_t)(count >> 8);
    out[2] = (uint8_t)count;
    return at;
}

Test(reader, refuses_every_truncation)
{
    static uint8_t bytes[ROOM];
    size_t whole = every_marker(bytes);
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    for (unsigned flags = 0; flags <= CACHEKIT_DECODE_COPY; flags++) {
        for (size_t len = 0; len <= whole; len++) {
            cachekit_slice input = exact(bytes, len);
            cachekit_value root;
            cachekit_error error;
            cachekit_status status = decode(input, flags, &arena, &root, &error);
            cr_assert(eq(int, status, len == whole ? CACHEKIT_OK : CACHEKIT_E_DECODE), "%zu of %zu",
                      len, whole);
            cr_assert(len == whole || len == 0 || strstr(error.text, "ends") != NULL, "%zu", len);
            drop(input);
            cachekit_arena_reset(&arena);
        }
    }
    cachekit_arena_release(&arena);
}

// `levels` collections around `core`.
static cachekit_status nested(const char *level, int levels, const char *core, uint64_t *position)
{
    static uint8_t bytes[ROOM];
    size_t len = 0;
    for (int i = 0; i < levels; i++) {
        len = hex_append(bytes, len, ROOM, level);
    }
    len = hex_append(bytes, len, ROOM, core);
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_slice input = exact(bytes, len);
    cachekit_value root;
    cachekit_error error;
    cachekit_status status = decode(input, 0, &arena, &root, &error);
    *position = error.position;
    cr_assert(status == CACHEKIT_OK || strstr(error.text, "levels") != NULL);
    drop(input);
    cachekit_arena_release(&arena);
    return status;
}

Test(reader, accepts_1024_levels_and_refuses_1025)
{
    static const char date[] =
        "82ac5f5f6461746574696d655f5fc3a576616c7565b3323032342d30312d30315430303a30303a3030";
    static const struct {
        const char *level;
        int levels;
        const char *core;
        cachekit_status status;
    } rows[] = {
        {"91", LEVELS, "c0", CACHEKIT_OK},
        {"91", LEVELS + 1, "c0", CACHEKIT_E_DECODE},
        {"81c0", LEVELS, "c0", CACHEKIT_OK},
        {"81c0", LEVELS + 1, "c0", CACHEKIT_E_DECODE},
        {"dc0001", LEVELS, "01", CACHEKIT_OK},
        {"dc0001", LEVELS + 1, "01", CACHEKIT_E_DECODE},
        {"df0000000101", LEVELS, "01", CACHEKIT_OK},
        {"df0000000101", LEVELS + 1, "01", CACHEKIT_E_DECODE},
        {"9291c0", LEVELS - 1, "91c0", CACHEKIT_OK},
        {"9291c0", LEVELS, "91c0", CACHEKIT_E_DECODE},
        // an empty collection is a level, text and bytes are none
        {"91", LEVELS - 1, "90", CACHEKIT_OK},
        {"91", LEVELS, "90", CACHEKIT_E_DECODE},
        {"91", LEVELS, "80", CACHEKIT_E_DECODE},
        {"91", LEVELS, "a3616263", CACHEKIT_OK},
        {"91", LEVELS, "c403616263", CACHEKIT_OK},
        {"91", LEVELS, "cb3ff8000000000000", CACHEKIT_OK},
        // a date is written as a map
        {"91", LEVELS - 1, date, CACHEKIT_OK},
        {"91", LEVELS, date, CACHEKIT_E_DECODE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t position;
        cr_assert(
            eq(int, nested(rows[i].level, rows[i].levels, rows[i].core, &position), rows[i].status),
            "row %zu", i);
    }
    uint64_t position;
    (void)nested("91", LEVELS + 1, "c0", &position);
    cr_assert(eq(u64, position, LEVELS));
}

Test(reader, counts_levels_along_one_path_only)
{
    static uint8_t bytes[ROOM];
    size_t len = hex_append(bytes, 0, ROOM, "93");
    for (int branch = 0; branch < 3; branch++) {
        for (int i = 0; i < LEVELS - 1; i++) {
            len = hex_append(bytes, len, ROOM, "91");
        }
        len = hex_append(bytes, len, ROOM, "c0");
    }
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    cachekit_error error;
    cr_assert(eq(int, decode((cachekit_slice){bytes, len}, 0, &arena, &root, &error), CACHEKIT_OK));
    cachekit_arena_release(&arena);
}

Test(reader, terminates_copies_and_keeps_nothing_of_the_input)
{
    static uint8_t bytes[ROOM];
    static uint8_t again[ROOM];
    size_t len = every_marker(bytes);
    memcpy(again, bytes, len);
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value copied, borrowed;
    cachekit_error error;
    cr_assert(
        eq(int, decode((cachekit_slice){bytes, len}, CACHEKIT_DECODE_COPY, &arena, &copied, &error),
           CACHEKIT_OK));
    memset(bytes, 0xee, sizeof bytes);
    cr_assert(
        eq(int, decode((cachekit_slice){again, len}, 0, &arena, &borrowed, &error), CACHEKIT_OK));
    cr_assert(cachekit_value_equal(&copied, &borrowed));
    for (uint32_t i = 0; i < copied.len; i++) {
        const cachekit_value *a = &copied.as.items[i];
        const cachekit_value *b = &borrowed.as.items[i];
        if (a->type == CACHEKIT_STR || a->type == CACHEKIT_BIN || a->type == CACHEKIT_DATETIME) {
            cr_assert(eq(int, a->as.text[a->len], 0));
            cr_assert(b->as.bytes >= again && b->as.bytes + b->len <= again + len);
        }
    }
    cachekit_arena_release(&arena);
}

Test(reader, refuses_unknown_flags)
{
    static const uint8_t nil = 0xc0;
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value root;
    cachekit_error error;
    cr_assert(
        eq(int, decode((cachekit_slice){&nil, 1}, 4, &arena, &root, &error), CACHEKIT_E_INVALID));
    cr_assert(eq(int, cachekit_value_decode((cachekit_slice){NULL, 0}, 0, &arena, &root, NULL),
                 CACHEKIT_E_DECODE));
}
