// SPDX-License-Identifier: MIT
// The reply of CLUSTER SLOTS, and the table of nodes.
#ifndef CKI_REDIS_MAP_H
#define CKI_REDIS_MAP_H

#include "backend/redis_inside.h"

// Replaces the map and forgets nodes that own nothing. Any doubt about the reply: the old map stays
// and the status is CACHEKIT_E_UNKNOWN.
cachekit_status cki_map_read(struct cki_redis *self, const struct cki_answer *answer,
                             uint32_t asked, cachekit_error *error);

// Under the lock: the node of that address, added if it is new; CKI_NODE_NONE for an impossible
// host or a full table. An empty host is that of `asked`.
uint32_t cki_map_node(struct cki_redis *self, const uint8_t *host, size_t len, uint16_t port,
                      uint32_t asked);

#endif
