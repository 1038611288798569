// SPDX-License-Identifier: MIT
// The functions behind the backend's table.
#ifndef CKI_REDIS_OPS_H
#define CKI_REDIS_OPS_H

#include <cachekit/backend.h>

cachekit_status cki_redis_get(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                              cachekit_buffer *value, cachekit_error *error);
cachekit_status cki_redis_set(cachekit_backend *self, cachekit_slice key, cachekit_slice value,
                              int64_t ttl_ms, int64_t deadline_ns, cachekit_error *error);
cachekit_status cki_redis_remove(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                                 cachekit_error *error);
cachekit_status cki_redis_exists(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                                 cachekit_error *error);
cachekit_status cki_redis_ttl(cachekit_backend *self, cachekit_slice key, int64_t deadline_ns,
                              int64_t *ttl_ms, cachekit_error *error);
cachekit_status cki_redis_health(cachekit_backend *backend, int64_t deadline_ns,
                                 cachekit_health *out, cachekit_error *error);
cachekit_status cki_redis_lock(cachekit_backend *backend, cachekit_slice key, int64_t hold_ms,
                               int64_t deadline_ns, char token[CACHEKIT_LOCK_TOKEN_ROOM],
                               cachekit_error *error);
cachekit_status cki_redis_unlock(cachekit_backend *backend, cachekit_slice key, const char *token,
                                 int64_t deadline_ns, cachekit_error *error);
cachekit_status cki_redis_remove_many(cachekit_backend *backend, const cachekit_slice *keys,
                                      size_t count, int64_t deadline_ns, bool *done,
                                      cachekit_error *error);

#endif
