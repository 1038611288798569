// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_COUNTED_BACKEND_H
#define WORKLOADS_COUNTED_BACKEND_H

#include <cachekit/backends.h>

/**
 * A backend that passes every question on and counts the answers, so that a server's own counters
 * can be held against them. Of one terrain per process: what a thread asked last is kept per
 * thread.
 */
typedef struct counted_backend counted_backend;

/** Takes `inner` over. NULL: no memory, and `inner` is freed. */
counted_backend *counted_backend_new(cachekit_backend *inner);
cachekit_backend *counted_backend_of(counted_backend *counted);

/** To be told by whoever computes: a run of the loader that follows no look is one of the blind. */
void counted_backend_loads(counted_backend *counted);

/** All counts, by ckbench_terrain_count(). */
void counted_backend_tell(counted_backend *counted);

#endif
