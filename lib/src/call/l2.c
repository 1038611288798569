// SPDX-License-Identifier: MIT
// Every permit and every probe that is taken goes back on every way out: questions begin and end in
// one pair of functions.
#include "call/l2.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"

enum { LOCK_POLL_MS = 100, LOG_EVERY_S = 60, REMOVES_AT_ONCE = 64 };

struct question {
    enum cki_operation operation;
    cki_breaker_ticket ticket;
    int64_t began_ns;
};

// Counted from the clock's last reading.
static int64_t deadline_of(const struct cki_backed *b, const struct question *q)
{
    int64_t ms = b->deadline_ms, end_ns;
    return __builtin_mul_overflow(ms, 1000000, &end_ns) ||
                   __builtin_add_overflow(q->began_ns, end_ns, &end_ns)
               ? INT64_MAX
               : end_ns;
}

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool is_time_to_tell(struct cki_told *told)
{
    int64_t now = now_ns();
    int64_t last = atomic_load(&told->at_ns);
    return (last == 0 || now - last > (int64_t)LOG_EVERY_S * 1000000000) &&
           atomic_compare_exchange_strong(&told->at_ns, &last, now);
}

void cki_l2_tell(struct cki_backed *b, cachekit_log_level level, const char *what,
                 cachekit_status status, uint64_t untold)
{
    const cachekit_cache_options *o = &b->function->cache->options;
    if (o->log == NULL) {
        return;
    }
    char line[200], more[48] = "";
    int before, ignored;
    if (untold > 0) {
        (void)snprintf(more, sizeof more, " (and %" PRIu64 " times more)", untold);
    }
    (void)snprintf(line, sizeof line, "cachekit: %.32s: %s: %s%s", b->backend->ops->name, what,
                   cachekit_status_text(status), more);
    // Whoever is cancelled while it writes the line would leave what it holds behind.
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    o->log(o->log_context, level, line);
    (void)pthread_setcancelstate(before, &ignored);
}

void cki_l2_log(struct cki_backed *b, cachekit_log_level level, const char *what,
                cachekit_status status)
{
    struct cki_told *told = &b->told[level == CACHEKIT_LOG_ERROR];
    if (is_time_to_tell(told)) {
        cki_l2_tell(b, level, what, status, atomic_exchange(&told->untold, 0));
    } else {
        cki_count(&told->untold);
    }
}

// Who is refused is told so once, until that has changed.
static void log_failure(struct cki_backed *b, enum cki_operation operation, cachekit_status status)
{
    bool is_delete = operation == CKI_DELETE;
    if (status != CACHEKIT_E_REMOTE_AUTH) {
        cki_l2_log(b, is_delete ? CACHEKIT_LOG_ERROR : CACHEKIT_LOG_WARNING,
                   is_delete ? "a key was not removed" : "a question failed", status);
    } else if (!atomic_exchange(&b->is_locked_out, true)) {
        cki_l2_tell(b, CACHEKIT_LOG_ERROR, "a question was refused", status, 0);
    }
}

static bool begin(struct cki_backed *b, enum cki_operation operation, struct question *q)
{
    *q = (struct question){.operation = operation};
    if (b->has_pressure) {
        enum cki_permit permit = cki_backpressure_enter(&b->pressure);
        if (permit != CKI_PERMIT) {
            if (permit == CKI_QUEUE_FULL) {
                cki_metrics_rejected(b->alarms);
            }
            goto shed;
        }
    }
    if (b->has_breaker && cki_breaker_admit(&b->breaker, &q->ticket) != CKI_ADMITTED) {
        if (b->has_pressure) {
            cki_backpressure_leave(&b->pressure);
        }
        goto shed;
    }
    q->began_ns = now_ns();
    return true;
shed:
    cki_count(&b->skipped);
    return false;
}

// How long it took.
static int64_t count(struct cki_backed *b, const struct question *q, cachekit_status status,
                     size_t size_bytes)
{
    int64_t took_ns = now_ns() - q->began_ns;
    if (status < 0) {
        cki_count(&b->failures);
        log_failure(b, q->operation, status);
    } else if (atomic_load_explicit(&b->is_locked_out, memory_order_relaxed)) {
        atomic_store(&b->is_locked_out, false);
    }
    if (b->metrics != NULL) {
        const struct cki_operation_done done = {q->operation, CKI_TIER_L2, status >= 0, took_ns,
                                                size_bytes};
        cki_metrics_count(b->metrics, &done);
    }
    return took_ns;
}

static int64_t end(struct cki_backed *b, const struct question *q, cachekit_status status,
                   size_t size_bytes)
{
    if (b->has_breaker) {
        cki_breaker_report(&b->breaker, q->ticket, cki_outcome_of(status));
    }
    if (b->has_pressure) {
        cki_backpressure_leave(&b->pressure);
    }
    return count(b, q, status, size_bytes);
}

