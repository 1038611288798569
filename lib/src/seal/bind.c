// SPDX-License-Identifier: MIT
// Every component stands behind its length, so no two bindings have the same bytes.
#include "seal/bind.h"

#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "base/status.h"

enum { VERSION = 3, PARTS = 5, LENGTH_BYTES = 4 };

static cachekit_slice text(const char *text)
{
    return (cachekit_slice){(const uint8_t *)text, strlen(text)};
}

static bool is_format(const char *format)
{
    static const char *const formats[] = {"msgpack", "orjson", "arrow", "bytes"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(format, formats[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const char *fault_of(const cachekit_binding *binding)
{
    if (binding == NULL || binding->format == NULL) {
        return "no binding, or one without a format";
    }
    if (binding->cache_key.data == NULL || binding->cache_key.len == 0) {
        return "an empty cache key binds to nothing";
    }
    return is_format(binding->format) ? NULL : "no format of the protocol";
}

static bool measure(const cachekit_slice *parts, size_t count, size_t *need)
{
    *need = 1;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].len > UINT32_MAX || !cki_add_size(*need, LENGTH_BYTES, need) ||
            !cki_add_size(*need, parts[i].len, need)) {
            return false;
        }
    }
    return true;
}

static void put_parts(uint8_t *at, const cachekit_slice *parts, size_t count)
{
    *at++ = VERSION;
    for (size_t i = 0; i < count; i++) {
        uint32_t len = (uint32_t)parts[i].len;
        for (unsigned shift = 32; shift > 0; shift -= 8) {
            *at++ = (uint8_t)(len >> (shift - 8));
        }
        memcpy(at, parts[i].data, parts[i].len);
        at += parts[i].len;
    }
}

cachekit_status cki_bind_init(struct cki_bind *bind, cachekit_slice tenant,
                              const cachekit_binding *binding, const cachekit_allocator *allocator,
                              cachekit_error *error)
{
    const char *fault = fault_of(binding);
    if (fault != NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "%s", fault);
    }
    const char *type = binding->original_type != NULL ? binding->original_type : "";
    const cachekit_slice parts[PARTS] = {tenant, binding->cache_key, text(binding->format),
                                         text(binding->compressed ? "True" : "False"), text(type)};
    size_t count = type[0] != '\0' ? PARTS : PARTS - 1;
    size_t need;
    if (!measure(parts, count, &need)) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "a part of the binding is over 4 GiB");
    }
    bind->allocator = allocator;
    bind->block = need > sizeof bind->room ? cki_alloc(allocator, need) : NULL;
    if (need > sizeof bind->room && bind->block == NULL) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "no room for the binding");
    }
    bind->aad = (cachekit_slice){bind->block != NULL ? bind->block : bind->room, need};
    put_parts(bind->block != NULL ? bind->block : bind->room, parts, count);
    return CACHEKIT_OK;
}

void cki_bind_release(struct cki_bind *bind)
{
    cki_free(bind->allocator, bind->block, bind->aad.len);
}
