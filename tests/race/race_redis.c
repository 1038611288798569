// SPDX-License-Identifier: MIT
// Threads share a few connections to a server that cuts, resets and delays at random: no value is
// another key's, and ThreadSanitizer has nothing to say.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "redis_kit.h"
#include "scripted.h"

enum { THREADS = 4, ROUNDS = 300, CONNECTIONS = 3 };

static struct scripted server;
static cachekit_backend *backend;
static atomic_long wrong, hits, failures;

// One thread spoils about every seventh of all commands.
static void spoil(uint64_t random)
{
    static const char reply[] = "-TRYAGAIN Multiple keys request during rehashing of slot\r\n";
    if (random % 2 == 0) {
        scripted_forget(&server);
        scripted_plan(&server,
                      (struct scripted_plan){.reply = reply,
                                             .len = sizeof reply - 1,
                                             .fault = (enum scripted_fault)(random / 7 % 5),
                                             .at = random / 64 % sizeof reply,
                                             .delay_ms = 3});
    }
}

static void get(const char *key, size_t len)
{
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    cachekit_status status = backend->ops->get(backend, redis_kit_slice(key, len),
                                               cachekit_deadline_ns(20000), &value, NULL);
    if (status == CACHEKIT_OK) {
        bool is_right = value.len == len + 9 && memcmp(value.data + 9, key, len) == 0;
        atomic_fetch_add(is_right ? &hits : &wrong, 1);
    } else {
        atomic_fetch_add(status < 0 ? &failures : &wrong, 1);
    }
    cachekit_buffer_release(&value);
}

static void *run(void *arg)
{
    uint64_t random = (uintptr_t)arg;
    for (int i = 0; i < ROUNDS; i++) {
        char key[32];
        random = random * 6364136223846793005U + 1442695040888963407U;
        if (arg == (void *)1) {
            spoil(random >> 20);
        }
        int len = snprintf(key, sizeof key, "%d of %p", i, arg);
        cachekit_slice slice = redis_kit_slice(key, (size_t)len);
        int64_t deadline_ns = cachekit_deadline_ns(20000);
        get(key, (size_t)len);
        (void)backend->ops->set(backend, slice, slice, 1000, deadline_ns, NULL);
        bool done[1];
        (void)backend->ops->remove_many(backend, &slice, 1, deadline_ns, done, NULL);
    }
    return NULL;
}

static void race(const char *url)
{
    const cachekit_redis_backend_options options = {
        .connections_max = CONNECTIONS, .backoff_first_ms = 1, .backoff_max_ms = 1};
    pthread_t threads[THREADS];
    backend = redis_kit_backend(url, &options);
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run, (void *)(i + 1)) != 0) {
            redis_kit_die("no thread");
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    cachekit_backend_free(backend);
}

int main(void)
{
    char name_url[64];
    scripted_open(&server);
    (void)snprintf(name_url, sizeof name_url, "redis://localhost:%d", server.port);
    race(server.url);
    race(server.cluster_url);
    race(name_url);
    struct scripted_counts counts = scripted_counts(&server);
    scripted_close(&server);
    (void)printf("race_redis: %ld hits, %ld failures, %d faults, %d connections, %ld wrong\n",
                 atomic_load(&hits), atomic_load(&failures), counts.fired, counts.accepted,
                 atomic_load(&wrong));
    return atomic_load(&wrong) != 0 || atomic_load(&hits) == 0 || counts.fired == 0;
}
