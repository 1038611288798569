// SPDX-License-Identifier: MIT
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include <cachekit/interop.h>
#include <cachekit/json.h>

#include "hex.h"

static void check(const cachekit_value *value, const char *hex)
{
    uint8_t expected[256];
    size_t len = hex_append(expected, 0, sizeof expected, hex);
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cachekit_error error = {.text = ""};
    cr_assert(eq(int, cachekit_interop_encode(value, &out, &error), CACHEKIT_OK), "%s: %s", hex,
              error.text);
    cr_assert(eq(sz, out.len, len), "%s", hex);
    cr_assert(memcmp(out.data, expected, len) == 0, "%s", hex);
    cachekit_buffer_release(&out);
}

// The tree that JSON with tags says.
static void check_json(const char *json, const char *hex)
{
    cachekit_arena arena = CACHEKIT_ARENA_INIT;
    cachekit_value tree;
    cachekit_slice text = {(const uint8_t *)json, strlen(json)};
    cachekit_error error = {.text = ""};
    cr_assert(eq(int, cachekit_json_decode(text, 0, &arena, &tree, &error), CACHEKIT_OK), "%s: %s",
              json, error.text);
    check(&tree, hex);
    cachekit_arena_release(&arena);
}

Test(interop_write, the_protocols_vectors)
{
    static char text[1 << 20];
    FILE *file = fopen(CACHEKIT_TEST_DIR "/vectors/interop-mode.json", "rb");
    cr_assert_not_null(file);
    size_t len = fread(text, 1, sizeof text - 1, file);
    text[len] = '\0';
    (void)fclose(file);
    cJSON *root = cJSON_Parse(text);
    int rows = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(root, "value_vectors"))
    {
        char *json = cJSON_PrintUnformatted(cJSON_GetObjectItem(row, "value"));
        check_json(json, cJSON_GetStringValue(cJSON_GetObjectItem(row, "canonical_msgpack_hex")));
        cJSON_free(json);
        rows++;
    }
    cr_assert(eq(int, rows, 4));
    cJSON_Delete(root);
}

