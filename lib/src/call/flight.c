// SPDX-License-Identifier: MIT
// A waiter reads the flight, which lies on the owner's stack, only while it counts as waiting: the
// owner does not return before the last one is gone. Who waits for whom is known to the process, so
// that two threads whose computations need each other's do not wait in a circle.
#include "call/flight.h"

#include <stddef.h>
#include <string.h>

#include "call/fork.h"

// On the waiter's stack while it waits.
struct wait {
    struct wait *next;
    pthread_t waiter;
    const struct cki_flight *flight;
};

static struct {
    pthread_mutex_t lock; // the innermost of all
    struct wait *first;
} waits = {PTHREAD_MUTEX_INITIALIZER, NULL};

void cki_waits_forked(void)
{
    (void)pthread_mutex_init(&waits.lock, NULL);
    waits.first = NULL;
}

static const struct wait *wait_of_locked(pthread_t thread)
{
    const struct wait *w = waits.first;
    while (w != NULL &&
           !(pthread_equal(w->waiter, thread) && atomic_load(&w->flight->state) == CKI_FLYING)) {
        w = w->next;
    }
    return w;
}

// Files this thread as waiting for the flight, unless its owner waits, perhaps by way of others,
// for this thread. There is no circle yet, so the walk ends.
static bool begin_wait(struct wait *mine, const struct cki_flight *flight)
{
    bool is_circle = false;
    *mine = (struct wait){NULL, pthread_self(), flight};
    (void)pthread_mutex_lock(&waits.lock);
    const struct wait *w = wait_of_locked(flight->owner);
    while (w != NULL && !is_circle) {
        is_circle = pthread_equal(w->flight->owner, mine->waiter) != 0;
        w = wait_of_locked(w->flight->owner);
    }
    if (!is_circle) {
        mine->next = waits.first;
        waits.first = mine;
    }
    (void)pthread_mutex_unlock(&waits.lock);
    return !is_circle;
}

static void end_wait(const struct wait *mine)
{
    (void)pthread_mutex_lock(&waits.lock);
    struct wait **at = &waits.first;
    while (*at != mine) {
        at = &(*at)->next;
    }
    *at = mine->next;
    (void)pthread_mutex_unlock(&waits.lock);
}

bool cki_flights_init(struct cki_flights *flights)
{
    memset(flights, 0, sizeof *flights);
    if (pthread_mutex_init(&flights->lock, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&flights->settled, NULL) != 0) {
        (void)pthread_mutex_destroy(&flights->lock);
        return false;
    }
    return true;
}

void cki_flights_release(struct cki_flights *flights)
{
    (void)pthread_cond_destroy(&flights->settled);
    (void)pthread_mutex_destroy(&flights->lock);
}

void cki_flights_forked(struct cki_flights *flights)
{
    (void)cki_flights_init(flights);
}

// Did it take off in this process? After a fork its waiters are gone and the table is another.
static bool is_ours(const struct cki_flight *flight)
{
    return flight->forks == cki_forks();
}

static struct cki_flight **bucket_of(struct cki_flights *flights, const struct cki_key *key)
{
    return &flights->buckets[key->hash % CKI_FLIGHT_BUCKETS];
}

