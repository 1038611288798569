// SPDX-License-Identifier: MIT
// The hit: one call of a cached function, or one get by key, and the release. The value was stored
// in setup; verify demands that it was computed once and that every call was a hit.

#include <stdlib.h>
#include <string.h>

#include <ckbench/subject.h>

#include "paths/l1_state.h"
#include "paths/verdict.h"

static const char TEXT[] = "user:profile:0000001234f"; /* 24 bytes */

typedef struct hit_state {
    cachekit_hit hit; /* first: its address is the state's, one register for both */
    l1_state *l1;
    cachekit_function *function;
    cachekit_arg args[2];
    size_t count;
    uint64_t failures;
} hit_state;

static void hit_free(void *state)
{
    hit_state *s = state;
    if (s != NULL) {
        l1_state_free(s->l1);
        free(s);
    }
}

/* As little as a user does. How many calls there were is in the cache's own figures. */
static void hit_op(void *state)
{
    hit_state *s = state;
    if (cachekit_call(s->function, s->args, s->count, &s->hit, NULL) == CACHEKIT_OK) {
        cachekit_release(&s->hit);
    } else {
        s->failures++;
    }
}

static void *hit_new(const cachekit_function_options *options, int coarse, cachekit_arg first,
                     const cachekit_arg *second)
{
    hit_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->args[0] = first;
    s->count = second != NULL ? 2 : 1;
    s->args[1] = second != NULL ? *second : cachekit_null();
    s->l1 = l1_state_new(NULL, coarse);
    if (s->l1 == NULL || !l1_state_function(s->l1, options)) {
        hit_free(s);
        return NULL;
    }
    s->function = s->l1->function;
    l1_state_call(s->l1, s->args, s->count, CACHEKIT_LAYER_MISS);
    s->l1->tick_ns++; /* the first counted call stamps, as a call in a later tick does */
    return s;
}

static void *setup_int(void)
{
    return hit_new(NULL, 0, cachekit_i64(1234), NULL);
}

static void *setup_minimal(void)
{
    cachekit_function_options options = cachekit_preset_minimal();
    return hit_new(&options, 0, cachekit_i64(1234), NULL);
}

static void *setup_coarse(void)
{
    return hit_new(NULL, 1, cachekit_i64(1234), NULL);
}

static void *setup_str(void)
{
    return hit_new(NULL, 0, cachekit_str(TEXT), NULL);
}

static void *setup_args(void)
{
    cachekit_arg second = cachekit_str(TEXT);
    return hit_new(NULL, 0, cachekit_i64(1234), &second);
}

static void *setup_list(void)
{
    static cachekit_arg items[3];
    for (int i = 0; i < 3; i++) {
        items[i] = cachekit_i64(1000 + i);
    }
    return hit_new(NULL, 0, cachekit_list(items, 3), NULL);
}

static int hit_verify(void *state)
{
    hit_state *s = state;
    cachekit_info_data info;
    cachekit_info(s->l1->function, &info);
    if (info.hits == 0 || s->failures != 0) {
        return VERDICT_CALL_FAILED;
    }
    if (info.misses != 1 || info.stored != 1 || s->l1->loads != 1) {
        return VERDICT_WRONG_OUTPUT;
    }
    l1_state_call(s->l1, s->args, s->count, CACHEKIT_LAYER_L1);
    /* Another argument, and the same number of another type, are not this value. */
    cachekit_arg args[2] = {cachekit_f64(1234.0), s->args[1]};
    l1_state_call(s->l1, args, s->count, CACHEKIT_LAYER_MISS);
    return l1_state_verify(s->l1, 2);
}

CKBENCH_PATH(l1_hit, "hit on one int, release included", setup_int, hit_op, hit_verify, hit_free)
CKBENCH_PATH(l1_hit_str, "hit on one 24-byte string, release included", setup_str, hit_op,
             hit_verify, hit_free)
CKBENCH_PATH(l1_hit_args, "hit on an int and a 24-byte string, release included", setup_args,
             hit_op, hit_verify, hit_free)
CKBENCH_PATH(l1_hit_coarse, "hit on one int, default clock, release included", setup_coarse, hit_op,
             hit_verify, hit_free)
CKBENCH_PATH(l1_hit_list_arg, "hit on a list of three ints, release included", setup_list, hit_op,
             hit_verify, hit_free)
CKBENCH_PATH(minimal_l1_hit, "hit on one int of a function of the preset minimal", setup_minimal,
             hit_op, hit_verify, hit_free)

static cachekit_slice text_key(void)
{
    return (cachekit_slice){(const uint8_t *)TEXT, sizeof TEXT - 1};
}

static void *setup_key(void)
{
    l1_state *s = l1_state_new(NULL, 0);
    if (s != NULL && cachekit_put(s->cache, text_key(), s->value, L1_VALUE_BYTES, NULL, NULL,
                                  300000) != CACHEKIT_OK) {
        l1_state_free(s);
        return NULL;
    }
    return s;
}

static void key_op(void *state)
{
    l1_state *s = state;
    cachekit_hit hit;
    s->calls++;
    if (cachekit_get(s->cache, text_key(), &hit) == CACHEKIT_OK) {
        s->good += hit.object == s->value;
        cachekit_release(&hit);
    }
}

static int key_verify(void *state)
{
    l1_state *s = state;
    cachekit_info_data info;
    cachekit_store_info(s->cache, &info);
    if (info.hits != s->calls || info.misses != 0) {
        return VERDICT_WRONG_OUTPUT;
    }
    cachekit_hit hit;
    if (cachekit_remove(s->cache, text_key()) != CACHEKIT_OK ||
        cachekit_get(s->cache, text_key(), &hit) != CACHEKIT_MISS) {
        return VERDICT_WRONG_OUTPUT;
    }
    return l1_state_verify(s, 0);
}

CKBENCH_PATH(l1_hit_key, "hit on 24 ready key bytes, release included", setup_key, key_op,
             key_verify, l1_state_free)
