// SPDX-License-Identifier: MIT
// In place of the Redis backend in a library that was built without it.
#include <cachekit/backends.h>

#include "base/status.h"

cachekit_status cachekit_redis_backend_new(const cachekit_redis_backend_options *options,
                                           cachekit_backend **out, cachekit_error *error)
{
    (void)options;
    if (out == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "out is NULL");
    }
    *out = NULL;
    return cki_fail(error, CACHEKIT_E_CONFIG, 0,
                    "redis: this library was built without it (CACHEKIT_WITH_REDIS=OFF)");
}
