// SPDX-License-Identifier: MIT
// The cycle's number and the state are one word, so that whoever holds a ticket sees by one load
// whether anything has changed since. Whatever changes it does so under the lock.
#include "call/breaker.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/yield.h"

enum { STATE_BITS = 2, NUMBER_MAX = 65536 };
#define NS_PER_MS 1000000
#define MS_MAX    (INT64_MAX / NS_PER_MS)

static uint32_t number_or(uint32_t number, uint32_t standard)
{
    return number != 0 ? number : standard;
}

static int64_t ms_or(int64_t ms, int64_t standard)
{
    return ms == 0 ? standard : ms > MS_MAX ? MS_MAX : ms;
}

static bool is_valid(const struct cki_breaker_options *o)
{
    // More successes than probes would keep it from ever closing.
    return o->failures <= NUMBER_MAX && o->probes <= NUMBER_MAX && o->successes <= o->probes &&
           o->window_ms > 0 && o->recovery_ms > 0;
}

static void gauge_add(const struct cki_breaker *breaker, enum cki_breaker_state state, int more)
{
    if (breaker->options.gauge != NULL) {
        atomic_fetch_add_explicit(&breaker->options.gauge[state], more, memory_order_relaxed);
    }
}

cachekit_status cki_breaker_init(struct cki_breaker *breaker,
                                 const struct cki_breaker_options *options)
{
    struct cki_breaker_options o = *options;
    o.failures = number_or(o.failures, 5);
    o.successes = number_or(o.successes, 3);
    o.probes = number_or(o.probes, 3);
    o.window_ms = ms_or(o.window_ms, 60000);
    o.recovery_ms = ms_or(o.recovery_ms, 30000);
    *breaker = (struct cki_breaker){.options = o};
    if (!is_valid(&o)) {
        return CACHEKIT_E_INVALID;
    }
    breaker->failed_ns = cki_alloc(o.allocator, o.failures * sizeof *breaker->failed_ns);
    if (breaker->failed_ns == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    if (pthread_mutex_init(&breaker->lock, NULL) != 0) {
        cki_free(o.allocator, breaker->failed_ns, o.failures * sizeof *breaker->failed_ns);
        return CACHEKIT_E_NOMEM;
    }
    gauge_add(breaker, CKI_BREAKER_CLOSED, 1);
    return CACHEKIT_OK;
}

void cki_breaker_release(struct cki_breaker *breaker)
{
    const struct cki_breaker_options *o = &breaker->options;
    gauge_add(breaker, cki_breaker_state(breaker), -1);
    (void)pthread_mutex_destroy(&breaker->lock);
    cki_free(o->allocator, breaker->failed_ns, o->failures * sizeof *breaker->failed_ns);
}

static void turn_locked(struct cki_breaker *breaker, enum cki_breaker_state state, int64_t now_ns)
{
    uint64_t cycle = atomic_load(&breaker->cycle);
    gauge_add(breaker, cki_breaker_state(breaker), -1);
    gauge_add(breaker, state, 1);
    breaker->since_ns = now_ns;
    breaker->remembered = breaker->probing = breaker->succeeded = 0;
    breaker->opened += state == CKI_BREAKER_OPEN;
    atomic_store(&breaker->cycle, ((cycle >> STATE_BITS) + 1) << STATE_BITS | state);
}

void cki_breaker_forked(struct cki_breaker *breaker)
{
    (void)pthread_mutex_init(&breaker->lock, NULL);
    uint64_t cycle = atomic_load(&breaker->cycle);
    breaker->remembered = breaker->probing = breaker->succeeded = breaker->next = 0;
    breaker->opened = breaker->shed = breaker->failures = 0;
    atomic_store(&breaker->cycle, ((cycle >> STATE_BITS) + 1) << STATE_BITS | CKI_BREAKER_CLOSED);
    gauge_add(breaker, CKI_BREAKER_CLOSED, 1); // the gauge begins at 0 in the child
}

enum cki_outcome cki_outcome_of(cachekit_status status)
{
    switch (status) {
    case CACHEKIT_OK:
    case CACHEKIT_MISS:
        return CKI_OUTCOME_OK;
    case CACHEKIT_E_TIMEOUT:
    case CACHEKIT_E_TRANSIENT:
    case CACHEKIT_E_UNKNOWN:
        return CKI_OUTCOME_COUNTED;
    default:
        return CKI_OUTCOME_NEUTRAL;
    }
}

static bool is_over(const struct cki_breaker *breaker, int64_t now_ns)
{
    return now_ns - breaker->since_ns > breaker->options.recovery_ms * NS_PER_MS;
}

static enum cki_admit admit_locked(struct cki_breaker *breaker, int64_t now_ns)
{
    enum cki_breaker_state state = cki_breaker_state(breaker);
    if (state == CKI_BREAKER_CLOSED) {
        return CKI_ADMITTED;
    }
    bool is_spent = state == CKI_BREAKER_OPEN || breaker->probing >= breaker->options.probes;
    if (is_spent && is_over(breaker, now_ns)) {
        turn_locked(breaker, CKI_BREAKER_HALF_OPEN, now_ns);
        is_spent = false;
    }
    if (is_spent) {
        breaker->shed++;
        return CKI_SHED;
    }
    breaker->probing++;
    return CKI_ADMITTED;
}

enum cki_admit cki_breaker_admit(struct cki_breaker *breaker, cki_breaker_ticket *ticket)
{
    *ticket = atomic_load_explicit(&breaker->cycle, memory_order_acquire);
    if ((*ticket & 3) == CKI_BREAKER_CLOSED) {
        return CKI_ADMITTED;
    }
    int64_t now_ns = cki_now_ns(breaker->options.clock);
    CKI_YIELD();
    (void)pthread_mutex_lock(&breaker->lock);
    enum cki_admit admit = admit_locked(breaker, now_ns);
    *ticket = atomic_load(&breaker->cycle);
    (void)pthread_mutex_unlock(&breaker->lock);
    return admit;
}

// The failures of the ring are as many as open it; are they all of one window?
static void fail_locked(struct cki_breaker *breaker, int64_t now_ns)
{
    const struct cki_breaker_options *o = &breaker->options;
    breaker->failed_ns[breaker->next] = now_ns;
    breaker->next = (breaker->next + 1) % o->failures;
    if (breaker->remembered < o->failures) {
        breaker->remembered++;
    }
    int64_t oldest_ns = breaker->failed_ns[breaker->next];
    if (breaker->remembered == o->failures && now_ns - oldest_ns < o->window_ms * NS_PER_MS) {
        turn_locked(breaker, CKI_BREAKER_OPEN, now_ns);
    }
}

static void probed_locked(struct cki_breaker *breaker, enum cki_outcome outcome, int64_t now_ns)
{
    if (outcome == CKI_OUTCOME_NEUTRAL) {
        breaker->probing--;
    } else if (outcome == CKI_OUTCOME_COUNTED) {
        turn_locked(breaker, CKI_BREAKER_OPEN, now_ns);
    } else if (++breaker->succeeded >= breaker->options.successes) {
        turn_locked(breaker, CKI_BREAKER_CLOSED, now_ns);
    }
}

void cki_breaker_report(struct cki_breaker *breaker, cki_breaker_ticket ticket,
                        enum cki_outcome outcome)
{
    bool is_closed = (ticket & 3) == CKI_BREAKER_CLOSED;
    if (is_closed && outcome != CKI_OUTCOME_COUNTED) {
        return;
    }
    int64_t now_ns = cki_now_ns(breaker->options.clock);
    CKI_YIELD();
    (void)pthread_mutex_lock(&breaker->lock);
    breaker->failures += outcome == CKI_OUTCOME_COUNTED;
    if (atomic_load(&breaker->cycle) == ticket) {
        if (is_closed) {
            fail_locked(breaker, now_ns);
        } else {
            probed_locked(breaker, outcome, now_ns);
        }
    }
    (void)pthread_mutex_unlock(&breaker->lock);
}

void cki_breaker_reset(struct cki_breaker *breaker)
{
    (void)pthread_mutex_lock(&breaker->lock);
    turn_locked(breaker, CKI_BREAKER_CLOSED, cki_now_ns(breaker->options.clock));
    (void)pthread_mutex_unlock(&breaker->lock);
}
