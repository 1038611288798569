// SPDX-License-Identifier: MIT
// One command to one node.
#ifndef CKI_REDIS_ASK_H
#define CKI_REDIS_ASK_H

#include "backend/redis_inside.h"

// Whom to ask, and whether an ASKING goes before, as after the redirection ASK.
struct cki_place {
    uint32_t node;
    bool is_asked;
};

// Formats, takes a link, asks, judges, gives the link back. After MOVED and ASK the status is
// CACHEKIT_E_CONFIG and answer->line is the reply.
CACHEKIT_MUST_CHECK cachekit_status cki_ask(struct cki_redis *self, struct cki_place place,
                                            const struct cki_command *command,
                                            struct cki_answer *answer, int64_t deadline_ns,
                                            cachekit_error *error);

// Like hiredis's formatter; free the bytes with cki_unformat().
CACHEKIT_MUST_CHECK cachekit_status cki_format(const struct cki_command *command,
                                               cachekit_slice *out, cachekit_error *error);
void cki_unformat(cachekit_slice bytes);

// One command of a batch, and what became of it.
struct cki_asked {
    int64_t most; // its answer is an integer from 0 to this
    cachekit_status status;
    bool is_sent_on; // the Cluster says that it belongs to another node
};

// Commands that are formatted already, one behind the other.
struct cki_batch {
    uint32_t node;
    cachekit_slice commands;
    struct cki_asked *asked;
    size_t count;
};

// In one go; each gets its status, which is the link's failure for all of them if it has one: then
// no answer can be trusted to be that of its question. The first failure is told.
cachekit_status cki_ask_batch(struct cki_redis *self, const struct cki_batch *batch,
                              int64_t deadline_ns, cachekit_error *error);

#endif
