// SPDX-License-Identifier: MIT
#include "driver_call.h"

#include <string.h>

#include <cachekit/backends.h>
#include <cachekit/json.h>
#include <cachekit/seal.h>

enum { PATIENCE_MS = 30000, TTL_MS = 600000 };

static const struct shape {
    const char *name;
    cachekit_wire wire;
    cachekit_switch integrity, encryption;
} shapes[] = {
    {"plain", CACHEKIT_WIRE_AUTO, CACHEKIT_OFF, CACHEKIT_OFF},
    {"envelope", CACHEKIT_WIRE_AUTO, CACHEKIT_ON, CACHEKIT_OFF},
    {"sealed", CACHEKIT_WIRE_AUTO, CACHEKIT_ON, CACHEKIT_ON},
    {"interop", CACHEKIT_WIRE_INTEROP, CACHEKIT_DEFAULT, CACHEKIT_OFF},
    {"sealed-interop", CACHEKIT_WIRE_INTEROP, CACHEKIT_DEFAULT, CACHEKIT_ON},
};

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)args;
    (void)count;
    (void)error;
    result->object = context;
    result->size_bytes = 1;
    return CACHEKIT_OK;
}

static const struct shape *find_shape(const char *name)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (strcmp(shapes[i].name, name) == 0) {
            return &shapes[i];
        }
    }
    return NULL;
}

static cachekit_status call_in(cachekit_cache *cache, const struct driver_call *call,
                               const struct shape *shape, cachekit_layer *layer,
                               cachekit_buffer *json, cachekit_error *error)
{
    cachekit_hit hit;
    cachekit_function *function;
    cachekit_function_options options = cachekit_preset_production();
    options.ttl_ms = TTL_MS;
    options.deadline_ms = PATIENCE_MS;
    options.maintain_every_ms = 0;
    options.wire = shape->wire;
    options.integrity = shape->integrity;
    options.encryption = shape->encryption;
    cachekit_status status = cachekit_function_new(
        cache, call->name, load, (void *)(uintptr_t)call->value, &options, &function, error);
    if (status == CACHEKIT_OK) {
        status = cachekit_call(function, call->args, call->count, &hit, error);
    }
    if (status != CACHEKIT_OK) {
        return status;
    }
    *layer = hit.layer;
    status = cachekit_json_encode(hit.object, 0, json, error);
    cachekit_release(&hit);
    return status;
}

cachekit_status driver_call(const struct driver_call *call, cachekit_layer *layer,
                            cachekit_buffer *json, cachekit_error *error)
{
    const struct shape *shape = find_shape(call->shape);
    cachekit_keyring_options ring = CACHEKIT_KEYRING_OPTIONS_INIT;
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_cache *cache = NULL;
    cachekit_status status = shape != NULL ? CACHEKIT_OK : CACHEKIT_E_INVALID;
    ring.master_key = call->master;
    ring.tenant = call->tenant;
    ring.allow_unlocked = true;
    options.name_space = call->name_space;
    if (status == CACHEKIT_OK && shape->encryption == CACHEKIT_ON) {
        status = cachekit_keyring_new(&ring, &options.keyring, error);
    }
    if (status == CACHEKIT_OK) {
        status = cachekit_backend_open(call->url, &options.backend, error);
    }
    if (status == CACHEKIT_OK) {
        status = cachekit_cache_new(&options, &cache, error);
    }
    if (status == CACHEKIT_OK) {
        status = call_in(cache, call, shape, layer, json, error);
    }
    (void)cachekit_cache_free(cache);
    cachekit_backend_free(options.backend);
    cachekit_keyring_free(options.keyring);
    return status;
}
