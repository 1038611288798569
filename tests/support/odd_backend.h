// SPDX-License-Identifier: MIT
// A backend in front of another one: counts what it is asked, and answers what a test wants
// instead.
#ifndef TESTS_ODD_BACKEND_H
#define TESTS_ODD_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <cachekit/backend.h>

enum odd_question { ODD_GET, ODD_SET, ODD_REMOVE, ODD_LOCK, ODD_UNLOCK, ODD_QUESTIONS };

struct odd_backend {
    cachekit_backend base; // first
    cachekit_backend *inner;
    atomic_int asked[ODD_QUESTIONS];
    _Atomic cachekit_status
        answers[ODD_QUESTIONS]; // not CACHEKIT_OK: this, and the inner is not asked
    void (*before)(enum odd_question question, void *context); // may be NULL
    void (*after)(enum odd_question question, void *context);
    void *context;
};

static inline struct odd_backend *odd_of(cachekit_backend *self)
{
    return (struct odd_backend *)self;
}

// CACHEKIT_OK: ask the inner one.
static inline cachekit_status odd_ask(struct odd_backend *odd, enum odd_question question)
{
    atomic_fetch_add(&odd->asked[question], 1);
    if (odd->before != NULL) {
        odd->before(question, odd->context);
    }
    return atomic_load(&odd->answers[question]);
}

static inline cachekit_status odd_told(struct odd_backend *odd, enum odd_question question,
                                       cachekit_status status)
{
    if (odd->after != NULL) {
        odd->after(question, odd->context);
    }
    return status;
}

static inline cachekit_status odd_get(cachekit_backend *self, cachekit_slice key,
                                      int64_t deadline_ns, cachekit_buffer *value,
                                      cachekit_error *error)
{
    struct odd_backend *odd = odd_of(self);
    cachekit_status status = odd_ask(odd, ODD_GET);
    status = status != CACHEKIT_OK
                 ? status
                 : odd->inner->ops->get(odd->inner, key, deadline_ns, value, error);
    return odd_told(odd, ODD_GET, status);
}

static inline cachekit_status odd_set(cachekit_backend *self, cachekit_slice key,
                                      cachekit_slice value, int64_t ttl_ms, int64_t deadline_ns,
                                      cachekit_error *error)
{
    struct odd_backend *odd = odd_of(self);
    cachekit_status status = odd_ask(odd, ODD_SET);
    status = status != CACHEKIT_OK
                 ? status
                 : odd->inner->ops->set(odd->inner, key, value, ttl_ms, deadline_ns, error);
    return odd_told(odd, ODD_SET, status);
}

static inline cachekit_status odd_remove(cachekit_backend *self, cachekit_slice key,
                                         int64_t deadline_ns, cachekit_error *error)
{
    struct odd_backend *odd = odd_of(self);
    cachekit_status status = odd_ask(odd, ODD_REMOVE);
    status = status != CACHEKIT_OK ? status
                                   : odd->inner->ops->remove(odd->inner, key, deadline_ns, error);
    return odd_told(odd, ODD_REMOVE, status);
}

static inline cachekit_status odd_exists(cachekit_backend *self, cachekit_slice key,
                                         int64_t deadline_ns, cachekit_error *error)
{
    struct odd_backend *odd = odd_of(self);
    return odd->inner->ops->exists(odd->inner, key, deadline_ns, error);
}

static inline cachekit_status odd_health(cachekit_backend *self, int64_t deadline_ns,
                                         cachekit_health *out, cachekit_error *error)
{
    struct odd_backend *odd = odd_of(self);
    return odd->inner->ops->health(odd->inner, deadline_ns, out, error);
}

static inline cachekit_status odd_lock(cachekit_backend *self, cachekit_slice key, int64_t hold_ms,
                                       int64_t deadline_ns, char token[CACHEKIT_LOCK_TOKEN_ROOM],
                                       cachekit_error *error)
{
    struct odd_backend *odd = odd_of(self);
    cachekit_status status = odd_ask(odd, ODD_LOCK);
    return status != CACHEKIT_OK
               ? status
               : odd->inner->ops->lock(odd->inner, key, hold_ms, deadline_ns, token, error);
}

static inline cachekit_status odd_unlock(cachekit_backend *self, cachekit_slice key,
                                         const char *token, int64_t deadline_ns,
                                         cachekit_error *error)
{
    struct odd_backend *odd = odd_of(self);
    cachekit_status status = odd_ask(odd, ODD_UNLOCK);
    return status != CACHEKIT_OK
               ? status
               : odd->inner->ops->unlock(odd->inner, key, token, deadline_ns, error);
}

static inline void odd_free(cachekit_backend *self)
{
    (void)self; // the test's storage
}

static const cachekit_backend_ops odd_ops = {
    .size = sizeof(cachekit_backend_ops),
    .name = "odd",
    .get = odd_get,
    .set = odd_set,
    .remove = odd_remove,
    .exists = odd_exists,
    .health = odd_health,
    .free = odd_free,
    .lock = odd_lock,
    .unlock = odd_unlock,
};

static inline void odd_init(struct odd_backend *odd, cachekit_backend *inner)
{
    memset(odd, 0, sizeof *odd);
    odd->base.ops = &odd_ops;
    odd->inner = inner;
}

#endif
