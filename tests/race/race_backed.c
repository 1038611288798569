// SPDX-License-Identifier: MIT
// Calls of a function with a backend beside invalidations and a backend that fails now and then: a
// call that began after an invalidation had returned never gives what was there before, whoever
// answers. Usage: race_backed [CALLS [SEED]]. The library's yield points are compiled in; where
// threads are held up follows the seed.
//
// Each key has a number that only grows. Whoever changes one raises it, invalidates, and then
// raises the key's floor to it; the loader gives the number. A caller that saw a floor before it
// called must not be given less.
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <cachekit/backends.h>
#include <cachekit/cachekit.h>

#include "draw.h"
#include "odd_backend.h"

enum { KEYS = 4, THREADS = 4 };

static struct {
    cachekit_backend *store;
    struct odd_backend odd;
    cachekit_cache *cache;
    cachekit_function *function;
    _Atomic uint64_t numbers[KEYS], floors[KEYS];
    _Atomic uint64_t calls_left, loads, hits[4], changes, made, destroyed;
    uint64_t seed;
    atomic_bool failed;
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

static void hold_up(enum odd_question question, void *context)
{
    (void)question;
    (void)context;
    cki_yield();
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)count;
    (void)error;
    uint64_t number = atomic_load(&all.numbers[args[0].as.i64]);
    cki_yield();
    cachekit_value *value = malloc(sizeof *value);
    if (value == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    *value = cachekit_value_u64(number);
    atomic_fetch_add(&all.made, 1);
    atomic_fetch_add(&all.loads, 1);
    result->object = value;
    result->size_bytes = sizeof *value;
    return CACHEKIT_OK;
}

static void destroy(void *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    atomic_fetch_add(&all.destroyed, 1);
    free(object);
}

static void fail(const char *what, uint64_t key, uint64_t got, uint64_t wanted)
{
    atomic_store(&all.failed, true);
    fprintf(stderr,
            "race_backed: seed %" PRIu64 ": %s: key %" PRIu64 ", %" PRIu64 " under %" PRIu64 "\n",
            all.seed, what, key, got, wanted);
}

static void call(uint64_t key)
{
    cachekit_hit hit;
    uint64_t floor = atomic_load(&all.floors[key]);
    cachekit_arg arg = cachekit_u64(key);
    cachekit_status status = draw(8) == 0 ? cachekit_peek(all.function, &arg, 1, &hit, NULL)
                                          : cachekit_call(all.function, &arg, 1, &hit, NULL);
    if (status != CACHEKIT_OK) {
        return;
    }
    uint64_t number = 0;
    if (!cachekit_value_to_u64(hit.object, &number) || number < floor) {
        fail("what was invalidated came back", key, number, floor);
    }
    atomic_fetch_add(&all.hits[hit.layer], 1);
    cachekit_release(&hit);
}

static void raise_floor(uint64_t key, uint64_t number)
{
    uint64_t floor = atomic_load(&all.floors[key]);
    while (floor < number && !atomic_compare_exchange_weak(&all.floors[key], &floor, number)) {
    }
}

static void change_one(uint64_t key)
{
    cachekit_arg arg = cachekit_u64(key);
    uint64_t number = atomic_fetch_add(&all.numbers[key], 1) + 1;
    (void)cachekit_invalidate(all.function, &arg, 1);
    raise_floor(key, number);
}

static void change_all(void)
{
    uint64_t numbers[KEYS];
    for (int i = 0; i < KEYS; i++) {
        numbers[i] = atomic_fetch_add(&all.numbers[i], 1) + 1;
    }
    (void)cachekit_invalidate_all(all.function);
    for (uint64_t i = 0; i < KEYS; i++) {
        raise_floor(i, numbers[i]);
    }
}

// The backend stops or begins to answer one kind of question.
static void disturb(void)
{
    static const enum odd_question questions[] = {ODD_GET, ODD_SET, ODD_REMOVE};
    enum odd_question question = questions[draw(3)];
    atomic_store(&all.odd.answers[question], draw(3) == 0 ? CACHEKIT_E_TIMEOUT : CACHEKIT_OK);
}

static void act(void)
{
    uint64_t kind = draw(100);
    if (kind < 20) {
        atomic_fetch_add(&all.changes, 1);
        change_one(draw(KEYS));
    } else if (kind == 20) {
        change_all();
    } else if (kind == 21) {
        (void)cachekit_maintain(all.cache, 0);
    } else if (kind < 24) {
        disturb();
    } else {
        call(draw(KEYS));
    }
}

static bool is_over(void)
{
    uint64_t left = atomic_load(&all.calls_left);
    while (left > 0 && !atomic_compare_exchange_weak(&all.calls_left, &left, left - 1)) {
    }
    return left == 0 || atomic_load(&all.failed);
}

static void *run(void *arg)
{
    random_state = all.seed * 1000003 + (uint64_t)(uintptr_t)arg;
    while (!is_over()) {
        act();
    }
    return NULL;
}

static bool open_all(void)
{
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_function_options function = cachekit_preset_test();
    if (cachekit_memory_backend_new(NULL, &all.store, NULL) != CACHEKIT_OK) {
        return false;
    }
    odd_init(&all.odd, all.store);
    all.odd.before = all.odd.after = hold_up;
    options.backend = &all.odd.base;
    function.destroy = destroy;
    return cachekit_cache_new(&options, &all.cache, NULL) == CACHEKIT_OK &&
           cachekit_function_new(all.cache, "f", load, NULL, &function, &all.function, NULL) ==
               CACHEKIT_OK;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    uint64_t calls = argc > 1 ? strtoull(argv[1], NULL, 10) : 200000;
    all.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    atomic_store(&all.calls_left, calls);
    if (!open_all()) {
        fprintf(stderr, "race_backed: no memory\n");
        return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i + 1));
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    bool is_good = cachekit_cache_free(all.cache) == CACHEKIT_OK && !atomic_load(&all.failed) &&
                   atomic_load(&all.made) == atomic_load(&all.destroyed);
    cachekit_backend_free(all.store);
    printf("race_backed: seed %" PRIu64 ", %" PRIu64 " steps: %" PRIu64 " from memory, %" PRIu64
           " from the backend, %" PRIu64 " computed; %" PRIu64 " invalidations\n",
           all.seed, calls, atomic_load(&all.hits[1]), atomic_load(&all.hits[2]),
           atomic_load(&all.hits[3]), atomic_load(&all.changes));
    bool is_proof = atomic_load(&all.hits[1]) > 0 && atomic_load(&all.hits[2]) > 0 &&
                    atomic_load(&all.hits[3]) > 0;
    return is_good && is_proof ? 0 : 1;
}
