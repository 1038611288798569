// SPDX-License-Identifier: MIT
#ifndef CKI_COMPUTE_H
#define CKI_COMPUTE_H

#include "call/cache.h"

// A call on its slow way.
struct cki_call {
    cachekit_function *function;
    struct cki_args args;
    struct cki_key key;
    uint8_t packed[CKI_ARGS_PACKED_MAX];
    cachekit_buffer long_key; // for keys that are not packed scalars
    cachekit_hit *hit;
    cachekit_error *error;
    int cancel_state; // the caller's
};

// Runs the loader for a flight that this thread owns, keeps what it gave and settles the flight.
cachekit_status cki_compute(struct cki_call *call, struct cki_flight *flight);

#endif
