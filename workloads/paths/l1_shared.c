// SPDX-License-Identifier: MIT
// The hit by several threads at once, on one key or on many. Nothing of the path is shared but the
// cached function; how many calls there were is in the cache's own figures.

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <ckbench/subject.h>

#include "paths/l1_state.h"
#include "paths/verdict.h"

enum { MANY = 1024 };

typedef struct shared_state {
    l1_state *l1;
    uint64_t keys;
    atomic_ullong failures;
} shared_state;

static _Thread_local uint64_t turn; /* of the calling thread */

static void shared_free(void *state)
{
    shared_state *s = state;
    if (s != NULL) {
        l1_state_free(s->l1);
        free(s);
    }
}

static void shared_op(void *state)
{
    shared_state *s = state;
    cachekit_hit hit;
    cachekit_arg arg = cachekit_u64(turn++ % s->keys);
    if (cachekit_call(s->l1->function, &arg, 1, &hit, NULL) == CACHEKIT_OK) {
        cachekit_release(&hit);
    } else {
        s->failures++;
    }
}

static void *shared_setup(void)
{
    shared_state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->keys = strcmp(ckbench_shape(), "many-keys") == 0 ? MANY : 1;
    s->l1 = l1_state_new(NULL, 0);
    if (s->l1 == NULL || !l1_state_function(s->l1, NULL)) {
        shared_free(s);
        return NULL;
    }
    for (uint64_t key = 0; key < s->keys; key++) {
        cachekit_arg arg = cachekit_u64(key);
        l1_state_call(s->l1, &arg, 1, CACHEKIT_LAYER_MISS);
    }
    s->l1->tick_ns++;
    return s;
}

static int shared_verify(void *state)
{
    shared_state *s = state;
    cachekit_info_data info;
    cachekit_info(s->l1->function, &info);
    if (info.hits == 0 || s->failures != 0) {
        return VERDICT_CALL_FAILED;
    }
    return info.misses == s->keys && s->l1->loads == s->keys ? VERDICT_OK : VERDICT_WRONG_OUTPUT;
}

static const char *const shapes[] = {"one-key", "many-keys", NULL};
static const struct ckbench_extra extra = {.shapes = shapes, .threads = 1};

CKBENCH_PATH_EX(l1_hit_shared, "a cached function's hit, by any thread", shared_setup, shared_op,
                shared_verify, shared_free, &extra)
