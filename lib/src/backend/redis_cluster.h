// SPDX-License-Identifier: MIT
// Which node of a Cluster owns which slot.
#ifndef CKI_REDIS_CLUSTER_H
#define CKI_REDIS_CLUSTER_H

#include "backend/redis_inside.h"

// Makes the map as good as it should be before a command: loads it if there is none or if it was
// told to be old. CACHEKIT_OK even if the server could not be asked, as long as there is a map.
cachekit_status cki_cluster_ready(struct cki_redis *self, int64_t deadline_ns,
                                  cachekit_error *error);

// Where to ask about a slot: its owner, or the URL's node if nobody is known.
uint32_t cki_cluster_owner(struct cki_redis *self, int slot);

// Something did not go as the map says.
void cki_cluster_doubt(struct cki_redis *self);

// Reads "MOVED 3999 host:port" or "ASK ..."; an empty host is that of the node `asked`. The node it
// names, or CKI_NODE_NONE for nonsense; a MOVED corrects the map.
uint32_t cki_cluster_redirect(struct cki_redis *self, const char *line, uint32_t asked);

// In a forked child.
void cki_cluster_forked(struct cki_redis *self);

#endif
