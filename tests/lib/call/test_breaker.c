// SPDX-License-Identifier: MIT
// The circuit breaker under a clock that stands still until told: every rule at its edge.
#include <criterion/criterion.h>

#include <pthread.h>

#include "call/breaker.h"
#include "fault_allocator.h"

#define MS INT64_C(1000000)

static struct {
    struct cki_breaker breaker;
    cachekit_clock clock;
    int64_t now_ns;
    _Atomic int64_t gauge[CKI_BREAKER_STATES];
} all;

static int64_t now(void *context)
{
    (void)context;
    return all.now_ns;
}

static void start(void)
{
    all.clock = (cachekit_clock){now, NULL};
    const struct cki_breaker_options options = {.clock = &all.clock, .gauge = all.gauge};
    cr_assert(cki_breaker_init(&all.breaker, &options) == CACHEKIT_OK);
}

static void stop(void)
{
    cki_breaker_release(&all.breaker);
    for (int i = 0; i < CKI_BREAKER_STATES; i++) {
        cr_assert(atomic_load(&all.gauge[i]) == 0);
    }
}

TestSuite(breaker, .init = start, .fini = stop);

static enum cki_breaker_state state(void)
{
    enum cki_breaker_state s = cki_breaker_state(&all.breaker);
    for (int i = 0; i < CKI_BREAKER_STATES; i++) {
        cr_assert(atomic_load(&all.gauge[i]) == (i == (int)s), "the gauge follows");
    }
    return s;
}

static cki_breaker_ticket admitted(void)
{
    cki_breaker_ticket ticket;
    cr_assert(cki_breaker_admit(&all.breaker, &ticket) == CKI_ADMITTED);
    return ticket;
}

static bool is_shed(void)
{
    cki_breaker_ticket ticket;
    return cki_breaker_admit(&all.breaker, &ticket) == CKI_SHED;
}

static void ask(enum cki_outcome outcome)
{
    cki_breaker_report(&all.breaker, admitted(), outcome);
}

static void trip(void)
{
    for (int i = 0; i < 5; i++) {
        ask(CKI_OUTCOME_COUNTED);
    }
    cr_assert(state() == CKI_BREAKER_OPEN);
}

Test(breaker, five_counted_failures_open_it_and_successes_change_nothing)
{
    for (int i = 0; i < 4; i++) {
        ask(CKI_OUTCOME_COUNTED);
        ask(CKI_OUTCOME_OK);
        ask(CKI_OUTCOME_NEUTRAL);
        cr_assert(state() == CKI_BREAKER_CLOSED);
    }
    for (int i = 0; i < 100; i++) {
        ask(CKI_OUTCOME_NEUTRAL);
    }
    cr_assert(state() == CKI_BREAKER_CLOSED);
    ask(CKI_OUTCOME_COUNTED);
    cr_assert(state() == CKI_BREAKER_OPEN && is_shed());
}

Test(breaker, failures_leave_the_window_after_sixty_seconds)
{
    ask(CKI_OUTCOME_COUNTED);
    all.now_ns += 60000 * MS;
    for (int i = 0; i < 4; i++) {
        ask(CKI_OUTCOME_COUNTED);
    }
    cr_assert(state() == CKI_BREAKER_CLOSED, "the first is as old as the window");
    all.now_ns += 60000 * MS - 1;
    ask(CKI_OUTCOME_COUNTED);
    cr_assert(state() == CKI_BREAKER_OPEN, "those four are not");
}

Test(breaker, weeks_of_rare_failures_do_not_open_it)
{
    for (int i = 0; i < 1000; i++) {
        ask(CKI_OUTCOME_COUNTED);
        all.now_ns += 15001 * MS;
        cr_assert(state() == CKI_BREAKER_CLOSED);
    }
}

Test(breaker, open_sheds_for_thirty_seconds_whatever_is_reported_late)
{
    cki_breaker_ticket late = admitted();
    trip();
    all.now_ns += 20000 * MS;
    cki_breaker_report(&all.breaker, late, CKI_OUTCOME_COUNTED);
    all.now_ns += 10000 * MS;
    cr_assert(is_shed(), "not more than thirty");
    all.now_ns += 1;
    (void)admitted();
    cr_assert(state() == CKI_BREAKER_HALF_OPEN, "the late failure did not move the clock");
}

static void half_open(void)
{
    trip();
    all.now_ns += 30001 * MS;
}

