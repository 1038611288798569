// SPDX-License-Identifier: MIT
// A child of a process in the middle of everything: it starts empty, works at once, destroys
// nothing of its parent's, and what it holds from before stays readable.
#include "call_kit.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call/cache.h"

enum { FORKS = 300, THREADS = 3, KEYS = 30, SECONDS_MAX = 60 };

struct value {
    pid_t maker;
    int64_t number;
};

static struct {
    struct kit kit;
    cachekit_function *f;
    atomic_bool stop;
    atomic_int loads;
} t;

static cachekit_status load(void *context, const cachekit_arg *args, size_t count,
                            cachekit_result *result, cachekit_error *error)
{
    struct value *value = malloc(sizeof *value);
    (void)context;
    (void)count;
    (void)error;
    if (value == NULL) {
        return CACHEKIT_E_NOMEM;
    }
    *value = (struct value){getpid(), args[0].as.i64};
    result->object = value;
    result->size_bytes = 100;
    atomic_fetch_add(&t.loads, 1);
    return CACHEKIT_OK;
}

static void destroy(void *object, size_t size, void *context)
{
    struct value *value = object;
    (void)size;
    (void)context;
    if (value->maker != getpid()) {
        _exit(90);
    }
    free(value);
}

static void open_all(void)
{
    cachekit_function_options options = cachekit_preset_minimal();
    cachekit_cache_options of_cache = CACHEKIT_CACHE_OPTIONS_INIT;
    memset(&t, 0, sizeof t);
    of_cache.maintain_every_ms = 1;
    cr_assert(cachekit_cache_new(&of_cache, &t.kit.cache, NULL) == CACHEKIT_OK);
    options.ttl_ms = 5;
    options.refresh_ratio = 0.3;
    options.budget_bytes = 12000;
    options.destroy = destroy;
    t.f = kit_function(&t.kit, load, NULL, &options);
}

static int use(uint64_t *random)
{
    cachekit_hit hit;
    *random = *random * 6364136223846793005U + 1442695040888963407U;
    uint64_t kind = *random >> 60;
    cachekit_arg arg = cachekit_i64((int64_t)(*random >> 33) % KEYS);
    if (kind == 0) {
        cachekit_invalidate_all(t.f);
    } else if (kind == 1) {
        (void)cachekit_invalidate(t.f, &arg, 1);
    } else if (cachekit_call(t.f, &arg, 1, &hit, NULL) == CACHEKIT_OK) {
        const struct value *value = hit.object;
        int wrong = value->number != arg.as.i64;
        cachekit_release(&hit);
        return wrong;
    } else {
        return 1;
    }
    return 0;
}

static void *hammer(void *arg)
{
    uint64_t random = (uintptr_t)arg;
    while (!atomic_load(&t.stop)) {
        if (use(&random) != 0) {
            abort();
        }
    }
    return NULL;
}

// What a child does; its exit status.
static int be_a_child(cachekit_hit held[2], int64_t number)
{
    (void)alarm(SECONDS_MAX);
    cachekit_info_data info;
    uint64_t random = (uint64_t)getpid();
    cachekit_info(t.f, &info);
    if (info.entries != 0 || info.hits != 0) {
        return 2;
    }
    cachekit_hit hit;
    cachekit_arg arg = cachekit_i64(number);
    if (cachekit_call(t.f, &arg, 1, &hit, NULL) != CACHEKIT_OK ||
        hit.layer != CACHEKIT_LAYER_MISS) {
        return 3;
    }
    for (int i = 0; i < 200; i++) {
        if (use(&random) != 0) {
            return 4;
        }
    }
    const struct value *mine = hit.object;
    if (mine->maker != getpid() || mine->number != number) {
        return 5;
    }
    cachekit_release(&hit);
    for (int i = 0; i < 2; i++) {
        const struct value *value = held[i].object;
        if (value->maker != getppid() || value->number != number) {
            return 6;
        }
        cachekit_release(&held[i]);
    }
    return cachekit_cache_free(t.kit.cache) == CACHEKIT_OK ? 0 : 7;
}

