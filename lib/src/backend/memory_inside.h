// SPDX-License-Identifier: MIT
// What the files of the memory backend share.
#ifndef CKI_MEMORY_INSIDE_H
#define CKI_MEMORY_INSIDE_H

#include <pthread.h>

#include <cachekit/backends.h>

#include "backend/memory_lru.h"
#include "backend/memory_mark.h"

// Few locks are held at once, so a list will do.
struct cki_lock {
    struct cki_lock *next;
    int64_t due_ns;
    char token[CACHEKIT_LOCK_TOKEN_ROOM];
    size_t key_len;
    uint8_t key[];
};

struct cki_memory_backend {
    cachekit_backend base;
    cachekit_memory_backend_options options;
    struct cki_mem_mark mark;
    uint64_t seed;
    pthread_mutex_t lock; // over all that follows
    struct cki_lru lru;
    struct cki_lock *locks;
};

static inline struct cki_memory_backend *cki_mem_self(cachekit_backend *backend)
{
    return (struct cki_memory_backend *)backend;
}

// What every call begins with: a new process starts empty, and a call takes as long as the latency
// law says. E_TIMEOUT: longer than there was time, and nothing is done.
CACHEKIT_MUST_CHECK cachekit_status cki_mem_enter(struct cki_memory_backend *self,
                                                  int64_t deadline_ns, cachekit_error *error);

// The first half of that.
void cki_mem_check_process(struct cki_memory_backend *self);

void cki_mem_lock(struct cki_memory_backend *self);
void cki_mem_unlock(struct cki_memory_backend *self);

// The instant `ms` from `now_ns`, INT64_MAX if that is beyond all.
int64_t cki_mem_due_ns(int64_t now_ns, int64_t ms);

CACHEKIT_MUST_CHECK cachekit_status cki_mem_lock_take(cachekit_backend *backend, cachekit_slice key,
                                                      int64_t hold_ms, int64_t deadline_ns,
                                                      char token[CACHEKIT_LOCK_TOKEN_ROOM],
                                                      cachekit_error *error);
CACHEKIT_MUST_CHECK cachekit_status cki_mem_lock_give(cachekit_backend *backend, cachekit_slice key,
                                                      const char *token, int64_t deadline_ns,
                                                      cachekit_error *error);
void cki_mem_locks_free(struct cki_memory_backend *self, struct cki_lock *dead);

extern const cachekit_backend_ops cki_mem_ops;

#endif
