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

#endif
