// SPDX-License-Identifier: MIT
// Threads of the library: no signal of the host's is delivered to them.
#ifndef CKI_THREAD_H
#define CKI_THREAD_H

#include <pthread.h>
#include <stdbool.h>

bool cki_thread_start(pthread_t *thread, void *(*run)(void *), void *context);

#endif
