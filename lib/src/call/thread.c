// SPDX-License-Identifier: MIT
#include "call/thread.h"

#include <signal.h>

bool cki_thread_start(pthread_t *thread, void *(*run)(void *), void *context)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return false;
    }
    bool started = pthread_create(thread, NULL, run, context) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}
