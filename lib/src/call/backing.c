// SPDX-License-Identifier: MIT
#include "call/backing.h"

#include <string.h>

#include "base/alloc.h"
#include "call/cache.h"

#define BUDGET_DEFAULT ((size_t)100 << 20)

static cachekit_status open_bytes(struct cki_backing *backing, const struct cachekit_cache *cache)
{
    const cachekit_cache_options *o = &cache->options;
    const struct cki_byte_options options = {
        .allocator = o->allocator,
        .clock = o->bytes_clock,
        .budget_bytes = o->bytes_budget_bytes != 0 ? o->bytes_budget_bytes : BUDGET_DEFAULT,
        .entries_max = o->bytes_entries_max,
        .seed = cache->seed.a,
    };
    return cki_byte_cache_init(&backing->bytes, &options);
}

cachekit_status cki_backing_new(struct cachekit_cache *cache)
{
    const char *given = cache->options.name_space;
    size_t len = given != NULL ? strlen(given) : 0; // take_options() has seen to its length
    struct cki_backing *backing = cki_alloc(cache->options.allocator, sizeof *backing);
    if (backing == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    memset(backing, 0, sizeof *backing);
    if (len > 0) {
        memcpy(backing->name_space, given, len);
    }
    cachekit_status status = open_bytes(backing, cache);
    if (status == CACHEKIT_OK && !cki_metrics_init(&backing->metrics, backing->name_space)) {
        (void)cki_byte_cache_release(&backing->bytes);
        status = CACHEKIT_E_NOMEM;
    }
    if (status != CACHEKIT_OK) {
        cki_free(cache->options.allocator, backing, sizeof *backing);
        return status;
    }
    cache->options.name_space = given != NULL ? backing->name_space : NULL;
    cache->backing = backing;
    return CACHEKIT_OK;
}

static struct cki_named_owner *owner_locked(struct cachekit_cache *cache, const char *name)
{
    struct cki_backing *backing = cache->backing;
    struct cki_named_owner *named = backing->owners;
    while (named != NULL && strcmp(named->name, name) != 0) {
        named = named->next;
    }
    if (named != NULL) {
        return named;
    }
    size_t len = strlen(name) + 1;
    named = cki_alloc(cache->options.allocator, sizeof *named + len);
    if (named != NULL) {
        named->size = sizeof *named + len;
        memcpy(named->name, name, len);
        cki_owner_add(&backing->bytes, &named->owner);
        named->next = backing->owners;
        backing->owners = named;
    }
    return named;
}

struct cki_owner *cki_backing_owner(struct cachekit_cache *cache, const char *name)
{
    (void)pthread_mutex_lock(&cache->lock);
    struct cki_named_owner *named = owner_locked(cache, name);
    (void)pthread_mutex_unlock(&cache->lock);
    return named != NULL ? &named->owner : NULL;
}

static void free_owners(struct cachekit_cache *cache)
{
    struct cki_named_owner *next;
    for (struct cki_named_owner *named = cache->backing->owners; named != NULL; named = next) {
        next = named->next;
        cki_free(cache->options.allocator, named, named->size);
    }
}

bool cki_backing_free(struct cachekit_cache *cache)
{
    struct cki_backing *backing = cache->backing;
    if (backing == NULL) {
        return true;
    }
    if (!cki_byte_cache_release(&backing->bytes)) {
        return false;
    }
    free_owners(cache);
    cki_metrics_release(&backing->metrics);
    cki_free(cache->options.allocator, backing, sizeof *backing);
    cache->backing = NULL;
    return true;
}
