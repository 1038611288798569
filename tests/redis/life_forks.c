// SPDX-License-Identifier: MIT
// Forks a process whose threads are in the middle of calls of functions over a real redis-server:
// each child calls the same functions, plain and encrypted, invalidates, and frees the cache, over
// sockets of its own; it is given no other value than its key's. Usage: life_forks [FORKS]
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cachekit/cachekit.h>
#include <cachekit/seal.h>

#include "redis_kit.h"

#define MASTER "6161616161616161616161616161616161616161616161616161616161616161"

enum { THREADS = 3, KEYS = 8, FUNCTIONS = 2, CHILD_SECONDS = 60, FORKS_DEFAULT = 10000 };

static cachekit_cache *cache;
static cachekit_function *functions[FUNCTIONS];
static atomic_bool is_over;
static atomic_long calls, wrong;

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    (void)context;
    (void)count;
    (void)error;
    cachekit_value *value = malloc(sizeof *value);
    if (value == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    *value = cachekit_value_u64(args[0].as.bits * 7919);
    *result = (cachekit_result){value, sizeof *value};
    return CACHEKIT_OK;
}

static void destroy(void *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    free(object);
}

static long use(unsigned turn)
{
    cachekit_hit hit;
    cachekit_function *f = functions[turn % FUNCTIONS];
    uint64_t key = turn / FUNCTIONS % KEYS, number = 0;
    cachekit_arg arg = cachekit_u64(key);
    if (cachekit_call(f, &arg, 1, &hit, NULL) != CACHEKIT_OK) {
        return 1;
    }
    bool is_right = cachekit_value_to_u64(hit.object, &number) && number == key * 7919;
    cachekit_release(&hit);
    if (turn % 16 == 5) {
        (void)cachekit_invalidate(f, &arg, 1);
    }
    return !is_right;
}

static void *hammer(void *arg)
{
    for (unsigned turn = (unsigned)(uintptr_t)arg; !atomic_load(&is_over); turn++) {
        atomic_fetch_add(&wrong, use(turn));
        atomic_fetch_add(&calls, 1);
    }
    return NULL;
}

static int live(unsigned turn)
{
    long bad = 0;
    for (unsigned i = 0; i < 2 * FUNCTIONS; i++) {
        bad += use(turn + i);
    }
    bad += cachekit_invalidate_all(functions[0]) < 0;
    return bad != 0 || cachekit_cache_free(cache) != CACHEKIT_OK;
}

static long fork_once(unsigned turn, int64_t *longest_ns)
{
    int status = -1;
    int64_t begun_ns = cachekit_deadline_ns(0);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(CHILD_SECONDS);
        _exit(live(turn));
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    int64_t took_ns = cachekit_deadline_ns(0) - begun_ns;
    *longest_ns = took_ns > *longest_ns ? took_ns : *longest_ns;
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void open_all(cachekit_backend *backend, cachekit_keyring **keyring)
{
    cachekit_keyring_options ring = CACHEKIT_KEYRING_OPTIONS_INIT;
    cachekit_cache_options co = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_function_options fo[FUNCTIONS] = {cachekit_preset_production(),
                                               cachekit_preset_secure()};
    ring.master_key = MASTER;
    ring.allow_unlocked = true;
    bool is_good = cachekit_keyring_new(&ring, keyring, NULL) == CACHEKIT_OK;
    co.backend = backend;
    co.keyring = *keyring;
    co.name_space = "forks";
    co.bytes_entries_max = KEYS; // so that the backend is asked as well
    is_good = is_good && cachekit_cache_new(&co, &cache, NULL) == CACHEKIT_OK;
    for (int i = 0; is_good && i < FUNCTIONS; i++) {
        fo[i].destroy = destroy;
        fo[i].deadline_ms = CHILD_SECONDS * 1000;
        is_good = cachekit_function_new(cache, i == 0 ? "plain" : "sealed", load, NULL, &fo[i],
                                        &functions[i], NULL) == CACHEKIT_OK;
    }
    if (!is_good) {
        redis_kit_die("cannot make the functions");
    }
}

int main(int argc, char **argv)
{
    static const cachekit_redis_backend_options options = {.connections_max = 8};
    struct redis_kit kit;
    pthread_t threads[THREADS];
    cachekit_keyring *keyring = NULL;
    int64_t longest_ns = 0;
    long lost = 0, forks = argc > 1 ? strtol(argv[1], NULL, 10) : FORKS_DEFAULT;
    if (argc > 2 || forks < 1) {
        (void)fputs("life_forks: usage: life_forks [FORKS]\n", stderr);
        return 2;
    }
    redis_kit_open(&kit, NULL);
    cachekit_backend *backend = redis_kit_backend(kit.unix_url, &options);
    open_all(backend, &keyring);
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, hammer, (void *)(i * 5)) != 0) {
            redis_kit_die("no thread");
        }
    }
    for (long i = 0; i < forks; i++) {
        lost += fork_once((unsigned)i, &longest_ns);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    bool is_freed = cachekit_cache_free(cache) == CACHEKIT_OK;
    cachekit_keyring_free(keyring);
    cachekit_backend_free(backend);
    redis_kit_close(&kit);
    (void)printf("life_forks: %ld forks in %ld calls, %ld children lost, longest child %.1f ms, "
                 "%ld wrong in the parent\n",
                 forks, atomic_load(&calls), lost, (double)longest_ns / 1e6, atomic_load(&wrong));
    return lost != 0 || atomic_load(&wrong) != 0 || !is_freed;
}
