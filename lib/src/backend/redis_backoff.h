// SPDX-License-Identifier: MIT
// When a server may be dialled. All of this under the pool's lock.
#ifndef CKI_REDIS_BACKOFF_H
#define CKI_REDIS_BACKOFF_H

#include "backend/redis_inside.h"

// CACHEKIT_OK: dial, and tell how it went. Else what to answer at once.
cachekit_status cki_backoff_ask(struct cki_node *node, int64_t now_ns);

// The server answered.
void cki_backoff_proved(struct cki_node *node);

// `begun_ns`: when that dial began; of many that fail together only one lengthens the pause.
// `jitter` is from 0 to 255.
void cki_backoff_failed(const struct cki_redis *self, struct cki_node *node, cachekit_status status,
                        int64_t begun_ns, uint8_t jitter);

// Did this failure of a dial or a first question say anything about the server?
bool cki_backoff_counts(cachekit_status status, int64_t begun_ns, int64_t deadline_ns);

#endif
