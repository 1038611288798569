// SPDX-License-Identifier: MIT
// Runs a function on a thread whose whole stack is 64 KiB: the smallest that users have.
#ifndef TESTS_SMALL_STACK_H
#define TESTS_SMALL_STACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { SMALL_STACK_BYTES = 64 * 1024 };

// False when the thread could not be made.
static inline bool small_stack_run(void *(*function)(void *), void *context)
{
    pthread_attr_t attr;
    pthread_t thread;
    if (pthread_attr_init(&attr) != 0) {
        return false;
    }
    bool ran = pthread_attr_setstacksize(&attr, SMALL_STACK_BYTES) == 0 &&
               pthread_create(&thread, &attr, function, context) == 0 &&
               pthread_join(thread, NULL) == 0;
    pthread_attr_destroy(&attr);
    return ran;
}

#endif
