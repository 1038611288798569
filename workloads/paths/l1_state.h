// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_L1_STATE_H
#define WORKLOADS_L1_STATE_H

#include <cachekit/cache.h>

enum { L1_VALUE_BYTES = 64 };

/* A cache with a tick that the path moves itself and a seed that is the same in every run. */
typedef struct l1_state {
    int64_t tick_ns;
    cachekit_clock clock;
    cachekit_cache *cache;
    cachekit_function *function;
    uint64_t loads; /* runs of the loader */
    uint64_t calls;
    uint64_t good;
    uint64_t next_key;
    uint64_t value[L1_VALUE_BYTES / sizeof(uint64_t)];
} l1_state;

/* `options` may change any member but the clock and the entropy; `coarse`: the default clock. */
l1_state *l1_state_new(const cachekit_cache_options *options, int coarse);

/* A function whose loader hands out `value`; NULL: default options. 0: failed. */
int l1_state_function(l1_state *state, const cachekit_function_options *options);
void l1_state_free(void *state);

/* One call and the release of what it gave. */
void l1_state_call(l1_state *state, const cachekit_arg *args, size_t count, cachekit_layer layer);

/* VERDICT_OK if every call was good and the loader ran `loads` times. */
int l1_state_verify(const l1_state *state, uint64_t loads);

#endif
