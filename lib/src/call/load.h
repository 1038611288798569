// SPDX-License-Identifier: MIT
// The one place that runs a loader for a call.
#ifndef CKI_LOAD_H
#define CKI_LOAD_H

#include <cachekit/cache.h>

struct cki_load {
    const cachekit_function *function;
    const cachekit_arg *args;
    size_t count;
    int cancel_state;        // the caller's, which the loader runs under
    void (*abandon)(void *); // when it ends its thread instead of returning
    void *context;
};

// `failure` must come with CACHEKIT_OK in it, and says at least what the loader answered.
cachekit_status cki_load(const struct cki_load *load, cachekit_result *result,
                         cachekit_error *failure);

#endif
