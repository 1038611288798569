// SPDX-License-Identifier: MIT
// Connections of all nodes in one array of `connections_max`. Who finds none waits for one that is
// given back. Of idle ones the one used last is used next.
#ifndef CKI_REDIS_POOL_H
#define CKI_REDIS_POOL_H

#include "backend/redis_inside.h"

// How it went with a link that was taken.
enum cki_outcome {
    CKI_KEEP,    // answered; may be used again
    CKI_CLOSE,   // answered, and is to be closed
    CKI_MOVE_ON, // answered; this node's other links are not to be used again either
    CKI_REFUSED, // answered that it lets us in no further
    CKI_BROKEN   // did not answer
};

cachekit_status cki_pool_init(struct cki_redis *self, uint32_t link_count);
void cki_pool_release(struct cki_redis *self);

// In a forked child: closes what was inherited, reads nothing that a lost thread may have been at.
void cki_pool_forked(struct cki_redis *self);

struct cki_taken {
    struct cki_link *link;
    int64_t begun_ns; // when it was dialled, if it was not idle
};

CACHEKIT_MUST_CHECK cachekit_status cki_pool_take(struct cki_redis *self, uint32_t node,
                                                  int64_t deadline_ns, struct cki_taken *out,
                                                  cachekit_error *error);
void cki_pool_give(struct cki_redis *self, struct cki_taken taken, enum cki_outcome outcome,
                   cachekit_status status, int64_t deadline_ns);

#endif
