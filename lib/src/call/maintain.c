// SPDX-License-Identifier: MIT
// A sweep is many short holds of the lock, one after the other, never one long one.
#include "call/maintain.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "call/backed.h"
#include "call/cache.h"
#include "call/fork.h"
#include "call/thread.h"

enum { EVERY_MAX_MS = 86400000 }; // so that no sum of times overflows

static int64_t now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// INT64_MIN: one hold, and no look at a clock.
static bool is_over(int64_t end_us)
{
    return end_us == INT64_MIN || now_us() >= end_us;
}

static size_t sweep(struct cki_memory *memory, int64_t end_us)
{
    size_t all = 0, some;
    do {
        some = cki_memory_sweep(memory);
        all += some;
    } while (some == CKI_SWEEP_MAX && !is_over(end_us));
    return all;
}

static size_t sweep_bytes(struct cki_byte_cache *bytes, int64_t end_us)
{
    size_t all = 0, some;
    do {
        some = cki_byte_cache_sweep(bytes);
        all += some;
    } while (some == CKI_BYTES_SWEEP && !is_over(end_us));
    return all;
}

size_t cachekit_maintain(cachekit_cache *cache, int64_t max_us)
{
    if (cache == NULL) {
        return 0;
    }
    cki_fork_check();
    int64_t end_us = INT64_MIN;
    if (max_us > 0 && __builtin_add_overflow(now_us(), max_us, &end_us)) {
        end_us = INT64_MAX;
    }
    size_t all = sweep(&cache->store, end_us);
    if (cache->backing != NULL) {
        all += sweep_bytes(&cache->backing->bytes, end_us);
    }
    for (cachekit_function *f = atomic_load(&cache->functions); f != NULL; f = f->next) {
        if (end_us != INT64_MIN && is_over(end_us)) {
            break;
        }
        all += sweep(&f->memory, end_us);
        if (f->backed != NULL) {
            cki_backed_settle(f->backed);
        }
    }
    return all;
}

static void deadline_after(int64_t ms, struct timespec *at)
{
    (void)clock_gettime(CLOCK_MONOTONIC, at);
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

static bool init_wake(pthread_cond_t *wake)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return false;
    }
    bool ok = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(wake, &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    return ok;
}

bool cki_maintainer_start(struct cki_maintainer *m, struct cachekit_cache *cache, int64_t every_ms)
{
    memset(m, 0, sizeof *m);
    m->cache = cache;
    if (every_ms == 0) {
        return true;
    }
    m->every_ms = every_ms < EVERY_MAX_MS ? every_ms : EVERY_MAX_MS;
    if (pthread_mutex_init(&m->lock, NULL) != 0) {
        return false;
    }
    if (!init_wake(&m->wake)) {
        goto no_condition;
    }
    m->is_running = cki_thread_start(&m->thread, run, m);
    if (m->is_running) {
        return true;
    }
    (void)pthread_cond_destroy(&m->wake);
no_condition:
    (void)pthread_mutex_destroy(&m->lock);
    return false;
}

bool cki_maintainer_ensure(struct cachekit_cache *cache, int64_t every_ms)
{
    (void)pthread_mutex_lock(&cache->lock);
    bool runs = every_ms == 0 || cache->maintainer.is_running ||
                cki_maintainer_start(&cache->maintainer, cache, every_ms);
    (void)pthread_mutex_unlock(&cache->lock);
    return runs;
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
