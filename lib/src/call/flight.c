// SPDX-License-Identifier: MIT
// A waiter reads the flight, which lies on the owner's stack, only while it counts as waiting: the
// owner does not return before the last one is gone.
#include "call/flight.h"

#include <string.h>

#include "call/fork.h"

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
}

static void take_off_locked(struct cki_flights *flights, const struct cki_key *key,
                            struct cki_flight *mine)
{
    struct cki_flight **bucket = bucket_of(flights, key);
    memset(mine, 0, sizeof *mine);
    mine->key = key;
    mine->owner = pthread_self();
    mine->forks = cki_forks();
    mine->next = *bucket;
    mine->is_listed = true;
    *bucket = mine;
}

static void follow_locked(struct cki_flights *flights, struct cki_flight *flight,
                          struct cki_flight *mine)
{
    flight->waiters++;
    while (flight->state == CKI_FLYING) {
        (void)pthread_cond_wait(&flights->settled, &flights->lock);
    }
    mine->state = flight->state;
    mine->status = flight->status;
    mine->error = flight->error;
    mine->entry = flight->entry;
    if (--flight->waiters == 0) {
        (void)pthread_cond_broadcast(&flights->settled);
    }
}

enum cki_joined cki_flight_join(struct cki_flights *flights, const struct cki_key *key,
                                struct cki_flight *mine)
{
    enum cki_joined joined = CKI_LEAD;
    (void)pthread_mutex_lock(&flights->lock);
    for (;;) {
        struct cki_flight *other = *bucket_of(flights, key);
        while (other != NULL && !same_key(other->key, key)) {
            other = other->next;
        }
        if (other == NULL) {
            take_off_locked(flights, key, mine);
            break;
        }
        if (pthread_equal(other->owner, pthread_self())) {
            joined = CKI_ALONE;
            break;
        }
        follow_locked(flights, other, mine);
        if (mine->state == CKI_LANDED) {
            joined = CKI_FOLLOWED;
            break;
        }
    }
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
    flight->state = state;
    if (flight->waiters > 0) {
        (void)pthread_cond_broadcast(&flights->settled);
    }
    while (is_ours(flight) && flight->waiters > 0) {
        (void)pthread_cond_wait(&flights->settled, &flights->lock);
    }
    (void)pthread_mutex_unlock(&flights->lock);
}

void cki_flights_overtake(struct cki_flights *flights, const struct cki_key *key)
{
    (void)pthread_mutex_lock(&flights->lock);
    for (size_t i = 0; i < CKI_FLIGHT_BUCKETS; i++) {
        struct cki_flight **at = &flights->buckets[i];
        while (*at != NULL) {
            struct cki_flight *flight = *at;
            if (key != NULL && !same_key(flight->key, key)) {
                at = &flight->next;
                continue;
            }
            atomic_store(&flight->is_overtaken, true);
            *at = flight->next;
            flight->is_listed = false;
        }
    }
    (void)pthread_mutex_unlock(&flights->lock);
}
