// SPDX-License-Identifier: MIT
// Background computations: a queue and a few threads that start when there is work and stop with
// the cache. Fork leaves the child with neither.
#ifndef CKI_REFRESH_H
#define CKI_REFRESH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <cachekit/allocator.h>

#include "memory/entry.h"

struct cachekit_function;

enum { CKI_REFRESH_THREADS = 4, CKI_REFRESHES_MAX = 32 }; // threads of a cache; jobs of a function

struct cki_refresh_job;

// A loader may end its thread; the next job then starts another in its place.
struct cki_worker {
    struct cki_refresh *refresh;
    pthread_t thread;
    enum { CKI_WORKER_NONE, CKI_WORKER_RUNS, CKI_WORKER_ENDED } state;
};

struct cki_refresh {
    const cachekit_allocator *allocator;
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct cki_refresh_job *first, *last;
    struct cki_worker workers[CKI_REFRESH_THREADS];
    unsigned running, idle, queued;
    bool is_open, is_stopping;
};

bool cki_refresh_init(struct cki_refresh *refresh, const cachekit_allocator *allocator);
// Queues a computation for an entry; the key is copied. False: no memory, no thread, or stopping.
bool cki_refresh_add(struct cki_refresh *refresh, struct cachekit_function *function,
                     const struct cki_key *key, uint64_t generation);
// Waits for running computations, drops queued ones.
void cki_refresh_stop(struct cki_refresh *refresh);
void cki_refresh_forked(struct cki_refresh *refresh);

#endif