Test(breaker, three_probes_in_all_and_three_successes_close_it)
{
    half_open();
    for (int i = 0; i < 3; i++) {
        cr_assert(i == 0 || state() == CKI_BREAKER_HALF_OPEN);
        ask(CKI_OUTCOME_OK);
    }
    cr_assert(state() == CKI_BREAKER_CLOSED);
    for (int i = 0; i < 4; i++) {
        ask(CKI_OUTCOME_COUNTED);
    }
    cr_assert(state() == CKI_BREAKER_CLOSED, "it begins with nothing remembered");
}

Test(breaker, a_fourth_probe_of_a_cycle_is_shed_though_others_have_reported)
{
    half_open();
    ask(CKI_OUTCOME_OK);
    ask(CKI_OUTCOME_OK);
    cki_breaker_ticket third = admitted();
    cr_assert(is_shed() && is_shed());
    cki_breaker_report(&all.breaker, third, CKI_OUTCOME_OK);
    cr_assert(state() == CKI_BREAKER_CLOSED);
}

Test(breaker, one_failed_probe_opens_it_for_as_long_again)
{
    half_open();
    cki_breaker_ticket good = admitted(), bad = admitted();
    cki_breaker_report(&all.breaker, bad, CKI_OUTCOME_COUNTED);
    cr_assert(state() == CKI_BREAKER_OPEN);
    cki_breaker_report(&all.breaker, good, CKI_OUTCOME_OK);
    all.now_ns += 30000 * MS;
    cr_assert(is_shed());
    all.now_ns += 1;
    for (int i = 0; i < 2; i++) {
        ask(CKI_OUTCOME_OK);
    }
    cr_assert(state() == CKI_BREAKER_HALF_OPEN, "the late success counted for nothing");
}

Test(breaker, a_neutral_outcome_gives_the_probe_back)
{
    half_open();
    for (int i = 0; i < 50; i++) {
        ask(CKI_OUTCOME_NEUTRAL);
    }
    cki_breaker_ticket tickets[3] = {admitted(), admitted(), admitted()};
    cr_assert(is_shed());
    cki_breaker_report(&all.breaker, tickets[1], CKI_OUTCOME_NEUTRAL);
    tickets[1] = admitted();
    cr_assert(is_shed());
    for (int i = 0; i < 3; i++) {
        cki_breaker_report(&all.breaker, tickets[i], CKI_OUTCOME_OK);
    }
    cr_assert(state() == CKI_BREAKER_CLOSED);
}

Test(breaker, probes_that_never_report_cannot_wedge_it)
{
    half_open();
    ask(CKI_OUTCOME_OK);
    ask(CKI_OUTCOME_OK);
    cki_breaker_ticket lost = admitted();
    all.now_ns += 30000 * MS;
    cr_assert(is_shed());
    all.now_ns += 1;
    ask(CKI_OUTCOME_OK);
    cki_breaker_report(&all.breaker, lost, CKI_OUTCOME_COUNTED);
    cr_assert(state() == CKI_BREAKER_HALF_OPEN, "a report of the cycle before");
    ask(CKI_OUTCOME_OK);
    cr_assert(state() == CKI_BREAKER_HALF_OPEN, "its two successes are forgotten");
    ask(CKI_OUTCOME_OK);
    cr_assert(state() == CKI_BREAKER_CLOSED);
}

Test(breaker, a_failure_of_an_earlier_closed_cycle_counts_for_nothing)
{
    cki_breaker_ticket old[5];
    for (int i = 0; i < 5; i++) {
        old[i] = admitted();
    }
    half_open();
    for (int i = 0; i < 3; i++) {
        ask(CKI_OUTCOME_OK);
    }
    for (int i = 0; i < 5; i++) {
        cki_breaker_report(&all.breaker, old[i], CKI_OUTCOME_COUNTED);
    }
    cr_assert(state() == CKI_BREAKER_CLOSED);
}

Test(breaker, a_reset_closes_it)
{
    trip();
    cki_breaker_reset(&all.breaker);
    cr_assert(state() == CKI_BREAKER_CLOSED);
    for (int i = 0; i < 4; i++) {
        ask(CKI_OUTCOME_COUNTED);
    }
    cki_breaker_reset(&all.breaker);
    ask(CKI_OUTCOME_COUNTED);
    cr_assert(state() == CKI_BREAKER_CLOSED, "failures before it are forgotten");
}

