// SPDX-License-Identifier: MIT
// The states of a real redis-server, and what the backend answers in each. MOVED and a Cluster's
// masters: test_redis_cluster.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "redis_kit.h"

enum { MINUTE_MS = 60000 };

static struct redis_kit kit;
static char reply[4096];
static const cachekit_redis_backend_options brisk = {.backoff_first_ms = 1, .backoff_max_ms = 1};

static void open_one(void)
{
    redis_kit_open(&kit, NULL);
}

static void close_one(void)
{
    redis_kit_close(&kit);
}

TestSuite(redis_states, .init = open_one, .fini = close_one, .timeout = 120);

static cachekit_status get_within(cachekit_backend *backend, int64_t ms)
{
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    cachekit_status status =
        backend->ops->get(backend, REDIS_KIT_TEXT("k"), cachekit_deadline_ns(ms), &value, NULL);
    cachekit_buffer_release(&value);
    return status;
}

static cachekit_status get(cachekit_backend *backend)
{
    return get_within(backend, 10000);
}

static cachekit_status set_within(cachekit_backend *backend, int64_t ms)
{
    return backend->ops->set(backend, REDIS_KIT_TEXT("k"), REDIS_KIT_TEXT("v"), MINUTE_MS,
                             cachekit_deadline_ns(ms), NULL);
}

static cachekit_status set(cachekit_backend *backend)
{
    return set_within(backend, 10000);
}

static void pause_ms(int64_t ms)
{
    const struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    (void)nanosleep(&time, NULL);
}

static void must(const char *command)
{
    redis_kit_ask(&kit, 0, reply, sizeof reply, command);
    cr_assert(reply[0] != '-', "%s: %s", command, reply);
}

static void expect_recovery(cachekit_backend *backend)
{
    cachekit_status status;
    while ((status = set(backend)) != CACHEKIT_OK) {
        cr_assert(eq(int, status, CACHEKIT_E_TRANSIENT));
        pause_ms(1);
    }
    cr_assert(eq(int, get(backend), CACHEKIT_OK));
}

Test(redis_states, a_dead_server_is_transient_and_its_return_is_noticed)
{
    cachekit_backend *backend = redis_kit_backend(kit.tcp_url, &brisk);
    for (int i = 0; i < 3; i++) {
        cr_assert(eq(int, set(backend), CACHEKIT_OK));
        redis_kit_tell(&kit, "kill", 0);
        cr_assert(eq(int, get(backend), CACHEKIT_E_TRANSIENT));
        cr_assert(eq(int, get(backend), CACHEKIT_E_TRANSIENT));
        redis_kit_tell(&kit, "start", 0);
        expect_recovery(backend);
    }
    cachekit_backend_free(backend);
}

Test(redis_states, a_stopped_server_is_a_timeout_and_its_late_answer_nobodys)
{
    cachekit_backend *backend = redis_kit_backend(kit.tcp_url, &brisk);
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    redis_kit_tell(&kit, "stop", 0);
    cr_assert(eq(int, get_within(backend, 50), CACHEKIT_E_TIMEOUT));
    cr_assert(eq(int, set_within(backend, 50), CACHEKIT_E_TIMEOUT));
    redis_kit_tell(&kit, "cont", 0);
    expect_recovery(backend);
    cachekit_backend_free(backend);
}

Test(redis_states, paused_and_killed_clients)
{
    cachekit_backend *backend = redis_kit_backend(kit.unix_url, &brisk);
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    must("CLIENT PAUSE 300 WRITE");
    cr_assert(eq(int, get(backend), CACHEKIT_OK));
    cr_assert(eq(int, set_within(backend, 30), CACHEKIT_E_TIMEOUT));
    must("CLIENT UNPAUSE");
    expect_recovery(backend);
    must("CLIENT KILL TYPE normal");
    cr_assert(eq(int, get(backend), CACHEKIT_OK)); // another connection, unseen
    cachekit_backend_free(backend);
}

Test(redis_states, no_room_is_no_outage)
{
    cachekit_backend *backend = redis_kit_backend(kit.unix_url, NULL);
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    must("CONFIG SET maxmemory 100kb");
    cr_assert(eq(int, set(backend), CACHEKIT_E_FULL));
    cr_assert(eq(int, get(backend), CACHEKIT_OK));
    must("CONFIG SET maxmemory 0");
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    must("DEL k");
    must("LPUSH k 1");
    cr_assert(eq(int, get(backend), CACHEKIT_E_WRONG_TYPE));
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    cachekit_backend_free(backend);
}

Test(redis_states, who_may_not_is_told)
{
    char url[256];
    must("ACL SETUSER bob on >right ~* +set");
    (void)snprintf(url, sizeof url, "redis://bob:right@127.0.0.1:%d", kit.ports[0]);
    cachekit_backend *backend = redis_kit_backend(url, NULL);
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    cr_assert(eq(int, get(backend), CACHEKIT_E_REMOTE_AUTH));
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    cachekit_backend_free(backend);
    (void)snprintf(url, sizeof url, "redis://bob:wrong@127.0.0.1:%d", kit.ports[0]);
    backend = redis_kit_backend(url, NULL);
    cr_assert(eq(int, get(backend), CACHEKIT_E_REMOTE_AUTH));
    cr_assert(eq(int, get(backend), CACHEKIT_E_REMOTE_AUTH)); // in the pause as well
    cachekit_backend_free(backend);
    // From a server without a password, and with one.
    backend = redis_kit_backend(kit.tcp_url, &brisk);
    must("CONFIG SET requirepass hush");
    cr_assert(eq(int, get(backend), CACHEKIT_E_REMOTE_AUTH));
    cachekit_backend_free(backend);
}

