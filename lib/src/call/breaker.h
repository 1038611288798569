// SPDX-License-Identifier: MIT
// A circuit breaker: after `failures` counted failures within a rolling window the backend is left
// alone; after a while a few calls probe it. While it is closed, asking and reporting success are
// one atomic load each.
//
// CLOSED: a counted failure is remembered for `window_ms`; `failures` of them open it. Successes
// change nothing. OPEN: everything is shed; what is reported changes nothing. The first question
// more than `recovery_ms` after it opened makes it HALF_OPEN: `probes` calls of this cycle are let
// through, all others shed. `successes` of them close it, one failure opens it. A neutral outcome
// gives the probe back. A cycle that is spent and undecided `recovery_ms` after it began gives way
// to a new one, which forgets its successes: a probe that never reports cannot wedge it.
//
// Every change of state is a new cycle, and a report counts only in the cycle of its ticket: late
// ones change nothing.
#ifndef CKI_BREAKER_H
#define CKI_BREAKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <cachekit/allocator.h>
#include <cachekit/clock.h>
#include <cachekit/status.h>

enum cki_breaker_state {
    CKI_BREAKER_CLOSED = 0,
    CKI_BREAKER_OPEN = 1,
    CKI_BREAKER_HALF_OPEN = 2,
    CKI_BREAKER_STATES
};

// Zero in any member means the default.
struct cki_breaker_options {
    const cachekit_allocator *allocator;
    const cachekit_clock *clock; // monotonic; NULL: the coarse one
    uint32_t failures;           // 5
    uint32_t successes;          // 3
    uint32_t probes;             // 3
    int64_t window_ms;           // 60,000
    int64_t recovery_ms;         // 30,000
    _Atomic int64_t *gauge;      // live breakers by state (metrics.h), kept up to date; NULL: none
};

struct cki_breaker {
    struct cki_breaker_options options;
    _Atomic uint64_t cycle; // number of the cycle * 4 + state
    pthread_mutex_t lock;
    // Under the lock.
    int64_t since_ns;   // of the state
    int64_t *failed_ns; // a ring of the last failures, `options.failures` of them
    uint32_t next, remembered;
    uint32_t probing, succeeded;     // of this cycle: probes given out less those given back
    uint64_t opened, shed, failures; // ever
};

enum cki_admit { CKI_SHED, CKI_ADMITTED };
typedef uint64_t cki_breaker_ticket;

enum cki_outcome {
    CKI_OUTCOME_NEUTRAL, // says nothing about the backend, or was cancelled
    CKI_OUTCOME_OK,
    CKI_OUTCOME_COUNTED
};

// What a status of a backend means, see the table of <cachekit/backend.h>.
enum cki_outcome cki_outcome_of(cachekit_status status);

// CACHEKIT_E_NOMEM, or CACHEKIT_E_INVALID: a time is negative, or a number is over 65,536.
CACHEKIT_MUST_CHECK cachekit_status cki_breaker_init(struct cki_breaker *breaker,
                                                     const struct cki_breaker_options *options);
void cki_breaker_release(struct cki_breaker *breaker);
void cki_breaker_forked(struct cki_breaker *breaker); // closed, with a fresh lock

// May the backend be asked? CKI_ADMITTED fills the ticket, and exactly one report must follow,
// whatever happens: NEUTRAL where there is nothing to say. CKI_SHED: do not report.
enum cki_admit cki_breaker_admit(struct cki_breaker *breaker, cki_breaker_ticket *ticket);
void cki_breaker_report(struct cki_breaker *breaker, cki_breaker_ticket ticket,
                        enum cki_outcome outcome);

static inline enum cki_breaker_state cki_breaker_state(const struct cki_breaker *breaker)
{
    return (enum cki_breaker_state)(atomic_load(&breaker->cycle) & 3);
}

void cki_breaker_reset(struct cki_breaker *breaker); // closed, nothing remembered

#endif
