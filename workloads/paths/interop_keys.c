// SPDX-License-Identifier: MIT
// Keys of interop/v1, names included, as a program without a cache makes them. verify compares with
// digests that Python's hashlib.blake2b gives for bytes written by hand.

#include <string.h>

#include <ckbench/subject.h>

#include <cachekit/key.h>

#include "paths/verdict.h"

typedef struct key_state {
    const cachekit_arg *args;
    size_t count;
    const char *expected;
    char key[CACHEKIT_KEY_INTEROP_ROOM];
    uint64_t calls;
    uint64_t good;
} key_state;

static void key_op(void *state)
{
    key_state *s = state;
    s->calls++;
    s->good +=
        cachekit_key_interop("users", "get_user", s->args, s->count, s->key, NULL) == CACHEKIT_OK;
}

/* 93 2a a2 656e cb4004000000000000 */
static void *setup_small(void)
{
    static cachekit_arg args[3];
    static key_state s = {
        .expected =
            "users:get_user:3295d5a7435d30c46eb24f94c0059bf31133779f1269bb03797fd6f4a0cf9416"};
    args[0] = cachekit_i64(42);
    args[1] = cachekit_str("en");
    args[2] = cachekit_f64(2.5);
    s.args = args;
    s.count = 3;
    return &s;
}

/* 93 a6 search
 *    84 a5 limit 32, a4 page 01, a4 sort 92 a4 name a3 age, a4 tags 93 (a4 blue) (a4 tall) (a5
 * round) 92 93 01 02 03, 92 81 a2 id 07 81 a2 id 08 */
static void *setup_nested(void)
{
    static cachekit_arg tags[4], sort[2], filter[8], numbers[4], ids[2][2], rows[2], last[2],
        args[3];
    static key_state s = {
        .expected =
            "users:get_user:fc6d42f7740f70d2f2fa789d9a9830867633d9b7133a3821935cd09581b4b544"};
    tags[0] = cachekit_str("tall");
    tags[1] = cachekit_str("round");
    tags[2] = cachekit_str("blue");
    tags[3] = cachekit_str("tall");
    sort[0] = cachekit_str("name");
    sort[1] = cachekit_str("age");
    filter[0] = cachekit_str("tags");
    filter[1] = cachekit_set(tags, 4);
    filter[2] = cachekit_str("page");
    filter[3] = cachekit_f64(1.0);
    filter[4] = cachekit_str("limit");
    filter[5] = cachekit_i64(50);
    filter[6] = cachekit_str("sort");
    filter[7] = cachekit_list(sort, 2);
    for (int i = 0; i < 4; i++) {
        numbers[i] = cachekit_i64(i < 3 ? 3 - i : 2);
    }
    for (int i = 0; i < 2; i++) {
        ids[i][0] = cachekit_str("id");
        ids[i][1] = cachekit_i64(7 + i);
        rows[i] = cachekit_map(ids[i], 1);
    }
    last[0] = cachekit_set(numbers, 4);
    last[1] = cachekit_list(rows, 2);
    args[0] = cachekit_str("search");
    args[1] = cachekit_map(filter, 4);
    args[2] = cachekit_list(last, 2);
    s.args = args;
    s.count = 3;
    return &s;
}

static int key_verify(void *state)
{
    key_state *s = state;
    if (s->calls == 0 || s->good != s->calls) {
        return VERDICT_CALL_FAILED;
    }
    memset(s->key, 'x', sizeof s->key);
    key_op(s);
    if (strcmp(s->key, s->expected) != 0) {
        return VERDICT_WRONG_OUTPUT;
    }
    /* One argument less is another key, and what has no form is refused. */
    cachekit_arg nan = cachekit_f64(__builtin_nan(""));
    if (cachekit_key_interop("users", "get_user", s->args, s->count - 1, s->key, NULL) !=
            CACHEKIT_OK ||
        strcmp(s->key, s->expected) == 0) {
        return VERDICT_WRONG_OUTPUT;
    }
    return cachekit_key_interop("users", "get_user", &nan, 1, s->key, NULL) == CACHEKIT_E_VALUE
               ? VERDICT_OK
               : VERDICT_READ_HOSTILE;
}

static void key_free(void *state)
{
    (void)state;
}

CKBENCH_PATH(interop_key_small, "interop key of an int, a short text and a float", setup_small,
             key_op, key_verify, key_free)
CKBENCH_PATH(interop_key_nested, "interop key of nested lists, maps and sets", setup_nested, key_op,
             key_verify, key_free)