Test(breaker, a_forked_child_begins_closed)
{
    cki_breaker_ticket parents = admitted();
    trip();
    for (int i = 0; i < CKI_BREAKER_STATES; i++) {
        atomic_store(&all.gauge[i], 0); // as cki_metrics_forked() does
    }
    (void)pthread_mutex_lock(&all.breaker.lock); // as if by a thread that is gone
    cki_breaker_forked(&all.breaker);
    cr_assert(state() == CKI_BREAKER_CLOSED);
    for (int i = 0; i < 5; i++) {
        cki_breaker_report(&all.breaker, parents, CKI_OUTCOME_COUNTED);
    }
    cr_assert(state() == CKI_BREAKER_CLOSED);
}

static atomic_int probes;

static void *probe(void *context)
{
    cki_breaker_ticket ticket;
    (void)context;
    for (int i = 0; i < 1000; i++) {
        if (cki_breaker_admit(&all.breaker, &ticket) == CKI_ADMITTED) {
            atomic_fetch_add(&probes, 1); // and it hangs
        }
    }
    return NULL;
}

Test(breaker, thirty_two_threads_are_let_through_three_times)
{
    pthread_t threads[32];
    half_open();
    for (int i = 0; i < 32; i++) {
        cr_assert(pthread_create(&threads[i], NULL, probe, NULL) == 0);
    }
    for (int i = 0; i < 32; i++) {
        cr_assert(pthread_join(threads[i], NULL) == 0);
    }
    cr_assert(atomic_load(&probes) == 3);
}

Test(breaker_options, numbers_act_or_are_refused)
{
    static const struct {
        struct cki_breaker_options options;
        cachekit_status status;
    } rows[] = {
        {{.failures = 1}, CACHEKIT_OK},
        {{.failures = 65536}, CACHEKIT_OK},
        {{.failures = 65537}, CACHEKIT_E_INVALID},
        {{.probes = 65537}, CACHEKIT_E_INVALID},
        {{.successes = 4}, CACHEKIT_E_INVALID}, // of three probes
        {{.successes = 4, .probes = 4}, CACHEKIT_OK},
        {{.probes = 1}, CACHEKIT_E_INVALID},
        {{.window_ms = -1}, CACHEKIT_E_INVALID},
        {{.recovery_ms = -1}, CACHEKIT_E_INVALID},
        {{.window_ms = INT64_MAX, .recovery_ms = INT64_MAX}, CACHEKIT_OK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cki_breaker breaker;
        cr_assert(cki_breaker_init(&breaker, &rows[i].options) == rows[i].status, "row %zu", i);
        if (rows[i].status == CACHEKIT_OK) {
            cki_breaker_ticket ticket;
            for (uint32_t f = 0; f < breaker.options.failures; f++) {
                cr_assert(cki_breaker_admit(&breaker, &ticket) == CKI_ADMITTED);
                cki_breaker_report(&breaker, ticket, CKI_OUTCOME_COUNTED);
            }
            cr_assert(cki_breaker_admit(&breaker, &ticket) == CKI_SHED, "row %zu", i);
            cki_breaker_release(&breaker);
        }
    }
    struct fault_allocator faults;
    struct cki_breaker breaker;
    fault_allocator_init(&faults);
    faults.fail_at = 0;
    const struct cki_breaker_options options = {.allocator = &faults.hooks};
    cr_assert(cki_breaker_init(&breaker, &options) == CACHEKIT_E_NOMEM);
}

Test(breaker_options, statuses_of_a_backend_count_as_its_header_says)
{
    static const struct {
        cachekit_status status;
        enum cki_outcome outcome;
    } rows[] = {
        {CACHEKIT_OK, CKI_OUTCOME_OK},
        {CACHEKIT_MISS, CKI_OUTCOME_OK},
        {CACHEKIT_E_TIMEOUT, CKI_OUTCOME_COUNTED},
        {CACHEKIT_E_TRANSIENT, CKI_OUTCOME_COUNTED},
        {CACHEKIT_E_UNKNOWN, CKI_OUTCOME_COUNTED},
        {CACHEKIT_E_REMOTE_AUTH, CKI_OUTCOME_NEUTRAL},
        {CACHEKIT_E_FULL, CKI_OUTCOME_NEUTRAL},
        {CACHEKIT_E_WRONG_TYPE, CKI_OUTCOME_NEUTRAL},
        {CACHEKIT_E_CONFIG, CKI_OUTCOME_NEUTRAL},
        {CACHEKIT_E_TOO_LARGE, CKI_OUTCOME_NEUTRAL},
        {CACHEKIT_E_INVALID, CKI_OUTCOME_NEUTRAL},
        {CACHEKIT_E_NOMEM, CKI_OUTCOME_NEUTRAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(cki_outcome_of(rows[i].status) == rows[i].outcome, "row %zu", i);
    }
}
