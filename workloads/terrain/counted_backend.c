// SPDX-License-Identifier: MIT
// What a server of ours counts, seen from here. A look that finds nothing is followed by a run of
// the loader, or, under the lock, by another look: `again` are those second looks, so that looks
// without a find are runs - blind + again. A question that was given up may still have been counted
// by the server, which is what `unsure` stands for.
#include "terrain/counted_backend.h"

#include <ckbench/terrain.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum count { FOUND, ABSENT, AGAIN, BLIND, RELEASED, UNRELEASED, UNSURE, COUNTS };

static const char *const names[COUNTS] = {
    [FOUND] = "l2_found",   [ABSENT] = "l2_absent",     [AGAIN] = "l2_again",
    [BLIND] = "l2_blind",   [RELEASED] = "l2_released", [UNRELEASED] = "l2_unreleased",
    [UNSURE] = "l2_unsure",
};

struct counted_backend {
    cachekit_backend base;
    cachekit_backend_ops ops;
    cachekit_backend *inner;
    _Atomic uint64_t counts[COUNTS];
};

/* This thread's last look found nothing, and nothing came of it yet; its next is under the lock. */
static _Thread_local struct {
    bool is_absent, is_again;
} look;

static counted_backend *counted_of(cachekit_backend *self)
{
    return (counted_backend *)(void *)self;
}

static void count(counted_backend *self, enum count what)
{
    atomic_fetch_add_explicit(&self->counts[what], 1, memory_order_relaxed);
}

/* Failures without an answer, as backend.h has them. */
static bool is_unsure(cachekit_status status)
{
    return status == CACHEKIT_E_TIMEOUT || status == CACHEKIT_E_TRANSIENT ||
           status == CACHEKIT_E_UNKNOWN || status == CACHEKIT_E_TOO_LARGE;
}

static cachekit_status get(cachekit_backend *backend, cachekit_slice key, int64_t deadline_ns,
                           cachekit_buffer *value, cachekit_error *error)
{
    counted_backend *self = counted_of(backend);
    cachekit_status status = self->inner->ops->get(self->inner, key, deadline_ns, value, error);
    bool is_found = status == CACHEKIT_OK || status == CACHEKIT_E_WRONG_TYPE;
    if (is_found || status == CACHEKIT_MISS) {
        count(self, is_found ? FOUND : ABSENT);
        if (look.is_again && look.is_absent) {
            count(self, AGAIN);
        }
        look.is_absent = !is_found;
    } else if (is_unsure(status)) {
        count(self, UNSURE);
    }
    look.is_again = false;
    return status;
}

static cachekit_status lock(cachekit_backend *backend, cachekit_slice key, int64_t hold_ms,
                            int64_t deadline_ns, char token[CACHEKIT_LOCK_TOKEN_ROOM],
                            cachekit_error *error)
{
    counted_backend *self = counted_of(backend);
    cachekit_status status =
        self->inner->ops->lock(self->inner, key, hold_ms, deadline_ns, token, error);
    look.is_again = status >= 0;
    return status;
}

static cachekit_status unlock(cachekit_backend *backend, cachekit_slice key, const char *token,
                              int64_t deadline_ns, cachekit_error *error)
{
    counted_backend *self = counted_of(backend);
    cachekit_status status = self->inner->ops->unlock(self->inner, key, token, deadline_ns, error);
    if (status >= 0 || is_unsure(status)) {
        count(self, status == CACHEKIT_OK ? RELEASED : status > 0 ? UNRELEASED : UNSURE);
    }
    return status;
}

static cachekit_status set(cachekit_backend *backend, cachekit_slice key, cachekit_slice value,
                           int64_t ttl_ms, int64_t deadline_ns, cachekit_error *error)
{
    cachekit_backend *inner = counted_of(backend)->inner;
    return inner->ops->set(inner, key, value, ttl_ms, deadline_ns, error);
}

static cachekit_status erase(cachekit_backend *backend, cachekit_slice key, int64_t deadline_ns,
                             cachekit_error *error)
{
    cachekit_backend *inner = counted_of(backend)->inner;
    return inner->ops->remove(inner, key, deadline_ns, error);
}

static cachekit_status exists(cachekit_backend *backend, cachekit_slice key, int64_t deadline_ns,
                              cachekit_error *error)
{
    cachekit_backend *inner = counted_of(backend)->inner;
    return inner->ops->exists(inner, key, deadline_ns, error);
}

static cachekit_status health(cachekit_backend *backend, int64_t deadline_ns, cachekit_health *out,
                              cachekit_error *error)
{
    cachekit_backend *inner = counted_of(backend)->inner;
    return inner->ops->health(inner, deadline_ns, out, error);
}

static void release(cachekit_backend *backend)
{
    counted_backend *self = counted_of(backend);
    cachekit_backend_free(self->inner);
    free(self);
}

counted_backend *counted_backend_new(cachekit_backend *inner)
{
    counted_backend *self = calloc(1, sizeof *self);
    if (self == NULL) {
        cachekit_backend_free(inner);
        return NULL;
    }
    self->inner = inner;
    self->ops = (cachekit_backend_ops){
        .size = sizeof self->ops,
        .name = inner->ops->name,
        .get = get,
        .set = set,
        .remove = erase,
        .exists = exists,
        .health = health,
        .free = release,
        .lock = inner->ops->lock != NULL ? lock : NULL,
        .unlock = inner->ops->unlock != NULL ? unlock : NULL,
    };
    self->base.ops = &self->ops;
    self->base.prefixes_keys = inner->prefixes_keys;
    return self;
}

cachekit_backend *counted_backend_of(counted_backend *counted)
{
    return &counted->base;
}

void counted_backend_loads(counted_backend *counted)
{
    if (!look.is_absent) {
        count(counted, BLIND);
    }
    look.is_absent = false;
}

void counted_backend_tell(counted_backend *counted)
{
    for (size_t i = 0; i < COUNTS; i++) {
        ckbench_terrain_count(names[i], atomic_load(&counted->counts[i]));
    }
}
