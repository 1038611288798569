// SPDX-License-Identifier: MIT
// One call of a cached function over a Redis, in a cache that is made for it, as by a program that
// has just begun: nothing is in memory.
#ifndef FOREIGN_DRIVER_CALL_H
#define FOREIGN_DRIVER_CALL_H

#include <cachekit/cache.h>
#include <cachekit/value.h>

struct driver_call {
    const char *url;
    const char *name_space;
    const char *name;
    const char *shape; // plain, envelope, sealed, interop, sealed-interop
    const char *master;
    const char *tenant;
    const cachekit_arg *args;
    size_t count;
    const cachekit_value *value; // what the loader gives
};

// Who answered, and what, as tagged JSON.
cachekit_status driver_call(const struct driver_call *call, cachekit_layer *layer,
                            cachekit_buffer *json, cachekit_error *error);

#endif
