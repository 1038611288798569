// SPDX-License-Identifier: MIT
// A refresh is a computation that nobody joins: it lands only if the entry that it was started for
// is still there and no invalidation came meanwhile.
#include "call/refresh.h"

#include <string.h>

#include "base/alloc.h"
#include "call/args.h"
#include "call/cache.h"
#include "call/fork.h"
#include "call/thread.h"

struct cki_refresh_job {
    struct cki_refresh_job *next;
    struct cachekit_function *function;
    uint64_t generation;
    unsigned forks; // of the process that counts it
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
    if (job->forks == cki_forks()) {
        atomic_fetch_sub(&job->function->refreshing, 1);
    }
    cki_free(refresh->allocator, job, sizeof *job + job->key.len);
}

// What a worker has in hand, for the case that the loader ends the thread.
struct errand {
    struct cki_worker *worker;
    struct cki_refresh_job *job;
    struct cki_flight flight;
    struct cki_entry *entry;
};

static void put_off(const struct cki_refresh_job *job)
{
    struct cachekit_function *f = job->function;
    int64_t now = cki_memory_now(&f->memory), at;
    if (__builtin_add_overflow(now, f->retry_ns, &at)) {
        at = CKI_FOREVER;
    }
    atomic_fetch_add(&f->refresh_failures, 1);
    cki_memory_set_due(&f->memory, &job->key, job->generation, at);
}

static void drop(struct errand *errand)
{
    const cachekit_allocator *allocator = errand->worker->refresh->allocator;
    if (errand->entry != NULL) {
        cki_free(allocator, errand->entry, cki_entry_bytes(errand->entry));
    }
    put_off(errand->job);
}

static void land(struct errand *errand, const cachekit_result *result)
{
    struct cachekit_function *f = errand->job->function;
    errand->entry->object = result->object;
    errand->entry->object_size = result->size_bytes;
    errand->entry->destroy = f->destroy;
    errand->entry->destroy_context = f->destroy_context;
    const struct cki_store store = {.entry = errand->entry,
                                    .ttl_ns = f->ttl_ns,
                                    .due_ns = f->due_ns,
                                    .replaces = errand->job->generation,
                                    .overtaken = &errand->flight.is_overtaken};
    atomic_fetch_add(&f->refreshes, 1);
    if (cki_memory_put(&f->memory, &store, NULL) != CKI_STORED) {
        cki_entry_free(f->memory.options.allocator, errand->entry);
    }
}

static void end_errand(struct errand *errand)
{
    cki_flight_settle(&errand->job->function->flights, &errand->flight, CKI_ABANDONED);
    job_free(errand->worker->refresh, errand->job);
}

static void thread_ends(void *arg)
{
    struct errand *errand = arg;
    struct cki_refresh *refresh = errand->worker->refresh;
    drop(errand);
    end_errand(errand);
    (void)pthread_mutex_lock(&refresh->lock);
    errand->worker->state = CKI_WORKER_ENDED;
    refresh->running--;
    (void)pthread_mutex_unlock(&refresh->lock);
}

static cachekit_status load(struct errand *errand, cachekit_result *result)
{
    struct cachekit_function *f = errand->job->function;
    cachekit_arg args[CKI_ARGS_MAX];
    cachekit_error error = {CACHEKIT_OK, 0, 0, ""};
    size_t count = cki_args_unpack(&errand->job->key, args);
    cachekit_status status;
    pthread_cleanup_push(thread_ends, errand);
    status = f->loader(f->context, args, count, result, &error);
    pthread_cleanup_pop(0);
    return status;
}

static void run_errand(struct errand *errand)
{
    struct cachekit_function *f = errand->job->function;
    cachekit_result result = {NULL, 0};
    cki_flight_alone(&f->flights, &errand->job->key, &errand->flight);
    errand->entry = cki_entry_new(f->memory.options.allocator, &errand->job->key);
    if (errand->entry != NULL && load(errand, &result) == CACHEKIT_OK) {
        land(errand, &result);
    } else {
        drop(errand);
    }
    end_errand(errand);
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
        refresh->queued--;
    }
    (void)pthread_mutex_unlock(&refresh->lock);
    return job;
}

static void *work(void *arg)
{
    struct errand errand = {.worker = arg};
    while ((errand.job = next_job(errand.worker->refresh)) != NULL) {
        run_errand(&errand);
    }
    return NULL;
}

static void start_worker_locked(struct cki_refresh *refresh)
{
    for (int i = 0; i < CKI_REFRESH_THREADS; i++) {
        struct cki_worker *worker = &refresh->workers[i];
        if (worker->state == CKI_WORKER_RUNS) {
            continue;
        }
        if (worker->state == CKI_WORKER_ENDED) {
            (void)pthread_join(worker->thread, NULL);
        }
        worker->refresh = refresh;
        worker->state = CKI_WORKER_NONE;
        if (cki_thread_start(&worker->thread, work, worker)) {
            worker->state = CKI_WORKER_RUNS;
            refresh->running++;
        }
        return;
    }
}

// One more worker while there is more work than idle ones. False: there is none at all.
static bool has_worker_locked(struct cki_refresh *refresh)
{
    if (refresh->queued >= refresh->idle && refresh->running < CKI_REFRESH_THREADS) {
        start_worker_locked(refresh);
    }
    return refresh->running > 0;
}

static struct cki_refresh_job *job_new(struct cki_refresh *refresh,
                                       struct cachekit_function *function,
                                       const struct cki_key *key, uint64_t generation)
{
    struct cki_refresh_job *job = cki_alloc(refresh->allocator, sizeof *job + key->len);
    if (job != NULL) {
        *job = (struct cki_refresh_job){NULL, function, generation, cki_forks(), *key};
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
        refresh->queued++;
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
    for (int i = 0; i < CKI_REFRESH_THREADS; i++) {
        if (refresh->workers[i].state != CKI_WORKER_NONE) {
            (void)pthread_join(refresh->workers[i].thread, NULL);
        }
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
