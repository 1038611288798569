// SPDX-License-Identifier: MIT
// Calls of a function with a backend, by the layer that answers: from memory, from the backend,
// computed. The arguments are (42, "en", 2.5), the result the document of four users.

#include <ckbench/subject.h>

#include "paths/backed_state.h"

enum { MEGABYTE = 1 << 20, FILL_CALLS = 4000, SETTLE_CALLS = 4 };

static backed_options plain(void)
{
    return (backed_options){"users_4", 0, cachekit_preset_production(), NULL};
}

/* The first call computes, the second turns what memory holds into its last form. */
static backed_state *settled(const backed_options *options, cachekit_layer layer)
{
    backed_state *s = backed_state_new(options);
    for (int i = 0; s != NULL && i < SETTLE_CALLS; i++) {
        backed_state_call(s);
    }
    return backed_state_ready(s, layer);
}

static void *setup_l1(void)
{
    backed_options options = plain();
    return settled(&options, CACHEKIT_LAYER_L1);
}

static void *setup_l1_users(void)
{
    backed_options options = plain();
    options.input = "users_100";
    return settled(&options, CACHEKIT_LAYER_L1);
}

static void *setup_l1_json(void)
{
    backed_options options = plain();
    options.function.codec = CACHEKIT_CODEC_JSON;
    return settled(&options, CACHEKIT_LAYER_L1);
}

static void *setup_secure(void)
{
    backed_options options = plain();
    options.function.encryption = CACHEKIT_ON;
    return settled(&options, CACHEKIT_LAYER_L1);
}

static void *setup_secure_interop(void)
{
    backed_options options = plain();
    options.function.encryption = CACHEKIT_ON;
    options.function.wire = CACHEKIT_WIRE_INTEROP;
    return settled(&options, CACHEKIT_LAYER_L1);
}

static void *setup_l2(void)
{
    backed_options options = plain();
    options.function.memory = CACHEKIT_OFF;
    return settled(&options, CACHEKIT_LAYER_L2);
}

CKBENCH_PATH(l1_hit_backed, "hit in memory of a function with a backend", setup_l1,
             backed_state_call, backed_state_verify, backed_state_free)
CKBENCH_PATH(l1_hit_backed_users, "the same of 100 users, kept in their envelope", setup_l1_users,
             backed_state_call, backed_state_verify, backed_state_free)
CKBENCH_PATH(l1_hit_backed_json, "the same of a function that stores JSON", setup_l1_json,
             backed_state_call, backed_state_verify, backed_state_free)
CKBENCH_PATH(secure_l1_hit, "the same of a function that encrypts", setup_secure, backed_state_call,
             backed_state_verify, backed_state_free)
CKBENCH_PATH(secure_l1_hit_interop, "the same of one that shares interop documents",
             setup_secure_interop, backed_state_call, backed_state_verify, backed_state_free)
CKBENCH_PATH(l2_hit, "hit at a backend in this process, without memory before it", setup_l2,
             backed_state_call, backed_state_verify, backed_state_free)

static void miss_op(void *state)
{
    backed_state *s = state;
    s->args[0].as.i64++;
    s->tick_ns += 1000;
    backed_state_call(s);
}

static void *setup_miss(void)
{
    backed_options options = plain();
    options.budget_bytes = MEGABYTE;
    backed_state *s = backed_state_new(&options);
    for (int i = 0; s != NULL && i < FILL_CALLS; i++) {
        miss_op(s);
    }
    return backed_state_ready(s, CACHEKIT_LAYER_MISS);
}

CKBENCH_PATH(miss, "computed, stored at the backend and in memory, both full", setup_miss, miss_op,
             backed_state_verify, backed_state_free)
