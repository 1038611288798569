// SPDX-License-Identifier: MIT
// The packer under its three profiles: order, depth, value trees.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cachekit/value.h>

#include "key/canon.h"
#include "small_stack.h"

enum { DEEP = 1024 };

static const struct cki_profile *const profiles[] = {&cki_profile_interop, &cki_profile_auto,
                                                     &cki_profile_local};

static cachekit_status pack(const struct cki_profile *profile, const cachekit_arg *args,
                            size_t count, cachekit_buffer *out)
{
    struct cki_canon c;
    cki_canon_init(&c, profile, NULL, NULL);
    cachekit_status status = cki_canon_list(&c, args, count);
    out->len = 0;
    cr_assert(cachekit_buffer_append(out, c.bytes.data, c.bytes.len) == CACHEKIT_OK);
    cki_canon_release(&c);
    return status;
}

static void expect(const struct cki_profile *profile, cachekit_arg arg, const char *bytes,
                   size_t len)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cr_assert(pack(profile, &arg, 1, &out) == CACHEKIT_OK);
    cr_assert(out.len == len && memcmp(out.data, bytes, len) == 0);
    cachekit_buffer_release(&out);
}

#define BYTES(text) (text), sizeof(text) - 1

static bool same(const cachekit_buffer *a, const cachekit_buffer *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

// ---- shuffles ----

static unsigned state = 20261130;

static size_t random_below(size_t end)
{
    state = state * 1103515245 + 12345;
    return (state >> 16) % end;
}

// Pairs, or with `width` 1 elements, change places.
static void shuffle(cachekit_arg *items, size_t count, size_t width)
{
    for (size_t i = count; i > 1; i--) {
        cachekit_arg kept[2];
        size_t j = random_below(i);
        memcpy(kept, &items[(i - 1) * width], width * sizeof *items);
        memcpy(&items[(i - 1) * width], &items[j * width], width * sizeof *items);
        memcpy(&items[j * width], kept, width * sizeof *items);
    }
}

Test(canon, the_order_of_a_map_or_a_set_is_no_part_of_the_key)
{
    enum { ROUNDS = 200, MOST = 60 };
    static char texts[MOST][8];
    cachekit_buffer one = CACHEKIT_BUFFER_INIT, other = CACHEKIT_BUFFER_INIT;
    for (int round = 0; round < ROUNDS; round++) {
        size_t count = random_below(MOST + 1);
        cachekit_arg pairs[2 * MOST], sets[MOST + 5], all[2];
        for (size_t i = 0; i < count; i++) {
            // Of one to three letters before the number: prefixes of one another.
            int len = snprintf(texts[i], sizeof texts[i], "%.*s%zu", 1 + (int)(i % 3), "aaa", i);
            pairs[2 * i] = cachekit_str_len(texts[i], (size_t)len);
            pairs[2 * i + 1] = cachekit_i64((int64_t)i);
            sets[i] = i % 4 == 0 ? pairs[2 * i] : cachekit_f64(0.5 * (double)i);
        }
        const struct cki_profile *profile = profiles[round % 3];
        bool has_sets = profile != &cki_profile_auto;
        all[0] = cachekit_map(pairs, count);
        all[1] = has_sets ? cachekit_set(sets, count) : cachekit_null();
        cr_assert(pack(profile, all, 2, &one) == CACHEKIT_OK);
        size_t doubled = count < 5 ? 0 : random_below(6);
        memcpy(&sets[count], sets, doubled * sizeof *sets);
        shuffle(pairs, count, 2);
        shuffle(sets, count + doubled, 1);
        all[1].len = has_sets ? (uint32_t)(count + doubled) : 0;
        cr_assert(pack(profile, all, 2, &other) == CACHEKIT_OK);
        cr_assert(same(&one, &other), "round %d", round);
    }
    cachekit_buffer_release(&one);
    cachekit_buffer_release(&other);
}

// ---- depth ----

static cachekit_arg levels[DEEP + 2];
static cachekit_value nodes[DEEP + 2], pair_nodes[DEEP + 2][2];
static cachekit_arg pair_args[DEEP + 2][2];

static void *go_deep(void *verdict)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    bool *good = verdict;
    for (size_t p = 0; p < 3; p++) {
        for (uint32_t type = CACHEKIT_ARG_LIST; type <= CACHEKIT_ARG_SET; type++) {
            if (profiles[p] == &cki_profile_auto && type == CACHEKIT_ARG_SET) {
                continue;
            }
            levels[0] = cachekit_i64(1);
            for (size_t i = 1; i <= DEEP + 1; i++) {
                pair_args[i][0] = type == CACHEKIT_ARG_MAP ? cachekit_str("k") : levels[i - 1];
                pair_args[i][1] = levels[i - 1];
                levels[i] = cachekit_list(pair_args[i], 1);
                levels[i].type = type;
            }
            *good = *good && pack(profiles[p], &levels[DEEP], 1, &out) == CACHEKIT_OK &&
                    pack(profiles[p], &levels[DEEP + 1], 1, &out) == profiles[p]->refusal;
        }
        nodes[0] = cachekit_value_i64(1);
        for (size_t i = 1; i <= DEEP + 1; i++) {
            pair_nodes[i][0] = cachekit_value_text("k");
            pair_nodes[i][1] = nodes[i - 1];
            nodes[i] = i % 2 ? cachekit_value_array(&nodes[i - 1], 1)
                             : cachekit_value_map(pair_nodes[i], 1);
        }
        const cachekit_arg fits = cachekit_arg_value(&nodes[DEEP]);
        const cachekit_arg deep = cachekit_arg_value(&nodes[DEEP + 1]);
        *good = *good && pack(profiles[p], &fits, 1, &out) == CACHEKIT_OK &&
                pack(profiles[p], &deep, 1, &out) == profiles[p]->refusal;
        const cachekit_arg list = cachekit_list(&fits, 1);
        *good = *good && pack(profiles[p], &list, 1, &out) == profiles[p]->refusal;
        // What holds itself is too deep as well.
        levels[0] = cachekit_list(&levels[0], 1);
        *good = *good && pack(profiles[p], &levels[0], 1, &out) == profiles[p]->refusal;
    }
    cachekit_buffer_release(&out);
    return NULL;
}

