// SPDX-License-Identifier: MIT
// What is written reads back as the same tree: 100,000 trees from a fixed seed. CACHEKIT_SEED
// replaces the seed; a failure names the tree's own.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>

#include <cachekit/json.h>

enum { TREES = 100000, WIDTH_MAX = 6, DEPTH_MAX = 7 };

static uint64_t state;

static uint64_t draw(void)
{
    state += UINT64_C(0x9e3779b97f4a7c15); // splitmix64
    uint64_t z = state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t below(uint64_t bound)
{
    return draw() % bound;
}

static cachekit_value draw_integer(void)
{
    static const int64_t edges[] = {0,
                                    1,
                                    -1,
                                    INT64_MAX,
                                    INT64_MIN,
                                    INT64_C(9007199254740991),
                                    INT64_C(9007199254740992),
                                    INT64_C(-9007199254740991),
                                    INT64_C(-9007199254740992)};
    switch (below(4)) {
    case 0:
        return cachekit_value_i64(edges[below(sizeof edges / sizeof edges[0])]);
    case 1:
        return cachekit_value_u64(draw());
    case 2:
        return cachekit_value_u64(UINT64_MAX - below(3));
    default:
        return cachekit_value_i64((int64_t)draw() >> below(64));
    }
}

static cachekit_value draw_float(void)
{
    static const uint64_t edges[] = {0,
                                     UINT64_C(1) << 63,
                                     1,
                                     UINT64_C(0x000fffffffffffff),
                                     UINT64_C(0x0010000000000000),
                                     UINT64_C(0x7fefffffffffffff),
                                     UINT64_C(0x7ff0000000000000),
                                     UINT64_C(0xfff0000000000000),
                                     UINT64_C(0x7ff8000000000000),
                                     UINT64_C(0x3ff0000000000000),
                                     UINT64_C(0x4340000000000000)};
    uint64_t bits = draw();
    double number;
    switch (below(6)) {
    case 0:
        bits = edges[below(sizeof edges / sizeof edges[0])];
        break;
    case 1:
        bits &= UINT64_C(0x800fffffffffffff); // subnormal
        break;
    case 2:
        bits &= UINT64_C(0xfff0000000000000); // a power of two
        break;
    case 3:
        return cachekit_value_f64((double)(int64_t)(bits >> 20) / 100);
    case 4:
        return cachekit_value_f64((double)(int64_t)bits);
    default:
        break;
    }
    memcpy(&number, &bits, sizeof number);
    return cachekit_value_f64(number == number ? number : 1.5); // the one NaN is in the table
}

static cachekit_value draw_text(cachekit_arena *arena)
{
    static const char *const pieces[] = {"a",
                                         "value",
                                         "$",
                                         "$bytes",
                                         "$map",
                                         "\"",
                                         "\\",
                                         "/",
                                         "\n",
                                         "\x01",
                                         "\x7f",
                                         "\xc3\xa9",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x98\x80",
                                         "\xe2\x80\xa8",
                                         " ",
                                         "{",
                                         "u0041",
                                         "__date__",
                                         "longer text without anything odd in it"};
    char text[256];
    size_t len = 0;
    for (uint64_t count = below(5); count > 0; count--) {
        const char *piece = pieces[below(sizeof pieces / sizeof pieces[0])];
        memcpy(text + len, piece, strlen(piece));
        len += strlen(piece);
        if (below(8) == 0) {
            text[len++] = '\0';
        }
    }
    return cachekit_value_str(cachekit_arena_copy(arena, text, len), len);
}

static cachekit_value draw_bytes(cachekit_arena *arena)
{
    uint64_t bytes[4] = {draw(), draw(), draw(), draw()};
    size_t len = below(sizeof bytes);
    return cachekit_value_bin(cachekit_arena_copy(arena, bytes, len), len);
}

static cachekit_value draw_date(void)
{
    static const struct {
        cachekit_type type;
        const char *text;
    } dates[] = {{CACHEKIT_DATETIME, "2024-01-01T12:30:45.123456+00:00"},
                 {CACHEKIT_DATETIME, "1969-12-31T23:59:59Z"},
                 {CACHEKIT_DATETIME, "0001-01-01T00:00:00"},
                 {CACHEKIT_DATE, "9999-12-31"},
                 {CACHEKIT_TIME, "23:59:59.999999-23:59"}};
    size_t i = below(sizeof dates / sizeof dates[0]);
    cachekit_value value;
    cr_assert(eq(int,
                 cachekit_value_date(dates[i].type, dates[i].text, strlen(dates[i].text), &value),
                 CACHEKIT_OK));
    return value;
}

static cachekit_value draw_tree(cachekit_arena *arena, int depth);

static cachekit_value draw_map(cachekit_arena *arena, int depth)
{
    size_t pairs = below(WIDTH_MAX);
    bool any_keys = below(4) == 0;
    cachekit_value *items = cachekit_arena_values(arena, 2 * pairs);
    for (size_t i = 0; i < pairs; i++) {
        items[2 * i] = any_keys ? draw_tree(arena, depth - 1) : draw_text(arena);
        items[2 * i + 1] = draw_tree(arena, depth - 1);
    }
    return cachekit_value_map(items, pairs);
}

static cachekit_value draw_tree(cachekit_arena *arena, int depth)
{
    switch (below(depth > 0 ? 11 : 8)) {
    case 0:
        return cachekit_value_nil();
    case 1:
        return cachekit_value_bool(below(2) == 0);
    case 2:
        return draw_integer();
    case 3:
    case 4:
        return draw_float();
    case 5:
        return draw_text(arena);
    case 6:
        return draw_bytes(arena);
    case 7:
        return draw_date();
    case 8:
        return draw_map(arena, depth);
    default: {
        size_t count = below(WIDTH_MAX);
        cachekit_value *items = cachekit_arena_values(arena, count);
        for (size_t i = 0; i < count; i++) {
            items[i] = draw_tree(arena, depth - 1);
        }
        return cachekit_value_array(items, count);
    }
    }
}

static void check(const cachekit_value *tree, uint64_t seed, cachekit_arena *arena,
                  cachekit_buffer *out, cachekit_buffer *again)
{
    cachekit_value back;
    cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
    cr_assert(eq(int, cachekit_json_encode(tree, 0, out, &error), CACHEKIT_OK), "tree %#llx: %s",
              (unsigned long long)seed, error.text);
    cachekit_slice text = {out->data, out->len};
    unsigned flags = seed % 2 == 0 ? CACHEKIT_JSON_BORROW : CACHEKIT_JSON_COPY;
    cr_assert(eq(int, cachekit_json_decode(text, flags, arena, &back, &error), CACHEKIT_OK),
              "tree %#llx: %s in %.*s", (unsigned long long)seed, error.text, (int)out->len,
              out->data);
    cr_assert(cachekit_value_equal(tree, &back), "tree %#llx: %.*s", (unsigned long long)seed,
              (int)out->len, out->data);
    cr_assert(eq(int, cachekit_json_encode(&back, 0, again, NULL), CACHEKIT_OK));
    cr_assert(out->len == again->len && memcmp(out->data, again->data, out->len) == 0,
              "tree %#llx writes twice", (unsigned long long)seed);
    cr_assert(eq(int, cachekit_json_encode(tree, CACHEKIT_JSON_SORTED, again, NULL), CACHEKIT_OK));
    cr_assert(eq(sz, again->len, out->len), "sorting moves text and changes none");
}

Test(json_property, what_is_written_reads_back_equal)
{
    const char *given = getenv("CACHEKIT_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 20261130;
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_buffer again = CACHEKIT_BUFFER_INIT;
    for (int i = 0; i < TREES; i++) {
        state = seed + (uint64_t)i;
        cachekit_value tree = draw_tree(&arena, (int)below(DEPTH_MAX));
        check(&tree, seed + (uint64_t)i, &arena, &out, &again);
        cachekit_arena_reset(&arena);
    }
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&out);
    cachekit_buffer_release(&again);
}

// Documents with one byte replaced: whatever is still accepted must survive writing and reading.
Test(json_property, damaged_documents_are_refused_or_consistent)
{
    static const char text[] =
        "{\"a\":[1,-2.5e-3,true,null,\"\\u00e9\\ud83d\\ude00\"],\"$b\":{\"$map"
        "\":[[1,{\"$int\":\"7\"}]]},\"c\":{\"$float\":\"inf\"}}";
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    size_t accepted = 0;
    for (size_t at = 0; at < sizeof text - 1; at++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            char *damaged = malloc(sizeof text - 1);
            memcpy(damaged, text, sizeof text - 1);
            damaged[at] = (char)byte;
            cachekit_value root, back;
            cachekit_slice input = {(const uint8_t *)damaged, sizeof text - 1};
            if (cachekit_json_decode(input, 0, &arena, &root, NULL) == CACHEKIT_OK) {
                accepted++;
                cr_assert(eq(int, cachekit_json_encode(&root, 0, &out, NULL), CACHEKIT_OK));
                cachekit_slice again = {out.data, out.len};
                cr_assert(
                    eq(int, cachekit_json_decode(again, 0, &arena, &back, NULL), CACHEKIT_OK));
                cr_assert(cachekit_value_equal(&root, &back), "byte %#x at %zu", byte, at);
            }
            free(damaged);
            cachekit_arena_reset(&arena);
        }
    }
    cr_assert(gt(sz, accepted, 100));
    cr_assert(lt(sz, accepted, 6000));
    cachekit_arena_release(&arena);
    cachekit_buffer_release(&out);
}
