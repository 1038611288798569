// SPDX-License-Identifier: MIT
// Single flight: of the threads that miss one key at the same time one computes, the others wait
// and share its result or its failure. A flight lies on its owner's stack; the table of those in
// the air belongs to a function.
#ifndef CKI_FLIGHT_H
#define CKI_FLIGHT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <cachekit/status.h>

#include "memory/entry.h"

enum { CKI_FLIGHT_BUCKETS = 64 };

enum cki_flight_state { CKI_FLYING, CKI_LANDED, CKI_ABANDONED };

struct cki_flight {
    struct cki_flight *next;
    const struct cki_key *key;
    pthread_t owner;
    bool is_listed;
    uint64_t number;          // of take-offs
    bool is_alone;            // nobody joins it; listed only to be overtaken
    bool is_writing;          // to the backend; whoever overtakes it waits for the end of that
    unsigned forks;           // of the process when it took off
    atomic_int state;         // an enum cki_flight_state
    atomic_bool is_overtaken; // an invalidation came after the start: not to be stored
    uint32_t waiters;
    cachekit_status status;
    struct cki_entry *entry; // the result; every waiter has a hold on it
    struct cki_reply *reply; // the same of a function with a backend
    cachekit_error error;    // where the status is none of success
};

struct cki_flights {
    pthread_mutex_t lock;
    pthread_cond_t settled;
    uint64_t take_offs;
    _Atomic uint64_t landed; // those that are in the air no more; changed under the lock
    struct cki_flight *buckets[CKI_FLIGHT_BUCKETS];
};

bool cki_flights_init(struct cki_flights *flights);
void cki_flights_release(struct cki_flights *flights);
// In a forked child: nothing is in the air. A flight of the forking thread lands without a trace.
void cki_flights_forked(struct cki_flights *flights);
void cki_waits_forked(void);

enum cki_joined {
    CKI_LEAD, // `mine` is in the air: compute, then settle
    // The same, shared with nobody: this thread computes the key already, or whoever does waits for
    // this thread.
    CKI_ALONE,
    CKI_FOLLOWED // `mine` has the outcome of another's flight; on success a hold on its entry
};

// Where this has not changed since before a look, nothing has been kept since then.
static inline uint64_t cki_flights_landed(const struct cki_flights *flights)
{
    return atomic_load_explicit(&flights->landed, memory_order_acquire);
}

// Cancellation must be off: a waiter that goes must say so.
enum cki_joined cki_flight_join(struct cki_flights *flights, const struct cki_key *key,
                                struct cki_flight *mine);
// Takes off as CKI_ALONE whatever else is in the air.
void cki_flight_alone(struct cki_flights *flights, const struct cki_key *key,
                      struct cki_flight *mine);

// How many wait right now: the owner takes as many holds before it settles. Nobody joins after.
uint32_t cki_flight_close(struct cki_flights *flights, struct cki_flight *flight);
// Wakes the waiters. With CKI_ABANDONED they try again themselves.
void cki_flight_settle(struct cki_flights *flights, struct cki_flight *flight,
                       enum cki_flight_state state);

// Around a write to the backend. False: overtaken, so nothing may be written.
bool cki_flight_begin_write(struct cki_flights *flights, struct cki_flight *flight);
void cki_flight_end_write(struct cki_flights *flights, struct cki_flight *flight);

// Forgets flights of the key (NULL: all): later callers start anew, what lands is not stored. Waits
// for their writes that have begun, this thread's own aside.
void cki_flights_overtake(struct cki_flights *flights, const struct cki_key *key);

#endif
