// SPDX-License-Identifier: MIT
// What calls of a function with a backend hand out: a decoded tree with all that its texts point
// into, or the loader's own object. Shared by those who waited for it, freed with its last hold.
// Replies are used again: after a few calls none of their parts is allocated.
#ifndef CKI_REPLY_H
#define CKI_REPLY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <cachekit/arena.h>
#include <cachekit/cache.h>
#include <cachekit/value.h>

#include "base/wiping.h"
#include "memory/byte_block.h"

enum { CKI_REPLIES_KEPT = 16, CKI_SHELVES = 16, CKI_LINE_BYTES = 64 };

struct cki_reply {
    atomic_uint holds;
    unsigned forks; // of the process when it was taken
    struct cki_replies *pool;
    struct cki_reply *next; // in the pool
    const void *object;     // what the hit shows
    size_t size_bytes;
    bool is_loaded; // `object` is the loader's
    bool is_secret; // its parts are wiped
    cachekit_value root;
    cachekit_arena arena;
    cachekit_buffer stored;  // as the backend has it: never plaintext of secrets
    cachekit_buffer opened;  // without its seal
    cachekit_buffer plain;   // without its envelope
    struct cki_block *block; // held, or NULL
};

// What threads of one number have: the reply that they gave back last, whose memory is in their
// cache, and how many they took more than they gave back. Two shelves never share a line.
struct cki_shelf {
    struct cki_reply *_Atomic spare;
    atomic_int out;
    char gap[2 * CKI_LINE_BYTES - sizeof(void *) - sizeof(atomic_int)];
};

// Of one function.
struct cki_replies {
    const cachekit_allocator *allocator;
    const cachekit_allocator *inner; // of what may hold plaintext: wiping, where that is secret
    struct cki_wiping wiping;
    cachekit_destroy destroy;
    void *destroy_context;
    bool are_secret;
    char gap[CKI_LINE_BYTES];
    struct cki_shelf shelves[CKI_SHELVES];
    pthread_mutex_t lock;
    struct cki_reply *free;
    unsigned kept;
};

bool cki_replies_init(struct cki_replies *pool, const cachekit_function_options *options,
                      const cachekit_allocator *allocator, bool are_secret);
void cki_replies_release(struct cki_replies *pool); // none may be out
void cki_replies_forked(struct cki_replies *pool);
bool cki_replies_are_out(const struct cki_replies *pool);

// An empty reply with one hold, or NULL.
struct cki_reply *cki_reply_take(struct cki_replies *pool);
static inline void cki_reply_hold(struct cki_reply *reply, unsigned more)
{
    atomic_fetch_add_explicit(&reply->holds, more, memory_order_relaxed);
}
// Gives holds back. A loader's object is destroyed with the last, but not in a forked child.
void cki_reply_drop(struct cki_reply *reply);
// Empties the buffers that served on the way to stored bytes; those of secrets are wiped.
void cki_reply_scrub(struct cki_reply *reply);
// Forgets what it holds, so that another attempt can fill it.
void cki_reply_empty(struct cki_reply *reply);

#endif