Test(canon, a_depth_of_1024_is_taken_on_a_small_stack_and_no_more)
{
    bool verdict = true;
    cr_assert(small_stack_run(go_deep, &verdict) && verdict);
}

// ---- value trees ----

Test(canon, a_value_tree_is_what_it_would_be_spelt_in_arguments)
{
    static const char moment[] = "2024-01-01T12:30:45.123456+05:30";
    cachekit_value pairs[22], items[3];
    const cachekit_arg none = cachekit_null();
    const cachekit_arg list_args[] = {cachekit_i64(3), cachekit_f64(-0.0), cachekit_bool(false)};
    const cachekit_arg map_args[] = {
        cachekit_str("nil"),   cachekit_null(),
        cachekit_str("true"),  cachekit_bool(true),
        cachekit_str("int"),   cachekit_i64(-5),
        cachekit_str("uint"),  cachekit_u64(UINT64_MAX),
        cachekit_str("float"), cachekit_f64(2.5),
        cachekit_str("str"),   cachekit_str("h\xc3\xa9"),
        cachekit_str("bin"),   cachekit_bytes("\x00\xff", 2),
        cachekit_str("list"),  cachekit_list(list_args, 3),
        cachekit_str("time"),  cachekit_arg_datetime_text(moment, sizeof moment - 1),
        cachekit_str("no"),    cachekit_list(&none, 0),
        cachekit_str("none"),  cachekit_map(&none, 0),
    };
    items[0] = cachekit_value_i64(3);
    items[1] = cachekit_value_f64(-0.0);
    items[2] = cachekit_value_bool(false);
    for (size_t i = 0; i < 22; i += 2) {
        pairs[i] = cachekit_value_str(map_args[i].as.data, map_args[i].len);
    }
    pairs[1] = cachekit_value_nil();
    pairs[3] = cachekit_value_bool(true);
    pairs[5] = cachekit_value_i64(-5);
    pairs[7] = cachekit_value_u64(UINT64_MAX);
    pairs[9] = cachekit_value_f64(2.5);
    pairs[11] = cachekit_value_text("h\xc3\xa9");
    pairs[13] = cachekit_value_bin("\x00\xff", 2);
    pairs[15] = cachekit_value_array(items, 3);
    cr_assert(cachekit_value_date(CACHEKIT_DATETIME, moment, sizeof moment - 1, &pairs[17]) ==
              CACHEKIT_OK);
    pairs[19] = cachekit_value_array(NULL, 0);
    pairs[21] = cachekit_value_map(NULL, 0);
    const cachekit_value tree = cachekit_value_map(pairs, 11);
    const cachekit_arg by_tree = cachekit_arg_value(&tree), spelt = cachekit_map(map_args, 11);
    cachekit_buffer one = CACHEKIT_BUFFER_INIT, other = CACHEKIT_BUFFER_INIT;
    for (size_t p = 0; p < 3; p++) {
        cr_assert(pack(profiles[p], &by_tree, 1, &one) == CACHEKIT_OK);
        cr_assert(pack(profiles[p], &spelt, 1, &other) == CACHEKIT_OK);
        cr_assert(same(&one, &other), "profile %zu", p);
    }
    cachekit_buffer_release(&one);
    cachekit_buffer_release(&other);
}

