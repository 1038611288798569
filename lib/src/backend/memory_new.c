// SPDX-License-Identifier: MIT
// The memory backend's options and its making. The table has a bucket for each KiB of the budget:
// a hundredth of it, on top of it, and never moved.
#include "backend/memory_inside.h"

#include <string.h>

#include "base/alloc.h"
#include "base/entropy.h"
#include "base/status.h"

#define BUDGET_DEFAULT ((size_t)100 << 20)

enum { BYTES_PER_BUCKET = 1024, BUCKETS_MIN = 64 };

static cachekit_status take_options(const cachekit_memory_backend_options *given,
                                    cachekit_memory_backend_options *out, cachekit_error *error)
{
    memset(out, 0, sizeof *out);
    if (given != NULL) {
        if (given->size < sizeof(size_t) || given->size > sizeof *out) {
            return cki_fail(error, CACHEKIT_E_INVALID, 0, "options.size is not this library's");
        }
        memcpy(out, given, given->size);
    }
    out->budget_bytes = out->budget_bytes != 0 ? out->budget_bytes : BUDGET_DEFAULT;
    return CACHEKIT_OK;
}

static bool make_buckets(struct cki_lru *lru, const cachekit_allocator *allocator)
{
    size_t count = BUCKETS_MIN;
    while (count < lru->budget_bytes / BYTES_PER_BUCKET) {
        count *= 2;
    }
    lru->buckets = cki_alloc(allocator, count * sizeof lru->buckets[0]);
    if (lru->buckets == NULL) {
        return false;
    }
    memset(lru->buckets, 0, count * sizeof lru->buckets[0]);
    lru->bucket_count = count;
    return true;
}

static cachekit_status init(struct cki_memory_backend *self,
                            const cachekit_memory_backend_options *o, cachekit_error *error)
{
    memset(self, 0, sizeof *self);
    self->base.ops = &cki_mem_ops;
    self->options = *o;
    self->lru.budget_bytes = o->budget_bytes;
    cachekit_status status = cki_random(NULL, &self->seed, sizeof self->seed);
    if (status != CACHEKIT_OK) {
        return cki_fail(error, status, 0, "memory backend: no random bytes");
    }
    if (!make_buckets(&self->lru, o->allocator)) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "memory backend: out of memory");
    }
    if (pthread_mutex_init(&self->lock, NULL) != 0) {
        cki_free(o->allocator, self->lru.buckets,
                 self->lru.bucket_count * sizeof self->lru.buckets[0]);
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "memory backend: no lock");
    }
    cki_mem_mark_init(&self->mark);
    return CACHEKIT_OK;
}

cachekit_status cachekit_memory_backend_new(const cachekit_memory_backend_options *options,
                                            cachekit_backend **out, cachekit_error *error)
{
    if (out == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "out is NULL");
    }
    *out = NULL;
    cachekit_memory_backend_options o;
    cachekit_status status = take_options(options, &o, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    struct cki_memory_backend *self = cki_alloc(o.allocator, sizeof *self);
    if (self == NULL) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "memory backend: out of memory");
    }
    status = init(self, &o, error);
    if (status == CACHEKIT_OK) {
        *out = &self->base;
    } else {
        cki_free(o.allocator, self, sizeof *self);
    }
    return status;
}
