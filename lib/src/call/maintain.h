// SPDX-License-Identifier: MIT
// Giving expired entries' memory back without traffic: in the caller's time, or by a thread.
#ifndef CKI_MAINTAIN_H
#define CKI_MAINTAIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct cachekit_cache;

struct cki_maintainer {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    struct cachekit_cache *cache;
    int64_t every_ms;
    bool is_running, is_stopping;
};

// `every_ms` 0: no thread.
bool cki_maintainer_start(struct cki_maintainer *maintainer, struct cachekit_cache *cache,
                          int64_t every_ms);
// Starts it with that time, if it does not run; 0: nothing. False: no thread.
bool cki_maintainer_ensure(struct cachekit_cache *cache, int64_t every_ms);
void cki_maintainer_stop(struct cki_maintainer *maintainer);
void cki_maintainer_forked(struct cki_maintainer *maintainer);

#endif
