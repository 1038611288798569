// SPDX-License-Identifier: MIT
// A permit that comes back while somebody waits belongs to a waiter from that moment on, though he
// has yet to wake: newcomers cannot starve those who queued.
#include "call/backpressure.h"

#include <errno.h>
#include <time.h>

enum { WAIT_MAX_MS = 86400000, NS_PER_S = 1000000000, NS_PER_MS = 1000000 };

static bool init_cond(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0) {
        return false;
    }
    bool made = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(cond, &attr) == 0;
    (void)pthread_condattr_destroy(&attr);
    return made;
}

cachekit_status cki_backpressure_init(struct cki_backpressure *pressure,
                                      const struct cki_backpressure_options *options)
{
    *pressure = (struct cki_backpressure){.options = *options, .free = options->permits};
    if (options->permits == 0 || options->wait_ms < 0 || options->wait_ms > WAIT_MAX_MS) {
        return CACHEKIT_E_INVALID;
    }
    if (pthread_mutex_init(&pressure->lock, NULL) != 0) {
        return CACHEKIT_E_NOMEM;
    }
    if (!init_cond(&pressure->freed)) {
        (void)pthread_mutex_destroy(&pressure->lock);
        return CACHEKIT_E_NOMEM;
    }
    return CACHEKIT_OK;
}

void cki_backpressure_release(struct cki_backpressure *pressure)
{
    (void)pthread_cond_destroy(&pressure->freed);
    (void)pthread_mutex_destroy(&pressure->lock);
}

void cki_backpressure_forked(struct cki_backpressure *pressure)
{
    (void)pthread_mutex_init(&pressure->lock, NULL);
    (void)init_cond(&pressure->freed);
    pressure->free = pressure->options.permits;
    pressure->waiting = pressure->handed = 0;
    pressure->rejected = 0;
}

static struct timespec end_of_wait(int64_t wait_ms)
{
    struct timespec at;
    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)(wait_ms / 1000);
    at.tv_nsec += (long)(wait_ms % 1000) * NS_PER_MS;
    if (at.tv_nsec >= NS_PER_S) {
        at.tv_nsec -= NS_PER_S;
        at.tv_sec++;
    }
    return at;
}

static enum cki_permit wait_locked(struct cki_backpressure *pressure)
{
    const struct timespec at = end_of_wait(pressure->options.wait_ms);
    int waited = 0;
    pressure->waiting++;
    while (pressure->handed == 0 && waited != ETIMEDOUT) {
        waited = pthread_cond_timedwait(&pressure->freed, &pressure->lock, &at);
    }
    pressure->waiting--;
    if (pressure->handed == 0) {
        pressure->rejected++;
        return CKI_WAIT_TIMEOUT;
    }
    pressure->handed--;
    return CKI_PERMIT;
}

enum cki_permit cki_backpressure_enter(struct cki_backpressure *pressure)
{
    enum cki_permit permit = CKI_PERMIT;
    (void)pthread_mutex_lock(&pressure->lock);
    if (pressure->free > 0) {
        pressure->free--;
    } else if (pressure->waiting >= pressure->options.queue) {
        pressure->rejected++;
        permit = CKI_QUEUE_FULL;
    } else {
        permit = wait_locked(pressure);
    }
    (void)pthread_mutex_unlock(&pressure->lock);
    return permit;
}

void cki_backpressure_leave(struct cki_backpressure *pressure)
{
    (void)pthread_mutex_lock(&pressure->lock);
    if (pressure->waiting > pressure->handed) {
        pressure->handed++;
        (void)pthread_cond_signal(&pressure->freed);
    } else if (pressure->free < pressure->options.permits) {
        pressure->free++; // not so after a fork: the permit was the parent's
    }
    (void)pthread_mutex_unlock(&pressure->lock);
}

void cki_backpressure_stats(struct cki_backpressure *pressure, struct cki_backpressure_stats *stats)
{
    const struct cki_backpressure_options *o = &pressure->options;
    (void)pthread_mutex_lock(&pressure->lock);
    *stats = (struct cki_backpressure_stats){
        .queue_depth = pressure->waiting,
        .permits = o->permits,
        .queue = o->queue,
        .rejected = pressure->rejected,
        // An empty queue is healthy, one of no places too.
        .healthy =
            pressure->waiting == 0 || (uint64_t)pressure->waiting * 5 < (uint64_t)o->queue * 4,
    };
    (void)pthread_mutex_unlock(&pressure->lock);
}