Test(interop_write, every_type_in_its_shortest_form)
{
    static const struct {
        const char *json;
        const char *hex;
    } rows[] = {
        {"null", "c0"},
        {"true", "c3"},
        {"-33", "d0df"},
        {"256", "cd0100"},
        {"{\"$int\": \"18446744073709551615\"}", "cfffffffffffffffff"},
        {"{\"$int\": \"-9223372036854775808\"}", "d38000000000000000"},
        {"2.0", "cb4000000000000000"}, // a float stays one
        {"-0.0", "cb8000000000000000"},
        {"1.7976931348623157e308", "cb7fefffffffffffff"},
        {"\"\"", "a0"},
        {"{\"$bytes\": \"00ff\"}", "c40200ff"},
        {"[[], {}]", "929080"},
        {"[1, [2, {\"a\": [3]}], 4]", "9301920281a161910304"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_json(rows[i].json, rows[i].hex);
    }
}

Test(interop_write, maps_are_sorted_bytewise_on_every_level)
{
    static const struct {
        const char *json;
        const char *hex;
    } rows[] = {
        {"{\"b\":2,\"a\":1}", "82 a16101 a16202"},
        {"{\"b\":1,\"a\":2,\"B\":3}", "83 a14203 a16102 a16201"},
        {"{\"ab\":1,\"a\":2,\"\":3}", "83 a003 a16102 a2616201"}, // a prefix comes first
        {"{\"a\\u0000\":1,\"a\":2}", "82 a16102 a2610001"},
        // U+FF61 before U+10000: UTF-16 has it the other way round.
        {"{\"\\ud800\\udc00\":1,\"\\uff61\":2}", "82 a3efbda102 a4f090808001"},
        {"{\"12345678b\":1,\"12345678a\":2,\"12345678\":3}",
         "83 a8313233343536373803 a931323334353637386102 a931323334353637386201"},
        {"{\"abcdaaaa\":1,\"abcdb\":2,\"abcd\":3}",
         "83 a46162636403 a8616263646161616101 a5616263646202"},
        {"{\"b\":{\"d\":1,\"c\":2},\"a\":[{\"f\":3,\"e\":4}]}",
         "82 a1619182a16504a16603 a16282a16302a16401"},
        {"{\"value\":1,\"__date__\":true}", "82 a85f5f646174655f5fc3 a576616c756501"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_json(rows[i].json, rows[i].hex);
    }
}

Test(interop_write, dates_become_their_maps)
{
    static const char moment[] = "82ac5f5f6461746574696d655f5fc3a576616c7565b4"
                                 "323032342d30312d30315431323a33303a34355a";
    cachekit_value date;
    cr_assert(eq(int, cachekit_value_date(CACHEKIT_DATETIME, "2024-01-01T12:30:45Z", 20, &date),
                 CACHEKIT_OK));
    check(&date, moment);
    // Also where the map was kept, and wrong way round.
    check_json("{\"value\":\"2024-01-01T12:30:45Z\",\"__datetime__\":true}", moment);
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
    cr_assert(eq(int, cachekit_interop_encode(value, &out, &error), CACHEKIT_E_VALUE), "%s", text);
    cr_assert(eq(sz, out.len, 0));
    cr_assert(eq(int, error.status, CACHEKIT_E_VALUE));
    cr_assert_not_null(strstr(error.text, text), "%s", error.text);
    cr_assert(eq(int, cachekit_interop_encode(value, &out, NULL), CACHEKIT_E_VALUE));
    cachekit_buffer_release(&out);
}

Test(interop_write, refuses_what_the_profile_cannot_say)
{
    const cachekit_value one = cachekit_value_i64(1);
    const cachekit_value text = cachekit_value_text("a");
    const cachekit_value no_text[] = {one, one, text, one};
    const cachekit_value late_no_text[] = {cachekit_value_text("b"), one, text, one, one, one};
    const cachekit_value bytes_key[] = {text, one, cachekit_value_bin("b", 1), one};
    cachekit_value not_a_date = cachekit_value_text("2024-02-30");
    not_a_date.type = CACHEKIT_DATE;
    const struct {
        cachekit_value value;
        const char *text;
    } rows[] = {
        {cachekit_value_f64(NAN), "float"},
        {cachekit_value_f64(-NAN), "float"},
        {cachekit_value_f64(INFINITY), "float"},
        {cachekit_value_f64(-INFINITY), "float"},
        {cachekit_value_map(no_text, 2), "key that is no text"},
        {cachekit_value_map(late_no_text, 3), "key that is no text"},
        {cachekit_value_map(bytes_key, 2), "key that is no text"},
        {cachekit_value_str("\xed\xa0\x80", 3), "UTF-8"},
        {not_a_date, "date"},
        {{.type = CACHEKIT_TIME + 1}, "unknown type"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_refused(&rows[i].value, rows[i].text);
        const cachekit_value inside[] = {cachekit_value_text("z"), one, text, rows[i].value};
        const cachekit_value map = cachekit_value_map(inside, 2);
        check_refused(&map, rows[i].text);
    }
    const cachekit_value bad_key[] = {text, one, cachekit_value_str("\xff", 1), one};
    const cachekit_value map = cachekit_value_map(bad_key, 2);
    check_refused(&map, "UTF-8");
}

// ---- order, against a sort that is plain to see ----

enum { PAIRS_MAX = 3000 };

static uint64_t state = 20261130;

static uint64_t below(uint64_t limit)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % limit;
}

struct key {
    char text[24];
    size_t len;
    size_t pair;
};

static int by_bytes(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

// Few letters and common starts, so that keys differ late, by length, or by a NUL.
static void make_key(struct key *key)
{
    static const char *const letters[] = {"a", "b", "\x7f", "\xc3\xa9", "\xef\xbd\xa1"};
    key->len = 0;
    if (below(2) == 0) {
        key->len = 4 + 4 * below(2);
        memcpy(key->text, "same_key", key->len);
    }
    for (size_t i = below(4); i > 0; i--) {
        const char *letter = letters[below(5)];
        memcpy(key->text + key->len, letter, strlen(letter));
        key->len += strlen(letter);
    }
    key->text[key->len] = (char)('a' + below(26));
    key->len += below(2);
    key->text[key->len] = '\0';
    key->len += below(8) == 0;
}

// As many keys as wanted, no two the same, in random order and sorted.
static size_t make_keys(struct key *keys, struct key *sorted, size_t wanted)
{
    size_t count = 0;
    for (size_t tries = 0; count < wanted && tries < 20 * wanted; tries++) {
        struct key *key = &keys[count];
        memset(key, 0, sizeof *key);
        make_key(key);
        key->pair = count;
        count += wanted > 100 || bsearch(key, sorted, count, sizeof *key, by_bytes) == NULL;
        if (wanted <= 100) {
            memcpy(sorted, keys, count * sizeof *keys);
            qsort(sorted, count, sizeof *sorted, by_bytes);
        }
    }
    return count;
}

static void check_order(const struct key *keys, const struct key *sorted, size_t count)
{
    static cachekit_value nodes[2 * PAIRS_MAX], expected[2 * PAIRS_MAX];
    for (size_t i = 0; i < count; i++) {
        nodes[2 * i] = cachekit_value_str(keys[i].text, keys[i].len);
        nodes[2 * i + 1] = cachekit_value_u64(i);
        expected[2 * i] = cachekit_value_str(sorted[i].text, sorted[i].len);
        expected[2 * i + 1] = cachekit_value_u64(sorted[i].pair);
    }
    const cachekit_value map = cachekit_value_map(nodes, count);
    const cachekit_value right = cachekit_value_map(expected, count);
    cachekit_buffer out = CACHEKIT_BUFFER_INIT, wanted = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_interop_encode(&map, &out, NULL), CACHEKIT_OK), "%zu", count);
    cr_assert(eq(int, cachekit_value_encode(&right, &wanted, NULL), CACHEKIT_OK));
    cr_assert(eq(sz, out.len, wanted.len), "%zu", count);
    cr_assert(memcmp(out.data, wanted.data, out.len) == 0, "%zu", count);
    if (count > 1) { // one key more that is there already
        size_t at = below(count), from = (at + 1 + below(count - 1)) % count;
        nodes[2 * at] = nodes[2 * from];
        cr_assert(eq(int, cachekit_interop_encode(&map, &out, NULL), CACHEKIT_E_VALUE), "%zu, %zu",
                  at, from);
    }
    cachekit_buffer_release(&wanted);
    cachekit_buffer_release(&out);
}

Test(interop_write, sorts_maps_of_all_sizes_and_finds_every_key_that_is_there_twice)
{
    static struct key keys[PAIRS_MAX], sorted[PAIRS_MAX];
    size_t largest = 0;
    for (size_t size = 0; size <= 70; size++) {
        for (int round = 0; round < 20; round++) {
            size_t count = make_keys(keys, sorted, size);
            check_order(keys, sorted, count);
            largest = count > largest ? count : largest;
        }
    }
    cr_assert(largest >= 65); // both ways to sort
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        keys[i] = (struct key){.len = 12, .pair = i};
        (void)snprintf(keys[i].text, sizeof keys[i].text, "%08x%04zx", (unsigned)below(4), i ^ 5);
    }
    memcpy(sorted, keys, sizeof keys);
    qsort(sorted, PAIRS_MAX, sizeof *sorted, by_bytes);
    check_order(keys, sorted, PAIRS_MAX);
}

