// SPDX-License-Identifier: MIT
// What our terrains have in common: a function whose values are bytes, the layer from the hit
// itself, the books from the function's own counters.
#include "terrain/layered_cache.h"

#include "terrain/counted_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const layered_cache_layers[] = {"l1", "l2", "miss", NULL};

struct layered_cache {
    cachekit_clock clock;
    counted_backend *backend;
    cachekit_cache *cache;
    cachekit_function *function;
};

static cachekit_status fill_fixed(void *context, void *out, size_t len)
{
    (void)context;
    memset(out, 0x6b, len);
    return CACHEKIT_OK;
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    const layered_cache *s = context;
    (void)count;
    (void)error;
    counted_backend_loads(s->backend);
    /* Bytes that the caller of this function owns are copied, and stay the kit's. */
    result->object = (void *)(uintptr_t)ckbench_load((uint64_t)args[0].as.i64, &result->size_bytes);
    return CACHEKIT_OK;
}

const cachekit_clock *layered_cache_clock(const struct ckbench_terrain_setup *setup,
                                          cachekit_clock *clock)
{
    *clock = (cachekit_clock){NULL, setup->tick_ns};
    return setup->tick_ns != NULL ? clock : NULL;
}

static void refuse(const char *what, const cachekit_error *error, cachekit_status status)
{
    char text[200];
    snprintf(text, sizeof text, "%s: %s (status %d)", what,
             error->text[0] != '\0' ? error->text : "failed", (int)status);
    ckbench_terrain_refuse(text);
}

static cachekit_status make_cache(layered_cache *s, const struct ckbench_terrain_setup *setup,
                                  cachekit_error *error)
{
    static const cachekit_entropy entropy = {fill_fixed, NULL};
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    options.clock = options.bytes_clock = layered_cache_clock(setup, &s->clock);
    options.entropy = setup->tick_ns != NULL ? &entropy : NULL;
    options.backend = counted_backend_of(s->backend);
    options.name_space = setup->name_space;
    options.bytes_budget_bytes = (size_t)setup->l1_bytes;
    options.bytes_entries_max = (uint32_t)setup->l1_keys;
    return cachekit_cache_new(&options, &s->cache, error);
}

/* An option that is a whole number, 0 where it is not given; -1: it is none. */
static int64_t whole_option(const char *name)
{
    const char *text = ckbench_terrain_option(name);
    size_t len = text != NULL ? strlen(text) : 0;
    bool is_whole = len > 0 && len < 10 && strspn(text, "0123456789") == len;
    int64_t number = is_whole ? strtoll(text, NULL, 10) : -1;
    return text == NULL ? 0 : number > 0 ? number : -1;
}

static bool read_own(cachekit_function_options *options)
{
    const char *lock = ckbench_terrain_option("lock");
    int64_t deadline_ms = whole_option("deadline_ms");
    options->distributed_lock =
        lock != NULL && strcmp(lock, "on") == 0 ? CACHEKIT_ON : CACHEKIT_OFF;
    options->deadline_ms = deadline_ms;
    return deadline_ms >= 0 &&
           (lock == NULL || strcmp(lock, "on") == 0 || strcmp(lock, "off") == 0);
}

static cachekit_status make_function(layered_cache *s, const struct ckbench_terrain_setup *setup,
                                     cachekit_error *error)
{
    cachekit_function_options options = cachekit_preset_production();
    options.codec = CACHEKIT_CODEC_BYTES;
    options.ttl_ms = setup->ttl_ms;
    options.maintain_every_ms = 0; /* no thread beside the measured ones */
    if (!read_own(&options)) {
        snprintf(error->text, sizeof error->text, "lock is on or off, deadline_ms a number over 0");
        return CACHEKIT_E_INVALID;
    }
    options.questions_max = setup->callers > 100 ? setup->callers : 100;
    return cachekit_function_new(s->cache, "terrain", load, s, &options, &s->function, error);
}

layered_cache *layered_cache_open(const struct ckbench_terrain_setup *setup,
                                  cachekit_backend *backend, cachekit_status status,
                                  const cachekit_error *error)
{
    layered_cache *s = calloc(1, sizeof *s);
    cachekit_error why = {0};
    if (status != CACHEKIT_OK || s == NULL) {
        refuse("backend", error, status);
        cachekit_backend_free(backend);
        free(s);
        return NULL;
    }
    s->backend = counted_backend_new(backend);
    if (s->backend == NULL) {
        refuse("backend", error, CACHEKIT_E_NOMEM);
        free(s);
        return NULL;
    }
    status = make_cache(s, setup, &why);
    if (status == CACHEKIT_OK) {
        status = make_function(s, setup, &why);
    }
    if (status != CACHEKIT_OK) {
        refuse("cache", &why, status);
        layered_cache_close(s);
        return NULL;
    }
    return s;
}

int layered_cache_call(void *state, const struct ckbench_ask *ask)
{
    layered_cache *s = state;
    cachekit_arg arg = cachekit_i64((int64_t)ask->key);
    cachekit_hit hit;
    if (cachekit_call(s->function, &arg, 1, &hit, NULL) != CACHEKIT_OK) {
        return -1;
    }
    int layer = (int)hit.layer - CACHEKIT_LAYER_L1;
    cachekit_release(&hit);
    return layer;
}

int layered_cache_counters(void *state, uint64_t *calls)
{
    layered_cache *s = state;
    cachekit_info_data info;
    cachekit_info(s->function, &info);
    /* Who waited for another caller's computation is told that memory answered. */
    calls[0] = info.hits - info.l2_hits;
    calls[1] = info.l2_hits;
    calls[2] = info.misses;
    counted_backend_tell(s->backend);
    ckbench_terrain_count("l2_spoilt", info.corrupt + info.unauthentic);
    return 0;
}

void layered_cache_close(void *state)
{
    layered_cache *s = state;
    if (s != NULL && cachekit_cache_free(s->cache) == CACHEKIT_OK) {
        cachekit_backend_free(counted_backend_of(s->backend));
        free(s);
    }
}
