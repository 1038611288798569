// SPDX-License-Identifier: MIT
// The loader alone may be cancelled; everything around it runs to its end.
#include "call/load.h"

#include <pthread.h>

#include "call/cache.h"

cachekit_status cki_load(const struct cki_load *load, cachekit_result *result,
                         cachekit_error *failure)
{
    const cachekit_function *f = load->function;
    cachekit_status status = CACHEKIT_E_INVALID;
    int ignored;
    pthread_cleanup_push(load->abandon, load->context);
    (void)pthread_setcancelstate(load->cancel_state, &ignored);
    status = f->loader(f->context, load->args, load->count, result, failure);
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &ignored);
    pthread_cleanup_pop(0);
    if (status != CACHEKIT_OK && failure->status == CACHEKIT_OK) {
        failure->status = status;
    }
    return status;
}