static bool same_key(const struct cki_key *a, const struct cki_key *b)
{
    return a->hash == b->hash && a->kind == b->kind && a->len == b->len &&
           (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

static void unlist_locked(struct cki_flights *flights, struct cki_flight *flight)
{
    if (!flight->is_listed || !is_ours(flight)) {
        return;
    }
    struct cki_flight **at = bucket_of(flights, flight->key);
    while (*at != flight) {
        at = &(*at)->next;
    }
    *at = flight->next;
    flight->is_listed = false;
    atomic_fetch_add_explicit(&flights->landed, 1, memory_order_release);
}

static void take_off_locked(struct cki_flights *flights, const struct cki_key *key,
                            struct cki_flight *mine, bool is_alone)
{
    struct cki_flight **bucket = bucket_of(flights, key);
    memset(mine, 0, offsetof(struct cki_flight, error)); // which is long, and last
    mine->key = key;
    mine->owner = pthread_self();
    mine->is_alone = is_alone;
    mine->forks = cki_forks();
    mine->number = ++flights->take_offs;
    mine->next = *bucket;
    mine->is_listed = true;
    *bucket = mine;
}

void cki_flight_alone(struct cki_flights *flights, const struct cki_key *key,
                      struct cki_flight *mine)
{
    (void)pthread_mutex_lock(&flights->lock);
    take_off_locked(flights, key, mine, true);
    (void)pthread_mutex_unlock(&flights->lock);
}

// False: waiting would never end.
static bool follow_locked(struct cki_flights *flights, struct cki_flight *flight,
                          struct cki_flight *mine)
{
    struct wait wait;
    if (pthread_equal(flight->owner, pthread_self()) || !begin_wait(&wait, flight)) {
        return false;
    }
    flight->waiters++;
    while (atomic_load(&flight->state) == CKI_FLYING) {
        (void)pthread_cond_wait(&flights->settled, &flights->lock);
    }
    end_wait(&wait);
    atomic_store(&mine->state, atomic_load(&flight->state));
    mine->status = flight->status;
    if (flight->status != CACHEKIT_OK) {
        mine->error = flight->error;
    }
    mine->entry = flight->entry;
    mine->reply = flight->reply;
    if (--flight->waiters == 0) {
        (void)pthread_cond_broadcast(&flights->settled);
    }
    return true;
}

static struct cki_flight *shared_locked(struct cki_flights *flights, const struct cki_key *key)
{
    struct cki_flight *flight = *bucket_of(flights, key);
    while (flight != NULL && (flight->is_alone || atomic_load(&flight->is_overtaken) ||
                              !same_key(flight->key, key))) {
        flight = flight->next;
    }
    return flight;
}

static enum cki_joined join_locked(struct cki_flights *flights, const struct cki_key *key,
                                   struct cki_flight *mine)
{
    for (;;) {
        struct cki_flight *other = shared_locked(flights, key);
        if (other == NULL) {
            take_off_locked(flights, key, mine, false);
            return CKI_LEAD;
        }
        if (!follow_locked(flights, other, mine)) {
            take_off_locked(flights, key, mine, true);
            return CKI_ALONE;
        }
        if (atomic_load(&mine->state) == CKI_LANDED) {
            return CKI_FOLLOWED;
        }
    }
}

enum cki_joined cki_flight_join(struct cki_flights *flights, const struct cki_key *key,
                                struct cki_flight *mine)
{
    (void)pthread_mutex_lock(&flights->lock);
    enum cki_joined joined = join_locked(flights, key, mine);
    (void)pthread_mutex_unlock(&flights->lock);
    return joined;
}

uint32_t cki_flight_close(struct cki_flights *flights, struct cki_flight *flight)
{
    (void)pthread_mutex_lock(&flights->lock);
    unlist_locked(flights, flight);
    uint32_t waiters = is_ours(flight) ? flight->waiters : 0;
    (void)pthread_mutex_unlock(&flights->lock);
    return waiters;
}

void cki_flight_settle(struct cki_flights *flights, struct cki_flight *flight,
                       enum cki_flight_state state)
{
    (void)pthread_mutex_lock(&flights->lock);
    unlist_locked(flights, flight);
    atomic_store(&flight->state, (int)state);
    if (flight->waiters > 0) {
        (void)pthread_cond_broadcast(&flights->settled);
    }
    while (is_ours(flight) && flight->waiters > 0) {
        (void)pthread_cond_wait(&flights->settled, &flights->lock);
    }
    (void)pthread_mutex_unlock(&flights->lock);
}

bool cki_flight_begin_write(struct cki_flights *flights, struct cki_flight *flight)
{
    (void)pthread_mutex_lock(&flights->lock);
    flight->is_writing = is_ours(flight) && !atomic_load(&flight->is_overtaken);
    bool may_write = flight->is_writing;
    (void)pthread_mutex_unlock(&flights->lock);
    return may_write;
}

void cki_flight_end_write(struct cki_flights *flights, struct cki_flight *flight)
{
    (void)pthread_mutex_lock(&flights->lock);
    flight->is_writing = false;
    if (atomic_load(&flight->is_overtaken)) {
        unlist_locked(flights, flight);
        (void)pthread_cond_broadcast(&flights->settled);
    }
    (void)pthread_mutex_unlock(&flights->lock);
}

// Those up to the number. True: one of them is writing; it stays listed until it has written, and
// nobody joins it.
static bool overtake_locked(struct cki_flights *flights, const struct cki_key *key, uint64_t last)
{
    bool is_waiting = false;
    for (size_t i = 0; i < CKI_FLIGHT_BUCKETS; i++) {
        struct cki_flight **at = &flights->buckets[i];
        while (*at != NULL) {
            struct cki_flight *flight = *at;
            bool is_meant = flight->number <= last && (key == NULL || same_key(flight->key, key));
            if (is_meant) {
                atomic_store(&flight->is_overtaken, true);
            }
            if (is_meant && !flight->is_writing) {
                *at = flight->next;
                flight->is_listed = false;
                continue;
            }
            is_waiting = is_waiting || (is_meant && !pthread_equal(flight->owner, pthread_self()));
            at = &flight->next;
        }
    }
    return is_waiting;
}

void cki_flights_overtake(struct cki_flights *flights, const struct cki_key *key)
{
    (void)pthread_mutex_lock(&flights->lock);
    uint64_t last = flights->take_offs;
    while (overtake_locked(flights, key, last)) {
        (void)pthread_cond_wait(&flights->settled, &flights->lock);
    }
    (void)pthread_mutex_unlock(&flights->lock);
}
