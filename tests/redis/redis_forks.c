// SPDX-License-Identifier: MIT
// Forks a process whose threads are in the middle of questions to a real redis-server: each child
// asks and is answered within seconds, over sockets of its own. Usage: redis_forks [FORKS]
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "redis_kit.h"

enum { THREADS = 3, CHILD_SECONDS = 30, FORKS_DEFAULT = 10000 };

static cachekit_backend *backend;
static atomic_bool is_over;
static atomic_long asked, wrong;

// 0 if the value that comes back is the key's.
static int use(long who, long turn)
{
    char key[64];
    int len = snprintf(key, sizeof key, "key %ld %ld", who, turn % 5);
    cachekit_slice slice = redis_kit_slice(key, (size_t)len);
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    int64_t deadline_ns = cachekit_deadline_ns(CHILD_SECONDS * 1000);
    cachekit_status status = backend->ops->set(backend, slice, slice, 60000, deadline_ns, NULL);
    if (status == CACHEKIT_OK) {
        status = backend->ops->get(backend, slice, deadline_ns, &value, NULL);
    }
    int bad =
        status != CACHEKIT_OK || value.len != slice.len || memcmp(value.data, key, value.len) != 0;
    cachekit_buffer_release(&value);
    return bad;
}

static void *hammer(void *who)
{
    for (long i = 0; !atomic_load(&is_over); i++) {
        atomic_fetch_add(&wrong, use((long)(intptr_t)who, i));
        atomic_fetch_add(&asked, 1);
    }
    return NULL;
}

static int fork_once(int64_t *longest_ns)
{
    int status = -1;
    int64_t begun = cachekit_deadline_ns(0);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(CHILD_SECONDS);
        _exit(use((long)getpid(), 0));
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    int64_t took_ns = cachekit_deadline_ns(0) - begun;
    *longest_ns = took_ns > *longest_ns ? took_ns : *longest_ns;
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
    static const cachekit_redis_backend_options options = {.connections_max = 8};
    struct redis_kit kit;
    pthread_t threads[THREADS];
    int64_t longest_ns = 0;
    long lost = 0, forks = argc > 1 ? strtol(argv[1], NULL, 10) : FORKS_DEFAULT;
    if (argc > 2 || forks < 1) {
        (void)fputs("redis_forks: usage: redis_forks [FORKS]\n", stderr);
        return 2;
    }
    redis_kit_open(&kit, NULL);
    backend = redis_kit_backend(kit.unix_url, &options);
    for (intptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, hammer, (void *)(i + 1)) != 0) {
            redis_kit_die("no thread");
        }
    }
    for (long i = 0; i < forks; i++) {
        lost += fork_once(&longest_ns);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    cachekit_backend_free(backend);
    redis_kit_close(&kit);
    (void)printf("redis_forks: %ld forks, %ld lost, longest child %.1f ms; the parent asked %ld "
                 "times, %ld wrong\n",
                 forks, lost, (double)longest_ns / 1e6, atomic_load(&asked), atomic_load(&wrong));
    return lost != 0 || atomic_load(&wrong) != 0;
}
