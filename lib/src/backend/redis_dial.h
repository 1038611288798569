// SPDX-License-Identifier: MIT
// A new connection: address, socket, login, database.
#ifndef CKI_REDIS_DIAL_H
#define CKI_REDIS_DIAL_H

#include "backend/redis_inside.h"

// `name` is NULL for a socket's path. Leaves the link closed on failure.
CACHEKIT_MUST_CHECK cachekit_status cki_redis_dial(const struct cki_redis *self,
                                                   struct cki_name *name, struct cki_link *link,
                                                   int64_t deadline_ns, cachekit_error *error);

#endif
