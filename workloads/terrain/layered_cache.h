// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_LAYERED_CACHE_H
#define WORKLOADS_LAYERED_CACHE_H

#include <cachekit/backends.h>
#include <cachekit/cache.h>
#include <ckbench/terrain.h>

/** One cached function of bytes: memory over a backend, under the load of a terrain. */
typedef struct layered_cache layered_cache;

/** "l1", "l2", "miss", NULL */
extern const char *const layered_cache_layers[];

/** The clock of a terrain in virtual time, NULL in real time. Zero-initialised by the caller. */
const cachekit_clock *layered_cache_clock(const struct ckbench_terrain_setup *setup,
                                          cachekit_clock *clock);

/**
 * Takes the backend over, also when it fails. `status` and `error` are of the backend's making.
 * NULL after saying why.
 */
layered_cache *layered_cache_open(const struct ckbench_terrain_setup *setup,
                                  cachekit_backend *backend, cachekit_status status,
                                  const cachekit_error *error);

/** What a terrain consists of; `state` is a layered_cache. */
int layered_cache_call(void *state, const struct ckbench_ask *ask);
int layered_cache_counters(void *state, uint64_t *calls);
void layered_cache_close(void *state);

#endif
