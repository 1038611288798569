// SPDX-License-Identifier: MIT
#include "call/refresh.h"

#include <string.h>

#include "base/alloc.h"
#include "call/cache.h"

struct cki_refresh_job {
    struct cki_refresh_job *next;
    struct cachekit_function *function;
    uint64_t generation;
    struct cki_key key;
    uint8_t bytes[];
};

bool cki_refresh_init(struct cki_refresh *refresh, const cachekit_allocator *allocator)
{
    memset(refresh, 0, sizeof *refresh);
    refresh->allocator = allocator;
    if (pthread_mutex_init(&refresh->lock, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&refresh->work, NULL) != 0) {
        (void)pthread_mutex_destroy(&refresh->lock);
        return false;
    }
    refresh->is_open = true;
    return true;
}

static void job_free(struct cki_refresh *refresh, struct cki_refresh_job *job)
{
    atomic_fetch_sub(&job->function->refreshing, 1);
    cki_free(refresh->allocator, job, sizeof *job + job->key.len);
}

static struct cki_refresh_job *next_job(struct cki_refresh *refresh)
{
    (void)pthread_mutex_lock(&refresh->lock);
    refresh->idle++;
    while (refresh->first == NULL && !refresh->is_stopping) {
        (void)pthread_cond_wait(&refresh->work, &refresh->lock);
    }
    refresh->idle--;
    struct cki_refresh_job *job = refresh->is_stopping ? NULL : refresh->first;
    if (job != NULL) {
        refresh->first = job->next;
        refresh->last = job->next != NULL ? refresh->last : NULL;
    }
    (void)pthread_mutex_unlock(&refresh->lock);
    return job;
}

static void *work(void *arg)
{
    struct cki_refresh *refresh = arg;
    struct cki_refresh_job *job;
    while ((job = next_job(refresh)) != NULL) {
        cki_function_refresh(job->function, &job->key, job->generation);
        job_free(refresh, job);
    }
    return NULL;
}

static bool has_worker_locked(struct cki_refresh *refresh)
{
    if (refresh->idle == 0 && refresh->thread_count < CKI_REFRESH_THREADS &&
        pthread_create(&refresh->threads[refresh->thread_count], NULL, work, refresh) == 0) {
        refresh->thread_count++;
    }
    return refresh->thread_count > 0;
}

static struct cki_refresh_job *job_new(struct cki_refresh *refresh,
                                       struct cachekit_function *function,
                                       const struct cki_key *key, uint64_t generation)
{
    struct cki_refresh_job *job = cki_alloc(refresh->allocator, sizeof *job + key->len);
    if (job != NULL) {
        *job = (struct cki_refresh_job){NULL, function, generation, *key};
        job->key.bytes = job->bytes;
        if (key->len > 0) {
            memcpy(job->bytes, key->bytes, key->len);
        }
    }
    return job;
}

bool cki_refresh_add(struct cki_refresh *refresh, struct cachekit_function *function,
                     const struct cki_key *key, uint64_t generation)
{
    if (atomic_fetch_add(&function->refreshing, 1) >= CKI_REFRESHES_MAX) {
        atomic_fetch_sub(&function->refreshing, 1);
        return false;
    }
    struct cki_refresh_job *job = job_new(refresh, function, key, generation);
    if (job == NULL) {
        atomic_fetch_sub(&function->refreshing, 1);
        return false;
    }
    (void)pthread_mutex_lock(&refresh->lock);
    bool ok = !refresh->is_stopping && has_worker_locked(refresh);
    if (ok) {
        *(refresh->last != NULL ? &refresh->last->next : &refresh->first) = job;
        refresh->last = job;
        (void)pthread_cond_signal(&refresh->work);
    }
    (void)pthread_mutex_unlock(&refresh->lock);
    if (!ok) {
        job_free(refresh, job);
    }
    return ok;
}

void cki_refresh_stop(struct cki_refresh *refresh)
{
    if (!refresh->is_open) {
        return;
    }
    refresh->is_open = false;
    (void)pthread_mutex_lock(&refresh->lock);
    refresh->is_stopping = true;
    (void)pthread_cond_broadcast(&refresh->work);
    (void)pthread_mutex_unlock(&refresh->lock);
    for (unsigned i = 0; i < refresh->thread_count; i++) {
        (void)pthread_join(refresh->threads[i], NULL);
    }
    while (refresh->first != NULL) {
        struct cki_refresh_job *job = refresh->first;
        refresh->first = job->next;
        job_free(refresh, job);
    }
    (void)pthread_cond_destroy(&refresh->work);
    (void)pthread_mutex_destroy(&refresh->lock);
}

void cki_refresh_forked(struct cki_refresh *refresh)
{
    (void)cki_refresh_init(refresh, refresh->allocator);
}
