// SPDX-License-Identifier: MIT
// The cache that functions belong to, and the plain store beside them.
#include "call/cache.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/entropy.h"
#include "base/status.h"
#include "base/wiping.h"
#include "call/args.h"
#include "call/backed.h"
#include "call/fork.h"

#define BUDGET_DEFAULT ((size_t)100 << 20)

// What a cache asks of each backend; it looks for the rest before it uses it.
static bool is_complete(const cachekit_backend_ops *ops)
{
    return ops != NULL && ops->size >= offsetof(cachekit_backend_ops, ttl) && ops->name != NULL &&
           ops->get != NULL && ops->set != NULL && ops->remove != NULL;
}

static cachekit_status take_options(const cachekit_cache_options *given,
                                    cachekit_cache_options *out, cachekit_error *error)
{
    *out = (cachekit_cache_options)CACHEKIT_CACHE_OPTIONS_INIT;
    if (given != NULL) {
        if (given->size < sizeof(size_t) || given->size > sizeof *out) {
            return cki_fail(error, CACHEKIT_E_INVALID, 0, "options.size is not this library's");
        }
        memcpy(out, given, given->size);
    }
    out->budget_bytes = out->budget_bytes != 0 ? out->budget_bytes : BUDGET_DEFAULT;
    if (out->maintain_every_ms < 0) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "maintain_every_ms is negative");
    }
    if (out->tick_every_ms < 0 || out->tick_every_ms > CKI_TICK_MAX_MS) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "tick_every_ms is not 0 to %d",
                        CKI_TICK_MAX_MS);
    }
    if (out->tick_every_ms != 0 && out->clock != NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "tick_every_ms and clock exclude each other");
    }
    if (out->policy != CACHEKIT_LRU && out->policy != CACHEKIT_S3_FIFO) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "policy is unknown");
    }
    if (out->name_space != NULL &&
        strnlen(out->name_space, CKI_NAMESPACE_MAX + 1) > CKI_NAMESPACE_MAX) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "name_space is over %d bytes",
                        CKI_NAMESPACE_MAX);
    }
    if (out->backend != NULL && !is_complete(out->backend->ops)) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "backend offers no get, set or remove");
    }
    if (out->keyring != NULL && out->backend == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "keyring needs a backend");
    }
    if (out->backend == NULL &&
        (out->bytes_budget_bytes != 0 || out->bytes_entries_max != 0 || out->bytes_clock != NULL)) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0,
                        "bytes_budget_bytes, bytes_entries_max and bytes_clock need a backend");
    }
    return CACHEKIT_OK;
}

static cachekit_status open_store(cachekit_cache *cache)
{
    const cachekit_cache_options *o = &cache->options;
    const struct cki_memory_options memory = {
        .allocator = o->allocator,
        .clock = o->clock,
        .budget_bytes = o->budget_bytes,
        .entries_max = o->entries_max,
        .removed = o->removed != NULL ? cki_tell : NULL,
        .context = &cache->listener,
        .policy = (enum cki_policy)o->policy,
    };
    cache->listener = (struct cki_listener){o->removed, o->removed_context};
    return cki_memory_init(&cache->store, &memory);
}

// Each step that succeeded is undone by the label of the one that did not.
static cachekit_status open_parts(cachekit_cache *cache)
{
    cachekit_status status = cki_random(cache->options.entropy, &cache->seed, sizeof cache->seed);
    if (status != CACHEKIT_OK) {
        return status;
    }
    cache->seed.b ^= 0x9e3779b97f4a7c15U; // factors, so of use even where the entropy is none
    cache->seed.c ^= 0xc2b2ae3d27d4eb4fU;
    if (pthread_mutex_init(&cache->lock, NULL) != 0) {
        return CACHEKIT_E_NOMEM;
    }
    if (!cki_refresh_init(&cache->refresh, cache->options.allocator)) {
        goto no_refresh;
    }
    if (cache->options.tick_every_ms != 0) {
        if (!cki_ticker_start(&cache->ticker, cache->options.tick_every_ms)) {
            goto no_ticker;
        }
        cache->options.clock = &cache->ticker.clock;
    }
    if (open_store(cache) != CACHEKIT_OK) {
        goto no_store;
    }
    if (cache->options.backend != NULL && cki_backing_new(cache) != CACHEKIT_OK) {
        goto no_backing;
    }
    if (!cki_fork_enlist(cache)) {
        goto not_enlisted;
    }
    if (!cki_maintainer_start(&cache->maintainer, cache, cache->options.maintain_every_ms)) {
        goto no_maintainer;
    }
    return CACHEKIT_OK;
no_maintainer:
    cki_fork_delist(cache);
not_enlisted:
    (void)cki_backing_free(cache);
no_backing:
    (void)cki_memory_release(&cache->store);
no_store:
    cki_ticker_stop(&cache->ticker);
no_ticker:
    cki_refresh_stop(&cache->refresh);
no_refresh:
    (void)pthread_mutex_destroy(&cache->lock);
    return CACHEKIT_E_NOMEM;
}

