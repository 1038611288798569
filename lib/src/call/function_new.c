// SPDX-License-Identifier: MIT
// Making and freeing a cached function: options are checked here, once, member by member.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "call/backed.h"
#include "call/cache.h"
#include "call/fork.h"

enum { TTL_DEFAULT_MS = 300000, RETRY_DEFAULT_MS = 10000 };
#define BUDGET_DEFAULT ((size_t)100 << 20)

// Later versions append members: what an older caller does not have is zero, the default.
static cachekit_status take_options(const cachekit_function_options *given,
                                    cachekit_function_options *out, cachekit_error *error)
{
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    if (given == NULL) {
        return CACHEKIT_OK;
    }
    if (given->size < sizeof(size_t) || given->size > sizeof *out) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "options.size is not this library's");
    }
    memcpy(out, given, given->size);
    return CACHEKIT_OK;
}

static bool is_backed(const cachekit_cache *cache, const cachekit_function_options *o)
{
    return cache->options.backend != NULL && !o->is_local;
}

static cachekit_status check_local(cachekit_function_options *o, cachekit_error *error)
{
    o->budget_bytes = o->budget_bytes != 0 ? o->budget_bytes : BUDGET_DEFAULT;
    o->refresh_retry_ms = o->refresh_retry_ms != 0 ? o->refresh_retry_ms : RETRY_DEFAULT_MS;
    if (o->ttl_ms < 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "ttl_ms is negative");
    }
    if (!(o->refresh_ratio >= 0.0 && o->refresh_ratio <= 1.0)) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "refresh_ratio is not in 0 to 1");
    }
    if (o->refresh_retry_ms < 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "refresh_retry_ms is negative");
    }
    if (o->policy != CACHEKIT_LRU && o->policy != CACHEKIT_S3_FIFO) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "policy is unknown");
    }
    if (o->refresh_ratio > 0.0 && o->ttl_ms == CACHEKIT_FOREVER_MS) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "refresh_ratio needs a ttl_ms that ends");
    }
    return cki_local_check(o, error);
}

static cachekit_status check_options(const cachekit_cache *cache, cachekit_function_options *o,
                                     cachekit_error *error)
{
    o->ttl_ms = o->ttl_ms != 0 ? o->ttl_ms : TTL_DEFAULT_MS;
    return is_backed(cache, o) ? cki_backed_check(cache, o, error) : check_local(o, error);
}

static void fill(cachekit_function *f, const cachekit_function_options *o)
{
    f->ttl_ns = o->ttl_ms == CACHEKIT_FOREVER_MS ? CKI_FOREVER : cki_ms_to_ns(o->ttl_ms);
    f->due_ns = o->refresh_ratio > 0.0 ? (int64_t)((double)f->ttl_ns * o->refresh_ratio * 0.9)
                                       : CKI_FOREVER;
    f->refresh_ratio = o->refresh_ratio;
    f->retry_ns = cki_ms_to_ns(o->refresh_retry_ms);
    f->destroy = o->destroy;
    f->destroy_context = o->destroy_context;
    f->listener = (struct cki_listener){o->removed, o->removed_context};
}

static bool open_parts(cachekit_function *f, const cachekit_function_options *o)
{
    const struct cki_memory_options memory = {
        .allocator = f->cache->options.allocator,
        .clock = f->cache->options.clock,
        .budget_bytes = o->budget_bytes,
        .entries_max = o->entries_max,
        .removed = o->removed != NULL ? cki_tell : NULL,
        .context = &f->listener,
        .policy = (enum cki_policy)o->policy,
    };
    if (!cki_flights_init(&f->flights)) {
        return false;
    }
    if (cki_memory_init(&f->memory, &memory) != CACHEKIT_OK) {
        cki_flights_release(&f->flights);
        return false;
    }
    return true;
}

static void enlist(cachekit_cache *cache, cachekit_function *f)
{
    (void)pthread_mutex_lock(&cache->lock);
    f->next = atomic_load(&cache->functions);
    atomic_store(&cache->functions, f);
    (void)pthread_mutex_unlock(&cache->lock);
}

// NOLINTNEXTLINE(readability-function-size): those of the public function, checked.
static cachekit_status make(cachekit_cache *cache, const char *name, cachekit_loader loader,
                            void *context, const cachekit_function_options *o,
                            cachekit_function **out, cachekit_error *error)
{
    cachekit_function *f = cki_alloc(cache->options.allocator, sizeof *f);
    if (f == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    memset(f, 0, sizeof *f);
    f->cache = cache;
    f->seed = cache->seed;
    f->loader = loader;
    f->context = context;
    memcpy(f->name, name, strlen(name));
    fill(f, o);
    if (!open_parts(f, o)) {
        cki_free(cache->options.allocator, f, sizeof *f);
        return CACHEKIT_E_NOMEM;
    }
    cachekit_status status = is_backed(cache, o) ? cki_backed_new(f, o, error) : CACHEKIT_OK;
    status = status == CACHEKIT_OK && !cki_maintainer_ensure(cache, o->maintain_every_ms)
                 ? CACHEKIT_E_NOMEM
                 : status;
    if (status != CACHEKIT_OK) {
        (void)cki_function_free(f);
        return status;
    }
    enlist(cache, f);
    *out = f;
    return CACHEKIT_OK;
}

// NOLINTNEXTLINE(readability-function-size): the rest is in the options already.
cachekit_status cachekit_function_new(cachekit_cache *cache, const char *name,
                                      cachekit_loader loader, void *context,
                                      const cachekit_function_options *options,
                                      cachekit_function **out, cachekit_error *error)
{
    cachekit_function_options o;
    if (out == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "out is NULL");
    }
    *out = NULL;
    if (cache == NULL || name == NULL || loader == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "cache, name or loader is NULL");
    }
    size_t len = strnlen(name, CKI_NAME_MAX + 1);
    if (len == 0 || len > CKI_NAME_MAX) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "name is not 1 to %d bytes", CKI_NAME_MAX);
    }
    cki_fork_check();
    cachekit_status status = take_options(options, &o, error);
    status = status == CACHEKIT_OK ? check_options(cache, &o, error) : status;
    if (status != CACHEKIT_OK) {
        return status;
    }
    status = make(cache, name, loader, context, &o, out, error);
    return status == CACHEKIT_E_NOMEM ? cki_fail(error, status, 0, "out of memory") : status;
}

bool cki_function_free(cachekit_function *f)
{
    if (atomic_load(&f->loose) != 0 || (f->backed != NULL && cki_backed_is_busy(f->backed)) ||
        !cki_memory_release(&f->memory)) {
        return false;
    }
    cki_backed_free(f->backed);
    cki_flights_release(&f->flights);
    cki_free(f->cache->options.allocator, f, sizeof *f);
    return true;
}

void cki_function_forked(cachekit_function *f)
{
    cki_flights_forked(&f->flights);
    cki_memory_forked(&f->memory);
    if (f->backed != NULL) {
        cki_backed_forked(f->backed);
    }
    atomic_store(&f->refreshing, 0);
    atomic_store(&f->loose, 0);
    _Atomic uint64_t *const counters[] = {&f->slow_hits, &f->misses, &f->unkept, &f->refreshes,
                                          &f->refresh_failures};
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        atomic_store(counters[i], 0);
    }
}
