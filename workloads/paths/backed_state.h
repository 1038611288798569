// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_BACKED_STATE_H
#define WORKLOADS_BACKED_STATE_H

#include <cachekit/backends.h>
#include <cachekit/cache.h>
#include <cachekit/seal.h>

#include "paths/path_document.h"

enum { BACKED_ARGS = 3 };

/** A function over a backend that hands out one generated document. */
typedef struct backed_state {
    document *document; /* its tree is what the loader hands out */
    int64_t tick_ns;    /* of all clocks; the path moves it itself */
    cachekit_clock clock;
    cachekit_backend *backend;
    cachekit_keyring *keyring;
    cachekit_cache *cache;
    cachekit_function *function;
    cachekit_arg args[BACKED_ARGS];
    cachekit_layer layer; /* who must answer the measured calls */
    uint64_t calls;
    uint64_t good;
    uint64_t loads;
    cachekit_info_data before; /* the measured calls */
} backed_state;

typedef struct backed_options {
    const char *input;   /* of the document, see gen/ */
    size_t budget_bytes; /* of both stores; 0: enough */
    cachekit_function_options function;
    const char *address; /* of the backend, see cachekit_backend_open(); NULL: in this process */
} backed_options;

/** NULL when anything failed. Free with backed_state_free(). */
backed_state *backed_state_new(const backed_options *options);
void backed_state_free(void *state);

/** From here on calls are measured, and `layer` answers them. */
backed_state *backed_state_ready(backed_state *state, cachekit_layer layer);

/** One call and the release of what it gave. */
void backed_state_call(void *state);

/**
 * VERDICT_OK if all calls were answered by the layer, as often as the cache counted them, the
 * loader ran for no other, and one more call gives the document.
 */
int backed_state_verify(void *state);

#endif
