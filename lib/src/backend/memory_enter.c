// SPDX-License-Identifier: MIT
// What comes before every call: a child's empty start, and the latency law.
#include "backend/memory_inside.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "backend/instant.h"
#include "base/status.h"

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

void cki_mem_lock(struct cki_memory_backend *self)
{
    (void)pthread_mutex_lock(&self->lock);
}

void cki_mem_unlock(struct cki_memory_backend *self)
{
    (void)pthread_mutex_unlock(&self->lock);
}

int64_t cki_mem_due_ns(int64_t now_ns, int64_t ms)
{
    int64_t span_ns, due_ns;
    bool far = __builtin_mul_overflow(ms, NS_PER_MS, &span_ns) ||
               __builtin_add_overflow(now_ns, span_ns, &due_ns);
    return far ? INT64_MAX : due_ns;
}

// The parent's threads may have been at work on any of it, so it is forgotten and not freed.
static void start_empty(void *context)
{
    struct cki_memory_backend *self = context;
    (void)pthread_mutex_init(&self->lock, NULL);
    struct cki_lru *lru = &self->lru;
    memset(lru->buckets, 0, lru->bucket_count * sizeof lru->buckets[0]);
    lru->newest = lru->oldest = NULL;
    lru->used_bytes = lru->count = 0;
    self->locks = NULL;
}

void cki_mem_check_process(struct cki_memory_backend *self)
{
    cki_mem_mark_check(&self->mark, start_empty, self);
}

static void sleep_until(int64_t until_ns)
{
    struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
        continue;
    }
}

cachekit_status cki_mem_enter(struct cki_memory_backend *self, int64_t deadline_ns,
                              cachekit_error *error)
{
    cki_mem_check_process(self);
    const cachekit_memory_backend_options *o = &self->options;
    int64_t latency_ns = o->latency_ns != NULL ? o->latency_ns(o->latency_context) : 0;
    if (latency_ns <= 0) {
        return CACHEKIT_OK;
    }
    int64_t until_ns;
    if (__builtin_add_overflow(cki_instant_ns(), latency_ns, &until_ns)) {
        until_ns = INT64_MAX;
    }
    bool is_late = until_ns > deadline_ns;
    int64_t wake_ns = is_late ? deadline_ns : until_ns;
    if (wake_ns > 0) {
        sleep_until(wake_ns);
    }
    return is_late ? cki_fail(error, CACHEKIT_E_TIMEOUT, 0,
                              "memory backend: the latency law went past the deadline")
                   : CACHEKIT_OK;
}
