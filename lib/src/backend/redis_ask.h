// SPDX-License-Identifier: MIT
// One command to one node.
#ifndef CKI_REDIS_ASK_H
#define CKI_REDIS_ASK_H

#include "backend/redis_inside.h"

enum cki_ask_how {
    CKI_ASK_PLAINLY,
    CKI_ASK_ASKING // with an ASKING before it, as after the redirection ASK
};

// Formats, takes a link, asks, judges, gives the link back. After MOVED and ASK the status is
// CACHEKIT_E_CONFIG and answer->line is the reply.
CACHEKIT_MUST_CHECK cachekit_status cki_ask(struct cki_redis *self,
                                            const struct cki_command *command, uint32_t node,
                                            enum cki_ask_how how, struct cki_answer *answer,
                                            int64_t deadline_ns, cachekit_error *error);

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

// Commands that are formatted already, in one go; each gets its status, which is the link's failure
// for all of them if it has one: then no answer can be trusted to be that of its question.
cachekit_status cki_ask_batch(struct cki_redis *self, uint32_t node, cachekit_slice commands,
                              struct cki_asked *asked, size_t count, int64_t deadline_ns,
                              cachekit_error *error);

#endif
