// SPDX-License-Identifier: MIT
// Memory over a Redis server (option `url`). A server that does not answer is refused here: a run
// without its L2 would measure something else.

#include "terrain/layered_cache.h"

enum { HEALTH_MS = 5000 };

static void *open_redis(const struct ckbench_terrain_setup *setup)
{
    cachekit_redis_backend_options options = {.size = sizeof options};
    cachekit_backend *backend = NULL;
    cachekit_error error = {0};
    cachekit_health health;
    options.url = ckbench_terrain_option("url");
    options.connections_max = setup->callers + 2;
    if (options.url == NULL || setup->tick_ns != NULL) {
        ckbench_terrain_refuse(options.url == NULL ? "url=redis://HOST is missing"
                                                   : "a server lives in real time only");
        return NULL;
    }
    cachekit_status status = cachekit_redis_backend_new(&options, &backend, &error);
    if (status == CACHEKIT_OK) {
        status = backend->ops->health(backend, cachekit_deadline_ns(HEALTH_MS), &health, &error);
    }
    return layered_cache_open(setup, backend, status, &error);
}

CKBENCH_TERRAIN(redis, "memory over a Redis server", layered_cache_layers, open_redis,
                layered_cache_call, layered_cache_counters, layered_cache_close)
