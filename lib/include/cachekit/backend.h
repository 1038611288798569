// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_BACKEND_H
#define CACHEKIT_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/bytes.h>
#include <cachekit/export.h>
#include <cachekit/status.h>

CACHEKIT_BEGIN_DECLS

/*
 * Where stored bytes live beyond the process. Anybody can implement one: put a cachekit_backend
 * first in a struct, point it at a table of functions. backends.h has those that come with the
 * library.
 *
 * What a function of a backend answers, and what becomes of it:
 *
 * | status        | means                                                 | breaker | connection |
 * |---------------|-------------------------------------------------------|---------|------------|
 * | OK            | done, found                                           | success | kept       |
 * | MISS          | no such key; of lock: somebody else holds it          | success | kept       |
 * | E_TIMEOUT     | the deadline passed                                   | counts  | closed     |
 * | E_TRANSIENT   | refused, end of file, max clients, LOADING, BUSY,     | counts  | by cause   |
 * |               | TRYAGAIN, MASTERDOWN, CLUSTERDOWN, READONLY, MISCONF  |         |            |
 * | E_UNKNOWN     | any other reply or failure                            | counts  | closed     |
 * | E_REMOTE_AUTH | NOAUTH, WRONGPASS, NOPERM                             | no      | closed     |
 * | E_FULL        | OOM, no space: nothing was stored                     | no      | kept       |
 * | E_WRONG_TYPE  | WRONGTYPE: the entry is corrupt                       | no      | kept       |
 * | E_CONFIG      | MOVED without cluster mode; what can never work       | no      | kept       |
 * | E_TOO_LARGE   | a value or key over the backend's limit               | no      | by cause   |
 * | E_INVALID, E_NOMEM, E_ENTROPY                                         | no      | by cause   |
 *
 * A connection that broke, that was not read to the end of an answer, or whose server asks for
 * another one (READONLY, MASTERDOWN) is closed. Which reply of Redis is of which class: backends.h.
 */
typedef struct cachekit_backend cachekit_backend;

/** What cachekit_backend_health() found. */
typedef struct cachekit_health {
    int64_t latency_us;
    char details[160]; /* for people; no credentials */
} cachekit_health;

/** A lock's token: 32 hex digits and a NUL. */
enum { CACHEKIT_LOCK_TOKEN_ROOM = 33 };

/**
 * The functions of a backend. All may be called from any number of threads at once, and in a forked
 * child, where they start afresh. `deadline_ns` is an instant of CLOCK_MONOTONIC; a function
 * returns by then, or as soon after it as the system lets it. Keys and values are any bytes; keys
 * are not empty. `error` may be NULL; its text names no byte of key, value or password. Members
 * that are NULL are not offered (ttl to remove_many only). Members are only ever appended.
 */
typedef struct cachekit_backend_ops {
    size_t size;
    const char *name; /* "redis" */
    /** Puts the value into `value`, which is emptied first. */
    cachekit_status (*get)(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                           cachekit_buffer *value, cachekit_error *error);
    /** `ttl_ms` is at least 1, or CACHEKIT_FOREVER_MS. */
    cachekit_status (*set)(cachekit_backend *self, cachekit_slice key, cachekit_slice value,
                           int64_t ttl_ms, int64_t deadline_ns, cachekit_error *error);
    cachekit_status (*remove)(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                              cachekit_error *error);
    cachekit_status (*exists)(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                              cachekit_error *error);
    cachekit_status (*health)(cachekit_backend *self, int64_t deadline_ns, cachekit_health *out,
                              cachekit_error *error);
    /** Nobody uses it any more. */
    void (*free)(cachekit_backend *self);

    /** What is left of the entry's life, CACHEKIT_FOREVER_MS if it has no end. */
    cachekit_status (*ttl)(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                           int64_t *ttl_ms, cachekit_error *error);
    /** One attempt: OK with a token, or MISS. The lock ends by itself after `hold_ms`. */
    cachekit_status (*lock)(cachekit_backend *self, cachekit_slice key, int64_t hold_ms,
                            int64_t deadline_ns, char token[CACHEKIT_LOCK_TOKEN_ROOM],
                            cachekit_error *error);
    /**
     * Only the lock of that token: MISS if it is not there any more, or if the server lets nobody
     * release it: then it ends by itself.
     */
    cachekit_status (*unlock)(cachekit_backend *self, cachekit_slice key, const char *token,
                              int64_t deadline_ns, cachekit_error *error);
    /** Sets `done[i]` for keys that are gone now. OK: all. */
    cachekit_status (*remove_many)(cachekit_backend *self, const cachekit_slice *keys, size_t count,
                                   int64_t deadline_ns, bool *done, cachekit_error *error);
} cachekit_backend_ops;

struct cachekit_backend {
    const cachekit_backend_ops *ops;
    /** Keys are stored under other names: refused by interop functions, which check on every call.
     */
    bool prefixes_keys;
};

/** The instant that is `ms` milliseconds from now, for `deadline_ns`; saturates. */
CACHEKIT_API int64_t cachekit_deadline_ns(int64_t ms);

/** Frees a backend. No cache and no thread may be using it. NULL is allowed. */
CACHEKIT_API void cachekit_backend_free(cachekit_backend *backend);

/** The name of the class of `status` in the table above ("transient"), for messages and metrics. */
CACHEKIT_API const char *cachekit_backend_class(cachekit_status status);

CACHEKIT_END_DECLS

#endif
