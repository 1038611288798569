// SPDX-License-Identifier: MIT
// What all backends share: deadlines, the end, and the names of the classes.
#include <cachekit/backend.h>

#include "backend/instant.h"

static const struct {
    cachekit_status status;
    const char *name;
} classes[] = {
    {CACHEKIT_OK, "ok"},
    {CACHEKIT_MISS, "miss"},
    {CACHEKIT_E_TIMEOUT, "timeout"},
    {CACHEKIT_E_TRANSIENT, "transient"},
    {CACHEKIT_E_REMOTE_AUTH, "authentication"},
    {CACHEKIT_E_FULL, "full"},
    {CACHEKIT_E_WRONG_TYPE, "wrong_type"},
    {CACHEKIT_E_CONFIG, "configuration"},
    {CACHEKIT_E_TOO_LARGE, "too_large"},
    {CACHEKIT_E_INVALID, "invalid"},
    {CACHEKIT_E_NOMEM, "no_memory"},
};

int64_t cachekit_deadline_ns(int64_t ms)
{
    int64_t span_ns, deadline_ns;
    if (__builtin_mul_overflow(ms, INT64_C(1000000), &span_ns) ||
        __builtin_add_overflow(cki_instant_ns(), span_ns, &deadline_ns)) {
        return ms < 0 ? INT64_MIN : INT64_MAX;
    }
    return deadline_ns;
}

void cachekit_backend_free(cachekit_backend *backend)
{
    if (backend != NULL) {
        backend->ops->free(backend);
    }
}

const char *cachekit_backend_class(cachekit_status status)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (classes[i].status == status) {
            return classes[i].name;
        }
    }
    return "unknown";
}
