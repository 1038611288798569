// SPDX-License-Identifier: MIT
// At most so many questions to a backend at once. A free permit is taken before the queue is looked
// at, so a queue of 0 still lets `permits` through. A permit that comes back goes to a waiter
// before any newcomer. Waiting is on CLOCK_MONOTONIC. One permit per logical call: never ask for a
// second one while holding the first.
#ifndef CKI_BACKPRESSURE_H
#define CKI_BACKPRESSURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <cachekit/status.h>

#define CKI_PERMITS_DEFAULT 100
#define CKI_QUEUE_DEFAULT   1000
#define CKI_WAIT_MS_DEFAULT 100

struct cki_backpressure_options {
    uint32_t permits; // at least 1
    uint32_t queue;   // callers that may wait; 0: none
    int64_t wait_ms;  // at least 0
};
#define CKI_BACKPRESSURE_OPTIONS_INIT                                                              \
    {                                                                                              \
        CKI_PERMITS_DEFAULT, CKI_QUEUE_DEFAULT, CKI_WAIT_MS_DEFAULT                                \
    }

struct cki_backpressure {
    struct cki_backpressure_options options;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    // Under the lock.
    uint32_t free, waiting, handed; // handed: permits that belong to waiters who have not woken yet
    uint64_t rejected;
};

enum cki_permit {
    CKI_PERMIT,      // give it back by cki_backpressure_leave()
    CKI_QUEUE_FULL,  // shed: to be counted as a rejection (metrics.h)
    CKI_WAIT_TIMEOUT // shed
};

// CACHEKIT_E_INVALID: an option is outside its bounds. CACHEKIT_E_NOMEM.
CACHEKIT_MUST_CHECK cachekit_status cki_backpressure_init(
    struct cki_backpressure *pressure, const struct cki_backpressure_options *options);
void cki_backpressure_release(struct cki_backpressure *pressure); // nobody is in it
void cki_backpressure_forked(struct cki_backpressure *pressure);  // all permits free, fresh lock

enum cki_permit cki_backpressure_enter(struct cki_backpressure *pressure);
void cki_backpressure_leave(struct cki_backpressure *pressure);

struct cki_backpressure_stats {
    uint32_t queue_depth, permits, queue;
    uint64_t rejected; // by either cause
    bool healthy;      // the queue is less than 80 % full
};
void cki_backpressure_stats(struct cki_backpressure *pressure,
                            struct cki_backpressure_stats *stats);

#endif