static void expect_end(pid_t child, int turn)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child %d ended with %#x", turn,
              (unsigned)status);
}

// As many as CACHEKIT_TEST_FORKS says: 10,000 by hand, once.
static int forks_wanted(void)
{
    const char *given = getenv("CACHEKIT_TEST_FORKS");
    return given != NULL ? (int)strtol(given, NULL, 10) : FORKS;
}

// AddressSanitizer's allocator may be locked for ever in such a child: asan_forks.c shows it
// without us.
Test(fork, children_of_a_busy_process_work_at_once, .timeout = 300, .disabled = KIT_ASAN)
{
    pthread_t threads[THREADS];
    open_all();
    for (uintptr_t i = 0; i < THREADS; i++) {
        cr_assert(pthread_create(&threads[i], NULL, hammer, (void *)(i + 1)) == 0);
    }
    for (int i = 0, forks = forks_wanted(); i < forks; i++) {
        cachekit_hit held[2];
        cachekit_arg arg = cachekit_i64(i % KEYS);
        for (int k = 0; k < 2; k++) {
            cr_assert(cachekit_call(t.f, &arg, 1, &held[k], NULL) == CACHEKIT_OK);
        }
        pid_t child = fork();
        if (child == 0) {
            _exit(be_a_child(held, i % KEYS));
        }
        cr_assert(child > 0);
        expect_end(child, i);
        for (int k = 0; k < 2; k++) {
            const struct value *value = held[k].object;
            cr_assert(value->maker == getpid() && value->number == i % KEYS);
            cachekit_release(&held[k]);
        }
    }
    atomic_store(&t.stop, true);
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    kit_close(&t.kit);
}

Test(fork, a_raw_clone_is_noticed_at_the_first_miss)
{
    open_all();
    cachekit_function_options options = cachekit_preset_minimal();
    options.destroy = destroy;
    t.f = kit_function(&t.kit, load, NULL, &options);
    uint64_t random = 1;
    for (int i = 0; i < 100; i++) {
        cr_assert(use(&random) == 0);
    }
    cachekit_arg arg = cachekit_i64(KEYS + 1);
    cachekit_hit held[2];
    for (int k = 0; k < 2; k++) {
        cr_assert(cachekit_call(t.f, &arg, 1, &held[k], NULL) == CACHEKIT_OK);
    }
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        _exit(be_a_child(held, KEYS + 1));
    }
    expect_end(child, 0);
    cachekit_release(&held[0]);
    cachekit_release(&held[1]);
    kit_close(&t.kit);
}

static cachekit_status load_and_fork(void *context, const cachekit_arg *args, size_t count,
                                     cachekit_result *result, cachekit_error *error)
{
    pid_t *child = context;
    *child = fork();
    return load(NULL, args, count, result, error);
}

Test(fork, a_loader_may_fork)
{
    static pid_t child;
    cachekit_layer layer;
    open_all();
    cachekit_function *f = kit_function(&t.kit, load_and_fork, &child, NULL);
    cachekit_arg arg = cachekit_i64(7);
    cachekit_hit hit;
    cachekit_status status = cachekit_call(f, &arg, 1, &hit, NULL);
    if (child == 0) {
        const struct value *value = hit.object;
        bool ok = status == CACHEKIT_OK && value->maker == getpid();
        cachekit_release(&hit);
        ok = ok && kit_call(f, 7, &layer) != -1 && layer == CACHEKIT_LAYER_L1;
        ok = ok && cachekit_cache_free(t.kit.cache) == CACHEKIT_OK;
        _exit(ok ? 0 : 1);
    }
    cr_assert(status == CACHEKIT_OK);
    free((void *)(uintptr_t)hit.object);
    cachekit_release(&hit);
    expect_end(child, 0);
    cr_assert(kit_call(f, 7, &layer) != -1 && layer == CACHEKIT_LAYER_L1);
    kit_close(&t.kit);
}
