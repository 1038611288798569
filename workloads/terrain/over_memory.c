// SPDX-License-Identifier: MIT
// Memory over a memory backend in this process, whose answers take as long as the run's law says.

#include "terrain/layered_cache.h"

static cachekit_clock backend_clock;

static void *open_memory(const struct ckbench_terrain_setup *setup)
{
    cachekit_memory_backend_options options = {.size = sizeof options};
    cachekit_backend *backend = NULL;
    cachekit_error error = {0};
    options.budget_bytes = (size_t)1 << 32; /* of address space: it takes what is stored */
    options.clock = layered_cache_clock(setup, &backend_clock);
    options.latency_ns = ckbench_terrain_l2_ns;
    cachekit_status status = cachekit_memory_backend_new(&options, &backend, &error);
    return layered_cache_open(setup, backend, status, &error);
}

CKBENCH_TERRAIN(memory, "memory over a backend in this process", layered_cache_layers, open_memory,
                layered_cache_call, layered_cache_counters, layered_cache_close)
