// SPDX-License-Identifier: MIT
#include "call/ticker.h"

#include <time.h>

#include "base/clock.h"
#include "call/cache.h"
#include "call/thread.h"

static void tick(struct cki_ticker *ticker)
{
    __atomic_store_n(&ticker->tick_ns, cki_coarse_ns(NULL), __ATOMIC_RELEASE);
}

static void *run(void *arg)
{
    struct cki_ticker *ticker = arg;
    const struct timespec step = {0, (long)ticker->every_ms * CKI_NS_PER_MS};
    while (!atomic_load(&ticker->is_stopping)) {
        tick(ticker);
        (void)nanosleep(&step, NULL);
    }
    return NULL;
}

bool cki_ticker_start(struct cki_ticker *ticker, int64_t every_ms)
{
    ticker->every_ms = every_ms;
    ticker->clock = (cachekit_clock){NULL, &ticker->tick_ns};
    atomic_init(&ticker->is_stopping, false);
    tick(ticker);
    ticker->is_running = cki_thread_start(&ticker->thread, run, ticker);
    return ticker->is_running;
}

void cki_ticker_stop(struct cki_ticker *ticker)
{
    if (ticker->is_running) {
        atomic_store(&ticker->is_stopping, true);
        (void)pthread_join(ticker->thread, NULL);
        ticker->is_running = false;
    }
}

void cki_ticker_forked(struct cki_ticker *ticker)
{
    if (ticker->is_running) {
        ticker->clock = (cachekit_clock){cki_coarse_ns, NULL};
        ticker->is_running = false;
    }
}
