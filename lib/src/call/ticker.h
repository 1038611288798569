// SPDX-License-Identifier: MIT
// A tick of the cache's own: a thread writes the time so often, and whoever asks reads one word.
#ifndef CKI_TICKER_H
#define CKI_TICKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <cachekit/clock.h>

enum { CKI_TICK_MAX_MS = 100 }; // so that stopping waits no longer

struct cki_ticker {
    int64_t tick_ns; // atomic
    int64_t every_ms;
    cachekit_clock clock; // that tick
    pthread_t thread;
    atomic_bool is_stopping;
    bool is_running;
};

// False: no thread. The clock is right from here on; it stands still while the thread does.
bool cki_ticker_start(struct cki_ticker *ticker, int64_t every_ms);
void cki_ticker_stop(struct cki_ticker *ticker);
// In a child, where the thread is not: the clock becomes the system's, for memories that are reset
// after this.
void cki_ticker_forked(struct cki_ticker *ticker);

#endif
