// SPDX-License-Identifier: MIT
// Terrains whose truth is known: a server whose times are the law's alone, and caches that say the
// wrong thing about who answered. A pretended cache knows the last 100 keys, by key modulo 100, its
// second layer everything it has seen.
#include <ckbench/terrain.h>

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 100, KEYS = 1 << 16, L1 = 0, L2 = 1, MISS = 2 };

static const char *const server_layers[] = {"miss", NULL};
static const char *const cache_layers[] = {"l1", "l2", "miss", NULL};

struct cache {
    uint64_t near_key[SLOTS]; /* plus one */
    unsigned char is_far[KEYS];
    uint64_t calls[3];
    uint64_t turn;
    void *given;
};

static void *open_cache(const struct ckbench_terrain_setup *setup)
{
    (void)setup;
    return calloc(1, sizeof(struct cache));
}

static int call_server(void *state, const struct ckbench_ask *ask)
{
    size_t bytes;
    struct cache *cache = state;
    (void)ckbench_load(ask->key, &bytes);
    cache->calls[0]++;
    return bytes == ask->value_bytes ? 0 : -1;
}

static int call_cache(void *state, const struct ckbench_ask *ask)
{
    struct cache *cache = state;
    uint64_t *near_key = &cache->near_key[ask->key % SLOTS];
    unsigned char *is_far = &cache->is_far[ask->key % KEYS];
    size_t bytes;
    int layer = *near_key == ask->key + 1 ? L1 : *is_far != 0 ? L2 : MISS;
    if (layer == L2) {
        (void)ckbench_terrain_l2_ns(NULL);
    }
    if (layer == MISS) {
        (void)ckbench_load(ask->key, &bytes);
    }
    *near_key = ask->key + 1;
    *is_far = 1;
    cache->turn++;
    cache->calls[layer]++;
    return layer;
}

static int count_cache(void *state, uint64_t *calls)
{
    struct cache *cache = state;
    memcpy(calls, cache->calls, sizeof cache->calls);
    return 0;
}

static int count_server(void *state, uint64_t *calls)
{
    struct cache *cache = state;
    calls[0] = cache->calls[0];
    return 0;
}

CKBENCH_TERRAIN(server, "every call loads", server_layers, open_cache, call_server, count_server,
                free)
CKBENCH_TERRAIN(honest, "a cache that tells the truth", cache_layers, open_cache, call_cache,
                count_cache, free)

/* Each tenth miss is called a hit. */
static int call_hit(void *state, const struct ckbench_ask *ask)
{
    struct cache *cache = state;
    int layer = call_cache(state, ask);
    return layer == MISS && cache->calls[MISS] % 10 == 0 ? L1 : layer;
}

/* Each tenth hit is called a miss. */
static int call_miss(void *state, const struct ckbench_ask *ask)
{
    struct cache *cache = state;
    int layer = call_cache(state, ask);
    return layer == L1 && cache->calls[L1] % 10 == 0 ? MISS : layer;
}

/* Each tenth answer of the second layer is called one of the first. */
static int call_near(void *state, const struct ckbench_ask *ask)
{
    struct cache *cache = state;
    int layer = call_cache(state, ask);
    return layer == L2 && cache->calls[L2] % 10 == 0 ? L1 : layer;
}

/* Each tenth answer comes from a layer that is not there, each hundredth from nobody. */
static int call_nowhere(void *state, const struct ckbench_ask *ask)
{
    struct cache *cache = state;
    int layer = call_cache(state, ask);
    return cache->turn % 100 == 0 ? -1 : cache->turn % 10 == 0 ? 3 : layer;
}

CKBENCH_TERRAIN(lies_hit, "misses called hits", cache_layers, open_cache, call_hit, count_cache,
                free)
CKBENCH_TERRAIN(lies_miss, "hits called misses", cache_layers, open_cache, call_miss, count_cache,
                free)
CKBENCH_TERRAIN(lies_near, "l2 called l1", cache_layers, open_cache, call_near, count_cache, free)
CKBENCH_TERRAIN(lies_nowhere, "layers that are not there", cache_layers, open_cache, call_nowhere,
                count_cache, free)

static int count_nothing(void *state, uint64_t *calls)
{
    (void)state;
    (void)calls;
    return 1;
}

static int call_shared(void *state, const struct ckbench_ask *ask)
{
    (void)state;
    size_t bytes;
    return ckbench_load(ask->key, &bytes) != NULL ? 0 : -1;
}

CKBENCH_TERRAIN(shared, "every call loads, for several callers", server_layers, open_cache,
                call_shared, count_nothing, free)

static void *open_never(const struct ckbench_terrain_setup *setup)
{
    (void)setup;
    ckbench_terrain_refuse(ckbench_terrain_option("why") != NULL ? ckbench_terrain_option("why")
                                                                 : "it never opens");
    return NULL;
}

CKBENCH_TERRAIN(never, "does not open", server_layers, open_never, call_server, NULL, NULL)

CKBENCH_MAIN