cachekit_status cki_l2_get(struct cki_backed *b, cachekit_slice key, cachekit_buffer *value)
{
    struct question q;
    if (!begin(b, CKI_GET, &q)) {
        return CACHEKIT_MISS;
    }
    cachekit_status status = b->backend->ops->get(b->backend, key, deadline_of(b, &q), value, NULL);
    int64_t took_ns = end(b, &q, status, status == CACHEKIT_OK ? value->len : 0);
    cki_count(&b->asked);
    atomic_fetch_add_explicit(&b->asked_ns, (uint64_t)took_ns, memory_order_relaxed);
    return status == CACHEKIT_OK || status == CACHEKIT_E_WRONG_TYPE ? status : CACHEKIT_MISS;
}

bool cki_l2_set(struct cki_backed *b, cachekit_slice key, cachekit_slice value, int64_t ttl_ms)
{
    struct question q;
    if (!begin(b, CKI_SET, &q)) {
        return false;
    }
    cachekit_status status =
        b->backend->ops->set(b->backend, key, value, ttl_ms, deadline_of(b, &q), NULL);
    (void)end(b, &q, status, value.len);
    return status == CACHEKIT_OK;
}

cachekit_status cki_l2_remove(struct cki_backed *b, cachekit_slice key)
{
    const struct question q = {.operation = CKI_DELETE, .began_ns = now_ns()};
    cachekit_status status =
        b->backend->ops->remove(b->backend, key, cachekit_deadline_ns(b->deadline_ms), NULL);
    (void)count(b, &q, status, 0);
    return status;
}

// Whether the backend is away: it failed, and not for some keys only.
static bool remove_some(struct cki_backed *b, struct cki_tracked **list, cachekit_status *status)
{
    cachekit_slice keys[REMOVES_AT_ONCE];
    bool done[REMOVES_AT_ONCE] = {false};
    size_t n = 0, gone = 0;
    struct cki_tracked *rest = *list;
    for (; rest != NULL && n < REMOVES_AT_ONCE; rest = rest->next) {
        keys[n++] = (cachekit_slice){rest->key, rest->len};
    }
    const struct question q = {.operation = CKI_DELETE, .began_ns = now_ns()};
    cachekit_status answer =
        b->backend->ops->remove_many(b->backend, keys, n, deadline_of(b, &q), done, NULL);
    (void)count(b, &q, answer, 0);
    for (size_t i = 0; i < n; i++, *list = (*list)->next) {
        (*list)->is_owed = answer < 0 && !done[i];
        gone += done[i];
    }
    *status = answer < 0 ? answer : *status;
    return gone == 0 && cki_outcome_of(answer) == CKI_OUTCOME_COUNTED;
}

static bool remove_one(struct cki_backed *b, struct cki_tracked **list, cachekit_status *status)
{
    cachekit_status answer = cki_l2_remove(b, (cachekit_slice){(*list)->key, (*list)->len});
    (*list)->is_owed = answer < 0;
    *list = (*list)->next;
    *status = answer < 0 ? answer : *status;
    return cki_outcome_of(answer) == CKI_OUTCOME_COUNTED;
}

cachekit_status cki_l2_remove_list(struct cki_backed *b, struct cki_tracked *list, bool *is_away)
{
    cachekit_status status = CACHEKIT_OK;
    bool at_once = cki_backend_has(b->backend, remove_many);
    // One deadline is enough: a backend that is away answers to none of thousands of keys.
    while (list != NULL && !*is_away) {
        *is_away = at_once ? remove_some(b, &list, &status) : remove_one(b, &list, &status);
    }
    for (; list != NULL; list = list->next) {
        list->is_owed = true;
    }
    return status;
}

static void nap(int64_t most_ms)
{
    int64_t ms = most_ms < LOCK_POLL_MS ? most_ms : LOCK_POLL_MS;
    const struct timespec time = {0, (long)ms * 1000000};
    (void)nanosleep(&time, NULL);
}

bool cki_l2_lock(struct cki_backed *b, cachekit_slice key, char token[CACHEKIT_LOCK_TOKEN_ROOM])
{
    token[0] = '\0';
    if (b->has_breaker && cki_breaker_state(&b->breaker) != CKI_BREAKER_CLOSED) {
        return false;
    }
    for (int64_t end_ns = cachekit_deadline_ns(b->lock_wait_ms);;) {
        cachekit_status status = b->backend->ops->lock(
            b->backend, key, b->lock_hold_ms, cachekit_deadline_ns(b->deadline_ms), token, NULL);
        if (status == CACHEKIT_OK) {
            return true;
        }
        token[0] = '\0';
        if (status < 0) {
            cki_l2_log(b, CACHEKIT_LOG_WARNING, "no lock, computing without it", status);
            return false;
        }
        int64_t left_ms = (end_ns - now_ns()) / 1000000;
        if (left_ms <= 0) {
            return true;
        }
        nap(left_ms);
    }
}

void cki_l2_unlock(struct cki_backed *b, cachekit_slice key, const char *token)
{
    if (token[0] != '\0') {
        (void)b->backend->ops->unlock(b->backend, key, token, cachekit_deadline_ns(b->deadline_ms),
                                      NULL);
    }
}
