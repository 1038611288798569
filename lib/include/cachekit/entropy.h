// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_ENTROPY_H
#define CACHEKIT_ENTROPY_H

#include <stddef.h>

#include <cachekit/export.h>
#include <cachekit/status.h>

CACHEKIT_BEGIN_DECLS

/**
 * Where random bytes come from. Where a function or an option takes a source, NULL means the
 * kernel's. Nonces are made of these bytes: a source that repeats itself breaks encryption, and
 * is for tests and measurements only. The struct is borrowed and must outlive whatever was made
 * with it; `fill` may be called from every thread that calls the library.
 */
typedef struct cachekit_entropy {
    /** Fills all `len` bytes and returns CACHEKIT_OK, or returns CACHEKIT_E_ENTROPY. */
    cachekit_status (*fill)(void *context, void *out, size_t len);
    void *context;
} cachekit_entropy;

CACHEKIT_END_DECLS

#endif
