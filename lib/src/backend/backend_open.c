// SPDX-License-Identifier: MIT
// A backend by its address: the scheme picks the constructor, which judges the rest.
#include <cachekit/backends.h>

#include <string.h>

#include "base/status.h"

static cachekit_status open_file(const char *address, cachekit_backend **out, cachekit_error *error)
{
    cachekit_file_backend_options options = {.size = sizeof options};
    options.directory = address + strlen("file:");
    return cachekit_file_backend_new(&options, out, error);
}

static cachekit_status open_memory(const char *address, cachekit_backend **out,
                                   cachekit_error *error)
{
    cachekit_memory_backend_options options = {.size = sizeof options};
    if (strcmp(address, "memory:") != 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "address: nothing may follow memory:");
    }
    return cachekit_memory_backend_new(&options, out, error);
}

static cachekit_status open_redis(const char *address, cachekit_backend **out,
                                  cachekit_error *error)
{
    cachekit_redis_backend_options options = {.size = sizeof options};
    options.url = address;
    return cachekit_redis_backend_new(&options, out, error);
}

static const struct {
    const char *scheme;
    cachekit_status (*open)(const char *address, cachekit_backend **out, cachekit_error *error);
} schemes[] = {
    {"file:", open_file},    {"memory:", open_memory},       {"redis:", open_redis},
    {"rediss:", open_redis}, {"redis+cluster:", open_redis}, {"unix:", open_redis},
};

cachekit_status cachekit_backend_open(const char *address, cachekit_backend **out,
                                      cachekit_error *error)
{
    if (out == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "out is NULL");
    }
    *out = NULL;
    for (size_t i = 0; address != NULL && i < sizeof schemes / sizeof schemes[0]; i++) {
        if (strncmp(address, schemes[i].scheme, strlen(schemes[i].scheme)) == 0) {
            return schemes[i].open(address, out, error);
        }
    }
    return cki_fail(error, CACHEKIT_E_INVALID, 0,
                    "address: want redis://, redis+cluster://, unix://, file: or memory:");
}
