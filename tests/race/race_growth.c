// SPDX-License-Identifier: MIT
// Hits beside the growth of the index: a hit that has the old index in hand must not serve what was
// removed from the new one. Each round is a new cache that grows from nothing, whose entries are
// removed as soon as they are there. Usage: race_growth [ROUNDS [SEED]]
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cachekit/cachekit.h>

#include "draw.h"
#include "quarantine.h"

enum { KEYS = 70, READERS = 2 };
#define MAGIC 0x51ced00dU

struct value {
    _Atomic uint32_t magic;
    uint32_t key;
};

static struct {
    cachekit_cache *cache;
    _Atomic uint32_t put; // keys below were stored in this round
    atomic_bool is_over, failed;
    _Atomic uint64_t hits;
    uint64_t seed;
} all;

static _Thread_local uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    return draw_from(&random_state, below);
}

void cki_yield(void);
void cki_yield(void)
{
    uint64_t kind = draw(64);
    if (kind < 8) {
        (void)sched_yield();
    } else if (kind == 8) {
        (void)nanosleep(&(struct timespec){0, 1000}, NULL);
    }
}

// Values are never given back to the system, so that one that is dead can be told.
static struct value values[KEYS];

static void destroy(void *object, size_t size, void *context)
{
    struct value *v = object;
    (void)size;
    (void)context;
    atomic_store(&v->magic, 0);
}

static cachekit_slice slice_of(const uint32_t *key)
{
    return (cachekit_slice){(const uint8_t *)key, sizeof *key};
}

static void *read_keys(void *arg)
{
    random_state = all.seed + (uintptr_t)arg;
    while (!atomic_load(&all.is_over)) {
        cachekit_hit hit;
        uint32_t put = atomic_load(&all.put), back = (uint32_t)draw(4);
        uint32_t key = put > back ? put - back : 0;
        if (cachekit_get(all.cache, slice_of(&key), &hit) == CACHEKIT_OK) {
            const struct value *v = hit.object;
            if (atomic_load(&v->magic) != MAGIC || v->key != key) {
                atomic_store(&all.failed, true);
            }
            atomic_fetch_add(&all.hits, 1);
            cachekit_release(&hit);
        }
    }
    return NULL;
}

static void grow_and_shrink(void)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        values[i].key = i;
        atomic_store(&values[i].magic, MAGIC);
        if (cachekit_put(all.cache, slice_of(&i), &values[i], 8, destroy, NULL,
                         CACHEKIT_FOREVER_MS) != CACHEKIT_OK) {
            abort();
        }
        atomic_store(&all.put, i + 1);
        // Those before go one at a time once the index has grown behind them.
        if ((i & (i - 1)) == 0 && i >= 8) {
            for (uint32_t k = i > 12 ? i - 12 : 0; k < i; k++) {
                (void)cachekit_remove(all.cache, slice_of(&k));
            }
        }
    }
}

static bool play(uint64_t round)
{
    pthread_t readers[READERS];
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    options.allocator = &quarantine_allocator;
    if (cachekit_cache_new(&options, &all.cache, NULL) != CACHEKIT_OK) {
        abort();
    }
    atomic_store(&all.put, 0);
    atomic_store(&all.is_over, false);
    for (uintptr_t i = 0; i < READERS; i++) {
        if (pthread_create(&readers[i], NULL, read_keys, (void *)(round * READERS + i)) != 0) {
            abort();
        }
    }
    grow_and_shrink();
    atomic_store(&all.is_over, true);
    for (int i = 0; i < READERS; i++) {
        (void)pthread_join(readers[i], NULL);
    }
    return cachekit_cache_free(all.cache) == CACHEKIT_OK && !atomic_load(&all.failed);
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000, round = 0;
    all.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    random_state = all.seed;
    while (round < rounds && play(round)) {
        round++;
    }
    bool ok = quarantine_empty() && round == rounds;
    printf("seed %" PRIu64 ": %" PRIu64 " rounds, %" PRIu64 " hits\n", all.seed, round,
           atomic_load(&all.hits));
    if (!ok) {
        fprintf(stderr, "race_growth: a removed entry was served or written, seed %" PRIu64 "\n",
                all.seed);
    }
    return ok ? 0 : 1;
}
