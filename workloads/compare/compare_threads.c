// SPDX-License-Identifier: MIT
// Hits in memory of a function with a backend on one thread and on two at once, in turns: both ask
// for the same call of one function; and, so that the machine's own part shows, each for one of a
// cache of its own. Rates are by wall clock, and by the time that the threads had a CPU. On a
// machine that does other things the threads seldom run at once, and neither says much. Usage:
// ck-compare-threads [ROUNDS]
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cachekit/backends.h>
#include <cachekit/cache.h>
#include <cachekit/value.h>

#include "gen/inputs.h"

enum { ARGS = 3, THREADS_MAX = 2, ROUNDS_DEFAULT = 21, ROUNDS_MAX = 1000, SLICE_MS = 100 };
enum { CALLS_PER_LOOK = 64 };

struct bench {
    pack input;
    cachekit_arena origin;
    cachekit_value tree;
    cachekit_backend *backends[THREADS_MAX];
    cachekit_cache *caches[THREADS_MAX];
    cachekit_function *functions[THREADS_MAX];
    pthread_barrier_t start;
};

struct worker {
    struct bench *bench;
    cachekit_function *function;
    pthread_t thread;
    long calls;
    double cpu_s, end_s;
};

struct rates {
    double wall, cpu; // calls per second, all threads together
};

static void give_up(const char *why)
{
    (void)fprintf(stderr, "ck-compare-threads: %s\n", why);
    exit(3);
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    struct bench *bench = context;
    (void)args;
    (void)count;
    (void)error;
    result->object = &bench->tree;
    result->size_bytes = bench->input.len;
    return CACHEKIT_OK;
}

static cachekit_layer call(cachekit_function *function)
{
    const cachekit_arg args[ARGS] = {cachekit_i64(42), cachekit_str("en"), cachekit_f64(2.5)};
    cachekit_hit hit;
    if (cachekit_call(function, args, ARGS, &hit, NULL) != CACHEKIT_OK) {
        give_up("a call failed");
    }
    cachekit_layer layer = hit.layer;
    cachekit_release(&hit);
    return layer;
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct bench *bench = worker->bench;
    (void)pthread_barrier_wait(&bench->start);
    worker->end_s = seconds(CLOCK_MONOTONIC) + SLICE_MS / 1000.0;
    double begun = seconds(CLOCK_THREAD_CPUTIME_ID);
    // By the thread's own clock, so that threads of any urgency end.
    while (seconds(CLOCK_MONOTONIC) < worker->end_s) {
        for (int i = 0; i < CALLS_PER_LOOK; i++) {
            if (call(worker->function) != CACHEKIT_LAYER_L1) {
                give_up("a call was not answered by memory");
            }
        }
        worker->calls += CALLS_PER_LOOK;
    }
    worker->cpu_s = seconds(CLOCK_THREAD_CPUTIME_ID) - begun;
    return NULL;
}

static struct rates slice(struct bench *bench, int threads, bool are_apart)
{
    struct worker workers[THREADS_MAX] = {{0}};
    struct rates rates = {0, 0};
    (void)pthread_barrier_init(&bench->start, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        workers[i].bench = bench;
        workers[i].function = bench->functions[are_apart ? i : 0];
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            give_up("no thread");
        }
    }
    (void)pthread_barrier_wait(&bench->start);
    double begun = seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < threads; i++) {
        (void)pthread_join(workers[i].thread, NULL);
        rates.wall += (double)workers[i].calls;
        rates.cpu += (double)workers[i].calls / workers[i].cpu_s;
    }
    rates.wall /= seconds(CLOCK_MONOTONIC) - begun;
    (void)pthread_barrier_destroy(&bench->start);
    return rates;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *figures, int count)
{
    qsort(figures, (size_t)count, sizeof *figures, by_size);
    return figures[count / 2];
}

static void run(struct bench *bench, int rounds)
{
    static double one_wall[ROUNDS_MAX], one_cpu[ROUNDS_MAX], wall[2][ROUNDS_MAX],
        cpu[2][ROUNDS_MAX];
    (void)slice(bench, 1, false);
    for (int i = 0; i < rounds; i++) {
        struct rates one = slice(bench, 1, false);
        one_wall[i] = one.wall;
        one_cpu[i] = one.cpu;
        for (int k = 0; k < 2; k++) {
            struct rates two = slice(bench, 2, k == 1);
            wall[k][i] = two.wall / one.wall;
            cpu[k][i] = two.cpu / one.cpu;
        }
    }
    (void)printf("one thread: %.0f hits a second, %.0f a CPU second (medians of %d rounds of %d "
                 "ms)\ntwo threads, one function: total %.2f times that, %.2f by CPU time\n"
                 "two threads, a cache each: total %.2f times that, %.2f by CPU time\n",
                 median(one_wall, rounds), median(one_cpu, rounds), rounds, SLICE_MS,
                 median(wall[0], rounds), median(cpu[0], rounds), median(wall[1], rounds),
                 median(cpu[1], rounds));
}

static void open_cache(struct bench *bench, int i)
{
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    const cachekit_function_options function = cachekit_preset_production();
    options.name_space = "users";
    if (cachekit_memory_backend_new(NULL, &bench->backends[i], NULL) != CACHEKIT_OK) {
        give_up("the backend cannot be made");
    }
    options.backend = bench->backends[i];
    if (cachekit_cache_new(&options, &bench->caches[i], NULL) != CACHEKIT_OK ||
        cachekit_function_new(bench->caches[i], "get_user", load, bench, &function,
                              &bench->functions[i], NULL) != CACHEKIT_OK) {
        give_up("the cache cannot be made");
    }
    (void)call(bench->functions[i]);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : ROUNDS_DEFAULT;
    if (argc > 2 || rounds < 1 || rounds > ROUNDS_MAX) {
        (void)fputs("ck-compare-threads: usage: ck-compare-threads [ROUNDS], 1 to 1000\n", stderr);
        return 2;
    }
    cachekit_arena_init(&bench.origin, NULL, SIZE_MAX);
    if (!input_make("users_4", &bench.input) ||
        cachekit_value_decode((cachekit_slice){bench.input.bytes, bench.input.len},
                              CACHEKIT_DECODE_BORROW, &bench.origin, &bench.tree,
                              NULL) != CACHEKIT_OK) {
        give_up("the document cannot be made");
    }
    for (int i = 0; i < THREADS_MAX; i++) {
        open_cache(&bench, i);
    }
    run(&bench, (int)rounds);
    for (int i = 0; i < THREADS_MAX; i++) {
        if (cachekit_cache_free(bench.caches[i]) != CACHEKIT_OK) {
            give_up("the cache cannot be freed");
        }
        cachekit_backend_free(bench.backends[i]);
    }
    pack_release(&bench.input);
    cachekit_arena_release(&bench.origin);
    return 0;
}
