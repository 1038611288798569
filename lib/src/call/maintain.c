// SPDX-License-Identifier: MIT
// A sweep is many short holds of the lock, one after the other, never one long one.
#include "call/maintain.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "call/cache.h"
#include "call/fork.h"

static int64_t now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static size_t sweep(struct cki_memory *memory, int64_t end_us)
{
    size_t all = 0, some;
    do {
        some = cki_memory_sweep(memory);
        all += some;
    } while (some == CKI_SWEEP_MAX && now_us() < end_us);
    return all;
}

size_t cachekit_maintain(cachekit_cache *cache, int64_t max_us)
{
    cki_fork_check();
    int64_t now = now_us();
    int64_t end = max_us > INT64_MAX - now ? INT64_MAX : now + (max_us < 0 ? 0 : max_us);
    size_t all = sweep(&cache->store, end);
    (void)pthread_mutex_lock(&cache->lock);
    cachekit_function *f = cache->functions;
    (void)pthread_mutex_unlock(&cache->lock);
    for (; f != NULL && now_us() <= end; f = f->next) {
        all += sweep(&f->memory, end);
    }
    return all;
}

static void deadline_after(int64_t ms, struct timespec *at)
{
    (void)clock_gettime(CLOCK_REALTIME, at);
    at->tv_sec += (time_t)(ms / 1000);
    at->tv_nsec += (long)(ms % 1000) * CKI_NS_PER_MS;
    if (at->tv_nsec >= 1000000000) {
        at->tv_nsec -= 1000000000;
        at->tv_sec++;
    }
}

static bool wait_or_stop(struct cki_maintainer *m)
{
    struct timespec at;
    deadline_after(m->every_ms, &at);
    (void)pthread_mutex_lock(&m->lock);
    int waited = 0;
    while (!m->is_stopping && waited != ETIMEDOUT) {
        waited = pthread_cond_timedwait(&m->wake, &m->lock, &at);
    }
    bool stopping = m->is_stopping;
    (void)pthread_mutex_unlock(&m->lock);
    return !stopping;
}

static void *run(void *arg)
{
    struct cki_maintainer *m = arg;
    while (wait_or_stop(m)) {
        (void)cachekit_maintain(m->cache, m->every_ms * 1000);
    }
    return NULL;
}

bool cki_maintainer_start(struct cki_maintainer *m, struct cachekit_cache *cache, int64_t every_ms)
{
    memset(m, 0, sizeof *m);
    m->cache = cache;
    m->every_ms = every_ms;
    if (every_ms == 0) {
        return true;
    }
    if (pthread_mutex_init(&m->lock, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&m->wake, NULL) != 0) {
        (void)pthread_mutex_destroy(&m->lock);
        return false;
    }
    m->is_running = pthread_create(&m->thread, NULL, run, m) == 0;
    return m->is_running;
}

void cki_maintainer_stop(struct cki_maintainer *m)
{
    if (!m->is_running) {
        return;
    }
    (void)pthread_mutex_lock(&m->lock);
    m->is_stopping = true;
    (void)pthread_cond_signal(&m->wake);
    (void)pthread_mutex_unlock(&m->lock);
    (void)pthread_join(m->thread, NULL);
    (void)pthread_cond_destroy(&m->wake);
    (void)pthread_mutex_destroy(&m->lock);
    m->is_running = false;
}

void cki_maintainer_forked(struct cki_maintainer *m)
{
    m->is_running = false;
}
