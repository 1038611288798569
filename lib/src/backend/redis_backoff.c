// SPDX-License-Identifier: MIT
// After a failed dial there is a pause that doubles, times 0.5 to 1.5 so that many processes do not
// come back together. When it is over one caller probes; until it succeeds the others are refused.
#include "backend/redis_backoff.h"

#include "backend/instant.h"

// A dial that had less time than this says more about its caller than about the server.
#define FAIR_NS INT64_C(20000000)

cachekit_status cki_backoff_ask(struct cki_node *node, int64_t now_ns)
{
    if (node->pause_ms == 0) {
        return CACHEKIT_OK;
    }
    if (node->is_probing || now_ns < node->retry_at_ns) {
        return node->failure;
    }
    node->is_probing = true;
    return CACHEKIT_OK;
}

void cki_backoff_proved(struct cki_node *node)
{
    node->pause_ms = 0;
    node->is_probing = false;
}

void cki_backoff_failed(const struct cki_redis *self, struct cki_node *node, cachekit_status status,
                        int64_t begun_ns, uint8_t jitter)
{
    node->is_probing = false;
    if (node->pause_ms != 0 && begun_ns <= node->failed_ns) {
        return;
    }
    int64_t longer = node->pause_ms == 0 ? self->backoff_first_ms : node->pause_ms;
    if (node->pause_ms != 0 && __builtin_mul_overflow(longer, 2, &longer)) {
        longer = self->backoff_max_ms;
    }
    node->pause_ms = longer < self->backoff_max_ms ? longer : self->backoff_max_ms;
    node->failure = status == CACHEKIT_E_REMOTE_AUTH || status == CACHEKIT_E_CONFIG
                        ? status
                        : CACHEKIT_E_TRANSIENT;
    node->failed_ns = cki_instant_ns();
    // 1 ms is 1,000,000 ns, and jitter / 256 + 0.5 of that lies on a grid of 3,906 ns.
    node->retry_at_ns = node->failed_ns + node->pause_ms * (500000 + INT64_C(3906) * jitter);
}

bool cki_backoff_counts(cachekit_status status, int64_t begun_ns, int64_t deadline_ns)
{
    if (status == CACHEKIT_E_TIMEOUT) {
        return deadline_ns - begun_ns >= FAIR_NS;
    }
    return status == CACHEKIT_E_TRANSIENT || status == CACHEKIT_E_REMOTE_AUTH ||
           status == CACHEKIT_E_CONFIG || status == CACHEKIT_E_UNKNOWN;
}