// Also a date whose text would do as a moment's: its type counts.
Test(canon, only_a_moment_with_an_offset_is_an_argument)
{
    static const char *const texts[] = {"2024-01-01T00:00:00", "2024-01-01", "12:30:45+00:00",
                                        "2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"};
    static const uint32_t types[] = {CACHEKIT_DATETIME, CACHEKIT_DATE, CACHEKIT_TIME, CACHEKIT_DATE,
                                     CACHEKIT_TIME};
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    for (size_t i = 0; i < 5; i++) {
        cachekit_value node = cachekit_value_text(texts[i]);
        node.type = types[i];
        const cachekit_value list = cachekit_value_array(&node, 1);
        for (size_t p = 0; p < 3; p++) {
            const cachekit_arg args[] = {cachekit_arg_value(&node), cachekit_arg_value(&list)};
            cr_assert(pack(profiles[p], &args[0], 1, &out) == profiles[p]->refusal);
            cr_assert(pack(profiles[p], &args[1], 1, &out) == profiles[p]->refusal);
        }
    }
    cachekit_buffer_release(&out);
}

// A boolean of a tree is one byte; what lies beside it must not count.
Test(canon, no_stray_bits_of_a_node_reach_the_key)
{
    cachekit_value node;
    memset(&node, 0xff, sizeof node);
    node.type = CACHEKIT_BOOL;
    node.len = 0;
    node.as.boolean = false;
    expect(&cki_profile_local, cachekit_arg_value(&node), BYTES("\x91\xc2"));
}

// ---- the local profile, by hand from the MessagePack specification ----

Test(canon, local_keys_tell_moments_and_uuids_from_what_looks_like_them)
{
    static const uint8_t uuid[] =
        "\x55\x0e\x84\x00\xe2\x9b\x41\xd4\xa7\x16\x44\x66\x55\x44\x00\x01";
    static const char moment[] = "1970-01-01T05:30:01+05:30";
    expect(&cki_profile_local, cachekit_arg_datetime_us(1000000),
           BYTES("\x91\xc1\xce\x00\x0f\x42\x40"));
    expect(&cki_profile_local, cachekit_arg_datetime_text(moment, sizeof moment - 1),
           BYTES("\x91\xc1\xce\x00\x0f\x42\x40"));
    expect(&cki_profile_local, cachekit_arg_datetime_us(-1), BYTES("\x91\xc1\xff"));
    expect(
        &cki_profile_local, cachekit_arg_uuid(uuid),
        BYTES("\x91\xc1\xc4\x10\x55\x0e\x84\x00\xe2\x9b\x41\xd4\xa7\x16\x44\x66\x55\x44\x00\x01"));
    expect(&cki_profile_local, cachekit_f64(2.0),
           BYTES("\x91\xcb\x40\x00\x00\x00\x00\x00\x00\x00"));
    expect(&cki_profile_local, cachekit_str_len("\xed\xa0\x80", 3), BYTES("\x91\xa3\xed\xa0\x80"));
}