cachekit_status cachekit_cache_new(const cachekit_cache_options *options, cachekit_cache **out,
                                   cachekit_error *error)
{
    cachekit_cache_options o;
    if (out == NULL) {
        return cki_fail(error, CACHEKIT_E_INVALID, 0, "out is NULL");
    }
    *out = NULL;
    cki_fork_check();
    cachekit_status status = take_options(options, &o, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    cachekit_cache *cache = cki_alloc(o.allocator, sizeof *cache);
    if (cache == NULL) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "out of memory");
    }
    memset(cache, 0, sizeof *cache);
    cache->options = o;
    status = open_parts(cache);
    if (status != CACHEKIT_OK) {
        cki_free(o.allocator, cache, sizeof *cache);
        return cki_fail(error, status, 0, "%s", cachekit_status_text(status));
    }
    *out = cache;
    return CACHEKIT_OK;
}

// Also when handles keep some of it from being freed.
static void empty_all(cachekit_cache *cache)
{
    for (cachekit_function *f = atomic_load(&cache->functions); f != NULL; f = f->next) {
        (void)cki_memory_clear(&f->memory, CKI_CLOSED);
    }
    (void)cki_memory_clear(&cache->store, CKI_CLOSED);
    if (cache->backing != NULL) {
        (void)cki_byte_cache_clear(&cache->backing->bytes);
    }
}

static bool free_functions(cachekit_cache *cache)
{
    cachekit_function *f;
    while ((f = atomic_load(&cache->functions)) != NULL) {
        cachekit_function *next = f->next;
        if (!cki_function_free(f)) {
            return false;
        }
        atomic_store(&cache->functions, next);
    }
    return true;
}

cachekit_status cachekit_cache_free(cachekit_cache *cache)
{
    if (cache == NULL) {
        return CACHEKIT_OK;
    }
    cki_fork_check();
    cki_maintainer_stop(&cache->maintainer);
    cki_refresh_stop(&cache->refresh);
    empty_all(cache);
    if (!free_functions(cache) || !cki_memory_release(&cache->store) || !cki_backing_free(cache)) {
        return CACHEKIT_E_BUSY;
    }
    cki_ticker_stop(&cache->ticker);
    cki_fork_delist(cache);
    (void)pthread_mutex_destroy(&cache->lock);
    bool had_secrets = cache->options.keyring != NULL;
    cki_free(cache->options.allocator, cache, sizeof *cache);
    if (had_secrets) {
        cki_stack_wipe(CKI_PAGES_OF_SECRETS);
    }
    return CACHEKIT_OK;
}

void cki_cache_forked(cachekit_cache *cache)
{
    (void)pthread_mutex_init(&cache->lock, NULL);
    cki_refresh_forked(&cache->refresh);
    cki_maintainer_forked(&cache->maintainer);
    cki_ticker_forked(&cache->ticker);
    cki_memory_forked(&cache->store);
    if (cache->backing != NULL) {
        cki_byte_cache_forked(&cache->backing->bytes);
    }
    for (cachekit_function *f = atomic_load(&cache->functions); f != NULL; f = f->next) {
        cki_function_forked(f);
    }
    atomic_store(&cache->slow_hits, 0);
    atomic_store(&cache->misses, 0);
}

static struct cki_key key_of(const cachekit_cache *cache, cachekit_slice key)
{
    return (struct cki_key){cki_key_hash(key, &cache->seed), CKI_KEY_BYTES, (uint32_t)key.len,
                            key.data};
}

