// SPDX-License-Identifier: MIT
// The Redis backend from inside. One Redis is a Cluster of one node that owns all slots.
#ifndef CKI_REDIS_INSIDE_H
#define CKI_REDIS_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <cachekit/backends.h>

#include "backend/redis_fork.h"
#include "backend/redis_name.h"
#include "backend/redis_wire.h"
#include "backend/url.h"

enum {
    CKI_NODES_MAX = 256, // of a Cluster
    CKI_SLOTS = 16384,
    CKI_NODE_NONE = UINT16_MAX
};

// A server, and what is known of dialling it. Node 0 is the one that the URL names.
struct cki_node {
    bool is_used;
    uint16_t port;
    uint32_t epoch; // raised: older links are not used again
    char host[CKI_HOST_ROOM];
    struct cki_name *name; // made at the first dial
    int64_t pause_ms;      // 0: the last dial went well
    int64_t retry_at_ns;
    int64_t failed_ns; // when the pause last grew
    int64_t distrusted_ns;
    cachekit_status failure;
    bool is_probing; // after the pause one dials, the others go on being refused
};

struct cki_redis {
    cachekit_backend base;
    const cachekit_allocator *allocator;
    const cachekit_entropy *entropy;
    struct cki_url url;
    char *prefix; // "t:{tenant}:" or NULL
    size_t prefix_len;
    size_t answer_max;
    int64_t backoff_first_ms;
    int64_t backoff_max_ms;
    atomic_bool cannot_release; // the server refuses EVAL to this user
    struct cki_fork_mark mark;

    pthread_mutex_t lock; // of all below; nobody waits for a socket or calls a hook under it
    pthread_cond_t given; // a link was given back
    struct cki_link *links;
    uint32_t link_count;
    uint32_t idle; // lists through `next`; UINT32_MAX ends them
    uint32_t closed;
    struct cki_node *nodes;
    uint32_t node_count; // room
    uint16_t *slots;     // node of each slot; NULL: no Cluster
    bool is_map_old;
    bool is_map_loading;
    int64_t map_loaded_ns; // 0: never
};

// A command in its last form, and what may come back.
struct cki_command {
    int argc;
    const char *argv[8]; // or `many`
    size_t lens[8];
    const char **many;
    size_t *many_lens;
    unsigned wants;      // kinds of answers
    int64_t least, most; // of an integer
    int slot;            // of a Cluster
};

// A key as the server knows it: in place, in the small room or on the heap.
struct cki_scoped {
    const char *data;
    size_t len;
    char *heap;
    char small[512];
};
cachekit_status cki_scope(const struct cki_redis *self, cachekit_slice key, const char *suffix,
                          struct cki_scoped *out, cachekit_error *error);
void cki_unscope(const struct cki_redis *self, struct cki_scoped *scoped);

// Of a Cluster; without one nobody asks, and it is not computed.
int cki_slot_of(const struct cki_redis *self, const struct cki_scoped *scoped);

// Sends the command where its slot lives, follows the Cluster's redirections, judges the answer:
// CACHEKIT_OK with one of the kinds that are wanted, or the class of what went wrong.
CACHEKIT_MUST_CHECK cachekit_status cki_redis_call(struct cki_redis *self,
                                                   const struct cki_command *command,
                                                   struct cki_answer *answer, int64_t deadline_ns,
                                                   cachekit_error *error);

// Starts afresh in a forked child; every function of the backend begins with it.
void cki_redis_enter(struct cki_redis *self);

#endif
