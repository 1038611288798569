// SPDX-License-Identifier: MIT
// Every permit and every probe that is taken goes back on every way out: questions begin and end in
// one pair of functions.
#include "call/l2.h"

#include <stdio.h>
#include <time.h>

#include "base/clock.h"

enum { LOCK_POLL_MS = 100, LOG_EVERY_S = 60, REMOVES_AT_ONCE = 64 };

struct question {
    enum cki_operation operation;
    cki_breaker_ticket ticket;
    int64_t began_ns;
};

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool is_time_to_log(struct cki_backed *b)
{
    int64_t now = now_ns();
    int64_t last = atomic_load(&b->logged_ns);
    return (last == 0 || now - last > (int64_t)LOG_EVERY_S * 1000000000) &&
           atomic_compare_exchange_strong(&b->logged_ns, &last, now);
}

void cki_l2_log(struct cki_backed *b, cachekit_log_level level, const char *what,
                cachekit_status status)
{
    const cachekit_cache_options *o = &b->function->cache->options;
    if (o->log == NULL || (level == CACHEKIT_LOG_WARNING && !is_time_to_log(b))) {
        return;
    }
    char line[160];
    (void)snprintf(line, sizeof line, "cachekit: %s: %s: %s", b->backend->ops->name, what,
                   cachekit_status_text(status));
    o->log(o->log_context, level, line);
}

static bool begin(struct cki_backed *b, enum cki_operation operation, struct question *q)
{
    *q = (struct question){.operation = operation};
    if (b->has_pressure) {
        enum cki_permit permit = cki_backpressure_enter(&b->pressure);
        if (permit != CKI_PERMIT) {
            if (permit == CKI_QUEUE_FULL && b->metrics != NULL) {
                cki_metrics_rejected(b->metrics);
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

static void count(struct cki_backed *b, const struct question *q, cachekit_status status,
                  size_t size_bytes)
{
    if (status < 0) {
        cki_count(&b->failures);
        cki_l2_log(b, CACHEKIT_LOG_WARNING, "a question failed", status);
    }
    if (b->metrics != NULL) {
        const struct cki_operation_done done = {q->operation, CKI_TIER_L2, status >= 0,
                                                now_ns() - q->began_ns, size_bytes};
        cki_metrics_count(b->metrics, &done);
    }
}

static void end(struct cki_backed *b, const struct question *q, cachekit_status status,
                size_t size_bytes)
{
    if (b->has_breaker) {
        cki_breaker_report(&b->breaker, q->ticket, cki_outcome_of(status));
    }
    if (b->has_pressure) {
        cki_backpressure_leave(&b->pressure);
    }
    count(b, q, status, size_bytes);
}

cachekit_status cki_l2_get(struct cki_backed *b, cachekit_slice key, cachekit_buffer *value)
{
    struct question q;
    if (!begin(b, CKI_GET, &q)) {
        return CACHEKIT_MISS;
    }
    cachekit_status status =
        b->backend->ops->get(b->backend, key, cachekit_deadline_ns(b->deadline_ms), value, NULL);
    end(b, &q, status, status == CACHEKIT_OK ? value->len : 0);
    return status == CACHEKIT_OK || status == CACHEKIT_E_WRONG_TYPE ? status : CACHEKIT_MISS;
}

bool cki_l2_set(struct cki_backed *b, cachekit_slice key, cachekit_slice value, int64_t ttl_ms)
{
    struct question q;
    if (!begin(b, CKI_SET, &q)) {
        return false;
    }
    cachekit_status status = b->backend->ops->set(b->backend, key, value, ttl_ms,
                                                  cachekit_deadline_ns(b->deadline_ms), NULL);
    end(b, &q, status, value.len);
    return status == CACHEKIT_OK;
}

cachekit_status cki_l2_remove(struct cki_backed *b, cachekit_slice key)
{
    const struct question q = {.operation = CKI_DELETE, .began_ns = now_ns()};
    cachekit_status status =
        b->backend->ops->remove(b->backend, key, cachekit_deadline_ns(b->deadline_ms), NULL);
    count(b, &q, status, 0);
    return status;
}

static struct cki_tracked *remove_some(struct cki_backed *b, struct cki_tracked *list,
                                       cachekit_status *status)
{
    cachekit_slice keys[REMOVES_AT_ONCE];
    bool done[REMOVES_AT_ONCE] = {false};
    size_t n = 0;
    struct cki_tracked *rest = list;
    for (; rest != NULL && n < REMOVES_AT_ONCE; rest = rest->next) {
        keys[n++] = (cachekit_slice){rest->key, rest->len};
    }
    const struct question q = {.operation = CKI_DELETE, .began_ns = now_ns()};
    cachekit_status answer = b->backend->ops->remove_many(
        b->backend, keys, n, cachekit_deadline_ns(b->deadline_ms), done, NULL);
    count(b, &q, answer, 0);
    for (size_t i = 0; i < n; i++, list = list->next) {
        list->is_owed = answer < 0 && !done[i];
    }
    *status = answer < 0 ? answer : *status;
    return rest;
}

cachekit_status cki_l2_remove_list(struct cki_backed *b, struct cki_tracked *list)
{
    cachekit_status status = CACHEKIT_OK;
    bool at_once = cki_backend_has(b->backend, remove_many);
    while (at_once && list != NULL) {
        list = remove_some(b, list, &status);
    }
    for (; list != NULL; list = list->next) {
        cachekit_status answer = cki_l2_remove(b, (cachekit_slice){list->key, list->len});
        list->is_owed = answer < 0;
        status = answer < 0 ? answer : status;
    }
    return status;
}

void cki_l2_lock(struct cki_backed *b, cachekit_slice key, char token[CACHEKIT_LOCK_TOKEN_ROOM])
{
    int64_t end_ns = cachekit_deadline_ns(b->lock_wait_ms);
    for (;;) {
        token[0] = '\0';
        cachekit_status status = b->backend->ops->lock(
            b->backend, key, b->lock_hold_ms, cachekit_deadline_ns(b->deadline_ms), token, NULL);
        if (status == CACHEKIT_OK) {
            return;
        }
        token[0] = '\0';
        if (status < 0) {
            cki_l2_log(b, CACHEKIT_LOG_WARNING, "no lock, computing without it", status);
            return;
        }
        int64_t left_ms = (end_ns - now_ns()) / 1000000;
        if (left_ms <= 0) {
            return;
        }
        int64_t nap_ms = left_ms < LOCK_POLL_MS ? left_ms : LOCK_POLL_MS;
        const struct timespec nap = {0, (long)nap_ms * 1000000};
        (void)nanosleep(&nap, NULL);
    }
}

void cki_l2_unlock(struct cki_backed *b, cachekit_slice key, const char *token)
{
    if (token[0] != '\0') {
        (void)b->backend->ops->unlock(b->backend, key, token, cachekit_deadline_ns(b->deadline_ms),
                                      NULL);
    }
}
