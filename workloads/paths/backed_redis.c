// SPDX-License-Identifier: MIT
// Hits at a Redis, for timing: they wait for a server, so their instructions say little. They are
// offered only where CACHEKIT_REDIS_URL names one; `ckbench ir` starts subjects without it, so no
// gate hangs on a network.

#include <stdlib.h>

#include <ckbench/subject.h>

#include "paths/backed_state.h"

static void *setup(const char *input, cachekit_switch integrity)
{
    backed_options options = {input, 0, cachekit_preset_production(), getenv("CACHEKIT_REDIS_URL")};
    options.function.memory = CACHEKIT_OFF;
    options.function.integrity = integrity;
    backed_state *s = backed_state_new(&options);
    if (s != NULL) {
        backed_state_call(s); /* stores what is not there yet */
        backed_state_call(s);
    }
    return backed_state_ready(s, CACHEKIT_LAYER_L2);
}

static void *setup_hit(void)
{
    return setup("users_4", CACHEKIT_ON);
}

static void *setup_users(void)
{
    return setup("users_100", CACHEKIT_OFF);
}

static struct ckbench_path offers[] = {
    {sizeof offers[0], "l2_hit_redis", "hit at a Redis, without memory before it", setup_hit,
     backed_state_call, backed_state_verify, backed_state_free, NULL, NULL},
    {sizeof offers[0], "l2_hit_redis_users", "the same of 100 users, stored plain", setup_users,
     backed_state_call, backed_state_verify, backed_state_free, NULL, NULL},
};

__attribute__((constructor)) static void offer(void)
{
    for (size_t i = 0; getenv("CACHEKIT_REDIS_URL") != NULL && i < sizeof offers / sizeof offers[0];
         i++) {
        ckbench_register(&offers[i]);
    }
}