Test(redis_states, replicas_send_writers_away_and_the_next_master_is_found)
{
    cachekit_backend *backend = redis_kit_backend(kit.tcp_url, &brisk);
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    must("REPLICAOF 127.0.0.1 1");
    must("CONFIG RESETSTAT");
    cr_assert(eq(int, set(backend), CACHEKIT_E_TRANSIENT)); // READONLY
    cr_assert(eq(int, get(backend), CACHEKIT_OK));          // over another connection
    redis_kit_ask(&kit, 0, reply, sizeof reply, "INFO stats");
    cr_assert(strstr(reply, "total_connections_received:2") != NULL, "%s", reply);
    must("CONFIG SET replica-serve-stale-data no");
    cr_assert(eq(int, get(backend), CACHEKIT_E_TRANSIENT)); // MASTERDOWN
    must("REPLICAOF NO ONE");
    expect_recovery(backend);
    cachekit_backend_free(backend);
}

Test(redis_states, a_server_that_cannot_save_takes_no_writes)
{
    cachekit_backend *backend = redis_kit_backend(kit.unix_url, NULL);
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    must("CONFIG SET dir /proc");
    redis_kit_ask(&kit, 0, reply, sizeof reply, "CONFIG SET save %s", "3600 1");
    cr_assert(eq(str, (char *)reply, (char *)"+OK"));
    must("BGSAVE");
    do {
        redis_kit_ask(&kit, 0, reply, sizeof reply, "INFO persistence");
    } while (strstr(reply, "rdb_last_bgsave_status:err") == NULL);
    cr_assert(eq(int, set(backend), CACHEKIT_E_TRANSIENT)); // MISCONF
    cr_assert(eq(int, get(backend), CACHEKIT_OK));
    cachekit_backend_free(backend);
}

Test(redis_states, a_full_house)
{
    cachekit_backend *first = redis_kit_backend(kit.tcp_url, NULL);
    cachekit_backend *second = redis_kit_backend(kit.tcp_url, &brisk);
    must("CONFIG SET maxclients 1");
    while (get(first) < 0) { // the setter may not have left yet
        pause_ms(120);
    }
    cr_assert(eq(int, get(second), CACHEKIT_E_TRANSIENT));
    cachekit_backend_free(first);
    expect_recovery(second);
    cachekit_backend_free(second);
}

static void *spin_in_a_thread(void *unused)
{
    static char answer[4096];
    (void)unused;
    redis_kit_ask(&kit, 0, answer, sizeof answer, "EVAL %s 0", "while true do end");
    return NULL;
}

static void *reload_in_a_thread(void *unused)
{
    static char answer[4096];
    (void)unused;
    redis_kit_ask(&kit, 0, answer, sizeof answer, "DEBUG RELOAD");
    return NULL;
}

Test(redis_states, a_busy_script_is_transient)
{
    pthread_t thread;
    cachekit_status status;
    cachekit_backend *backend = redis_kit_backend(kit.unix_url, &brisk);
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    must("CONFIG SET busy-reply-threshold 1");
    cr_assert(eq(int, pthread_create(&thread, NULL, spin_in_a_thread, NULL), 0));
    while ((status = get(backend)) == CACHEKIT_OK) {
    }
    cr_assert(eq(int, status, CACHEKIT_E_TRANSIENT));
    must("SCRIPT KILL");
    (void)pthread_join(thread, NULL);
    expect_recovery(backend);
    cachekit_backend_free(backend);
}

Test(redis_states, a_loading_server_is_transient)
{
    pthread_t thread;
    cachekit_status status;
    cachekit_backend *backend = redis_kit_backend(kit.unix_url, &brisk);
    cr_assert(eq(int, set(backend), CACHEKIT_OK));
    must("DEBUG POPULATE 2000 p 100");
    must("CONFIG SET loading-process-events-interval-bytes 1024");
    must("CONFIG SET key-load-delay 200");
    cr_assert(eq(int, pthread_create(&thread, NULL, reload_in_a_thread, NULL), 0));
    while ((status = get(backend)) == CACHEKIT_OK) {
    }
    cr_assert(eq(int, status, CACHEKIT_E_TRANSIENT));
    (void)pthread_join(thread, NULL);
    expect_recovery(backend);
    cachekit_backend_free(backend);
}

Test(redis_states, a_cluster_without_slots_is_transient, .init = NULL, .fini = NULL)
{
    static const char *const options[] = {"--cluster-enabled", "yes", NULL};
    redis_kit_open(&kit, options);
    for (int i = 0; i < 2; i++) {
        cachekit_backend *backend = redis_kit_backend(i == 0 ? kit.tcp_url : kit.cluster_url, NULL);
        cr_assert(eq(int, get(backend), CACHEKIT_E_TRANSIENT)); // CLUSTERDOWN
        cachekit_backend_free(backend);
    }
    redis_kit_close(&kit);
}