cachekit_status cki_get_slowly(cachekit_cache *cache, cachekit_slice slice, cachekit_hit *hit)
{
    cki_hit_clear(hit);
    if (cache == NULL || !cki_is_key(slice)) {
        return CACHEKIT_E_INVALID;
    }
    cki_fork_check();
    struct cki_key key = key_of(cache, slice);
    struct cki_grip grip = {cki_cell_for(&cache->store), NULL};
    struct cki_entry *entry = cki_memory_find(&cache->store, &key, &grip);
    if (entry == NULL) {
        atomic_fetch_add_explicit(&cache->misses, 1, memory_order_relaxed);
        return CACHEKIT_MISS;
    }
    atomic_fetch_add_explicit(&cache->slow_hits, 1, memory_order_relaxed);
    cki_hit_kept(hit, &cache->store, entry, &grip, CACHEKIT_LAYER_L1);
    return CACHEKIT_OK;
}

static cachekit_status status_of(enum cki_stored stored)
{
    return stored == CKI_STORED    ? CACHEKIT_OK
           : stored == CKI_REFUSED ? CACHEKIT_E_TOO_LARGE
                                   : CACHEKIT_E_NOMEM;
}

// Seven parameters: a struct for one call would be more to write, not less.
// NOLINTNEXTLINE(readability-function-size)
cachekit_status cachekit_put(cachekit_cache *cache, cachekit_slice slice, void *object,
                             size_t size_bytes, cachekit_destroy destroy, void *destroy_context,
                             int64_t ttl_ms)
{
    cachekit_status status = CACHEKIT_E_INVALID;
    struct cki_entry *entry = NULL;
    cki_fork_check();
    if (cache == NULL || !cki_is_key(slice) || ttl_ms < 1) {
        goto done;
    }
    struct cki_key key = key_of(cache, slice);
    status = CACHEKIT_E_NOMEM;
    entry = cki_entry_new(cache->options.allocator, &key);
    if (entry == NULL) {
        goto done;
    }
    entry->object = object;
    entry->object_size = size_bytes;
    entry->destroy = destroy;
    entry->destroy_context = destroy_context;
    const struct cki_store store = {.entry = entry,
                                    .ttl_ns = ttl_ms == CACHEKIT_FOREVER_MS ? CKI_FOREVER
                                                                            : cki_ms_to_ns(ttl_ms),
                                    .due_ns = CKI_FOREVER};
    status = status_of(cki_memory_put(&cache->store, &store, NULL));
done:
    if (status != CACHEKIT_OK && entry != NULL) {
        cki_entry_free(cache->options.allocator, entry);
    } else if (status != CACHEKIT_OK && destroy != NULL) {
        destroy(object, size_bytes, destroy_context);
    }
    return status;
}

cachekit_status cachekit_remove(cachekit_cache *cache, cachekit_slice slice)
{
    if (cache == NULL || !cki_is_key(slice)) {
        return CACHEKIT_E_INVALID;
    }
    cki_fork_check();
    struct cki_key key = key_of(cache, slice);
    return cki_memory_remove(&cache->store, &key) ? CACHEKIT_OK : CACHEKIT_MISS;
}

void cki_info_fill(struct cki_memory *memory, cachekit_info_data *out)
{
    struct cki_memory_usage usage;
    cki_memory_usage(memory, &usage);
    memset(out, 0, sizeof *out);
    out->hits = usage.hits;
    out->stored = usage.stored;
    out->refused = usage.refused;
    out->unstored = usage.unstored;
    out->entries = usage.entries;
    out->used_bytes = usage.used_bytes;
    out->overhead_bytes = usage.overhead_bytes;
    out->budget_bytes = memory->options.budget_bytes;
    memcpy(out->removals, usage.removals, sizeof out->removals);
}

void cachekit_store_info(cachekit_cache *cache, cachekit_info_data *out)
{
    if (out == NULL) {
        return;
    }
    memset(out, 0, sizeof *out);
    if (cache == NULL) {
        return;
    }
    cki_fork_check();
    cki_info_fill(&cache->store, out);
    out->hits += atomic_load(&cache->slow_hits);
    out->misses = atomic_load(&cache->misses);
}