// Large maps in large maps, one behind another: each finds its own order again.
Test(interop_write, nested_large_maps_keep_their_orders)
{
    enum { WIDTH = 20 };
    static char names[WIDTH][4];
    static cachekit_value inner[WIDTH][2 * WIDTH], outer[2 * WIDTH];
    static cachekit_value inner_sorted[2 * WIDTH], outer_sorted[2 * WIDTH];
    for (size_t i = 0; i < WIDTH; i++) {
        (void)snprintf(names[i], sizeof names[i], "k%02zu", i);
    }
    for (size_t i = 0; i < WIDTH; i++) {
        for (size_t k = 0; k < WIDTH; k++) {
            size_t name = (k * 7 + i) % WIDTH;
            inner[i][2 * k] = cachekit_value_text(names[name]);
            inner[i][2 * k + 1] = cachekit_value_u64(name);
            inner_sorted[2 * name] = inner[i][2 * k];
            inner_sorted[2 * name + 1] = inner[i][2 * k + 1];
        }
        outer[2 * i] = cachekit_value_text(names[WIDTH - 1 - i]);
        outer[2 * i + 1] = cachekit_value_map(inner[i], WIDTH);
        outer_sorted[2 * i] = cachekit_value_text(names[i]);
        outer_sorted[2 * i + 1] = cachekit_value_map(inner_sorted, WIDTH);
    }
    const cachekit_value map = cachekit_value_map(outer, WIDTH);
    const cachekit_value right = cachekit_value_map(outer_sorted, WIDTH);
    cachekit_buffer out = CACHEKIT_BUFFER_INIT, wanted = CACHEKIT_BUFFER_INIT;
    cr_assert(eq(int, cachekit_interop_encode(&map, &out, NULL), CACHEKIT_OK));
    cr_assert(eq(int, cachekit_value_encode(&right, &wanted, NULL), CACHEKIT_OK));
    cr_assert(eq(sz, out.len, wanted.len));
    cr_assert(memcmp(out.data, wanted.data, out.len) == 0);
    cachekit_buffer_release(&wanted);
    cachekit_buffer_release(&out);
}
