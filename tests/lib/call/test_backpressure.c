// SPDX-License-Identifier: MIT
// Permits, the queue for them, and who is sent away.
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "call/backpressure.h"

static struct cki_backpressure pressure;

static void open_with(uint32_t permits, uint32_t queue, int64_t wait_ms)
{
    const struct cki_backpressure_options options = {permits, queue, wait_ms};
    cr_assert(cki_backpressure_init(&pressure, &options) == CACHEKIT_OK);
}

static struct cki_backpressure_stats stats(void)
{
    struct cki_backpressure_stats s;
    cki_backpressure_stats(&pressure, &s);
    return s;
}

static atomic_int entered, timed_out, turned_away;

static void *wait_for_one(void *context)
{
    enum cki_permit permit = cki_backpressure_enter(&pressure);
    (void)context;
    atomic_fetch_add(permit == CKI_PERMIT         ? &entered
                     : permit == CKI_WAIT_TIMEOUT ? &timed_out
                                                  : &turned_away,
                     1);
    return NULL;
}

// Long enough for any machine; what never happens is a failure, not a hang.
static void nap(int *naps)
{
    const struct timespec ms = {0, 1000000};
    (void)nanosleep(&ms, NULL);
    cr_assert(++*naps < 20000, "it never happens");
}

static void wait_for_queue(uint32_t depth)
{
    for (int naps = 0; stats().queue_depth != depth;) {
        nap(&naps);
    }
}

static void wait_for_entered(int count)
{
    for (int naps = 0; atomic_load(&entered) != count;) {
        nap(&naps);
    }
}

Test(backpressure, options_outside_their_bounds_are_refused)
{
    static const struct {
        struct cki_backpressure_options options;
        cachekit_status status;
    } rows[] = {
        {CKI_BACKPRESSURE_OPTIONS_INIT, CACHEKIT_OK},
        {{1, 0, 0}, CACHEKIT_OK},
        {{0, 1, 1}, CACHEKIT_E_INVALID},
        {{1, 1, -1}, CACHEKIT_E_INVALID},
        {{1, 1, INT64_MAX}, CACHEKIT_E_INVALID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(cki_backpressure_init(&pressure, &rows[i].options) == rows[i].status, "row %zu",
                  i);
        if (rows[i].status == CACHEKIT_OK) {
            cki_backpressure_release(&pressure);
        }
    }
    const struct cki_backpressure_options standard = CKI_BACKPRESSURE_OPTIONS_INIT;
    cr_assert(standard.permits == 100 && standard.queue == 1000 && standard.wait_ms == 100);
}

Test(backpressure, a_free_permit_is_tried_before_the_queue)
{
    open_with(2, 0, 1000);
    cr_assert(cki_backpressure_enter(&pressure) == CKI_PERMIT);
    cr_assert(cki_backpressure_enter(&pressure) == CKI_PERMIT);
    cr_assert(cki_backpressure_enter(&pressure) == CKI_QUEUE_FULL && stats().rejected == 1);
    cki_backpressure_leave(&pressure);
    cr_assert(cki_backpressure_enter(&pressure) == CKI_PERMIT);
    cki_backpressure_leave(&pressure);
    cki_backpressure_leave(&pressure);
    cr_assert(pressure.free == 2);
    cki_backpressure_release(&pressure);
}

Test(backpressure, who_waits_in_vain_is_shed_and_counted)
{
    open_with(1, 5, 20);
    cr_assert(cki_backpressure_enter(&pressure) == CKI_PERMIT);
    cr_assert(cki_backpressure_enter(&pressure) == CKI_WAIT_TIMEOUT);
    cr_assert(stats().rejected == 1 && stats().queue_depth == 0);
    cki_backpressure_leave(&pressure);
    cr_assert(cki_backpressure_enter(&pressure) == CKI_PERMIT);
    cki_backpressure_leave(&pressure);
    cki_backpressure_release(&pressure);
}

Test(backpressure, a_permit_goes_to_a_waiter_before_any_newcomer)
{
    pthread_t waiter;
    open_with(1, 5, 60000);
    cr_assert(cki_backpressure_enter(&pressure) == CKI_PERMIT);
    cr_assert(pthread_create(&waiter, NULL, wait_for_one, NULL) == 0);
    wait_for_queue(1);
    cki_backpressure_leave(&pressure);
    cr_assert(pressure.free == 0, "it is the waiter's, woken or not");
    cr_assert(pthread_join(waiter, NULL) == 0 && atomic_load(&entered) == 1);
    cki_backpressure_leave(&pressure);
    cr_assert(pressure.free == 1 && pressure.handed == 0);
    cki_backpressure_release(&pressure);
}

Test(backpressure, a_full_queue_turns_callers_away_and_is_unhealthy_from_four_fifths_on)
{
    enum { QUEUE = 5 };
    pthread_t waiters[QUEUE];
    open_with(1, QUEUE, 60000);
    cr_assert(cki_backpressure_enter(&pressure) == CKI_PERMIT);
    for (uint32_t i = 0; i < QUEUE; i++) {
        cr_assert(stats().healthy == (i < 4));
        cr_assert(pthread_create(&waiters[i], NULL, wait_for_one, NULL) == 0);
        wait_for_queue(i + 1);
    }
    cr_assert(cki_backpressure_enter(&pressure) == CKI_QUEUE_FULL && !stats().healthy);
    for (int i = 0; i < QUEUE; i++) {
        cki_backpressure_leave(&pressure);
        wait_for_entered(i + 1);
    }
    for (int i = 0; i < QUEUE; i++) {
        cr_assert(pthread_join(waiters[i], NULL) == 0);
    }
    cki_backpressure_leave(&pressure);
    cr_assert(pressure.free == 1 && stats().rejected == 1 && stats().healthy);
    cki_backpressure_release(&pressure);
}

static void *come_and_go(void *context)
{
    (void)context;
    for (int i = 0; i < 2000; i++) {
        if (cki_backpressure_enter(&pressure) == CKI_PERMIT) {
            int inside = atomic_fetch_add(&entered, 1);
            cr_assert(inside < 3);
            atomic_fetch_sub(&entered, 1);
            cki_backpressure_leave(&pressure);
        }
    }
    return NULL;
}

Test(backpressure, no_permit_is_lost_or_doubled_among_many)
{
    pthread_t threads[8];
    open_with(3, 2, 1);
    for (int i = 0; i < 8; i++) {
        cr_assert(pthread_create(&threads[i], NULL, come_and_go, NULL) == 0);
    }
    for (int i = 0; i < 8; i++) {
        cr_assert(pthread_join(threads[i], NULL) == 0);
    }
    cr_assert(pressure.free == 3 && pressure.waiting == 0 && pressure.handed == 0);
    cki_backpressure_release(&pressure);
}

Test(backpressure, a_forked_child_has_all_permits_and_the_parents_do_not_add_to_them)
{
    open_with(2, 1, 10);
    cr_assert(cki_backpressure_enter(&pressure) == CKI_PERMIT);
    (void)pthread_mutex_lock(&pressure.lock); // as if by a thread that is gone
    cki_backpressure_forked(&pressure);
    cki_backpressure_leave(&pressure);
    cr_assert(pressure.free == 2 && stats().rejected == 0);
    cki_backpressure_release(&pressure);
}
