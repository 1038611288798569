// SPDX-License-Identifier: MIT
// A call of a function with a backend on its way through the files of that name.
#ifndef CKI_BACKED_CALL_H
#define CKI_BACKED_CALL_H

#include <cachekit/key.h>

#include "call/backed.h"

struct cki_backed_call {
    struct cki_backed *b;
    const cachekit_arg *args;
    size_t count;
    char text[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_slice name; // the key as the backend gets it
    struct cki_key key;
    uint64_t epoch;  // before the backend was asked
    bool is_cut;     // what the backend had is too short for a seal
    uint64_t landed; // flights, before memory was looked in
    cachekit_hit *hit;
    cachekit_error *error;
    char token[CACHEKIT_LOCK_TOKEN_ROOM]; // of the lock among processes, "": not had
    int cancel_state;                     // the caller's
};

// Without its text, which is long.
static inline void cki_error_empty(cachekit_error *error)
{
    error->status = CACHEKIT_OK;
    error->foreign = 0;
    error->position = 0;
    error->text[0] = '\0';
}

static inline cachekit_slice cki_block_slice(const struct cki_block *block)
{
    return (cachekit_slice){block->data, block->len};
}

void cki_backed_hit(const struct cki_backed_call *call, struct cki_reply *reply,
                    cachekit_layer layer);

// Looks in memory. CACHEKIT_MISS also when its bytes were bad: they are gone then, and the backend
// is asked.
cachekit_status cki_backed_look(struct cki_backed_call *call);

// Asks the backend. CACHEKIT_MISS also when its bytes were bad: they are removed then. What
// fail_closed asks for is a failure.
cachekit_status cki_backed_fetch(struct cki_backed_call *call);

// A block of `reply->stored`, for memory. NULL: it is not used, or there is none.
struct cki_block *cki_backed_block(struct cki_backed *backed, struct cki_reply *reply);
void cki_backed_remember(struct cki_backed_call *call, struct cki_block *block, int64_t ttl_ms);

// Encodes a result by way of `reply` and keeps it at the backend and in memory, unless `flight` is
// overtaken. A failure is the caller's only where interop demands it.
cachekit_status cki_backed_keep(struct cki_backed_call *call, const cachekit_result *result,
                                struct cki_reply *reply, struct cki_flight *flight);

#endif
