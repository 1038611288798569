// SPDX-License-Identifier: MIT
// Connections: who finds none waits, who dials in vain pauses, what broke is not used again.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "backend/redis_backoff.h"
#include "redis_kit.h"
#include "scripted.h"

enum { NS_PER_MS = 1000000, MINUTE_MS = 60000 };

static struct scripted server;

static void open_all(void)
{
    scripted_open(&server);
}

static void close_all(void)
{
    scripted_close(&server);
}

TestSuite(redis_pool, .init = open_all, .fini = close_all, .timeout = 120);

static cachekit_status get_within(cachekit_backend *backend, int64_t ms, cachekit_error *error)
{
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    cachekit_status status =
        backend->ops->get(backend, REDIS_KIT_TEXT("k"), cachekit_deadline_ns(ms), &value, error);
    if (status == CACHEKIT_OK) {
        cr_assert(eq(sz, value.len, 10));
        cr_assert(memcmp(value.data, "value of k", 10) == 0);
    }
    cachekit_buffer_release(&value);
    return status;
}

static void pause_ms(int64_t ms)
{
    const struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * NS_PER_MS};
    (void)nanosleep(&time, NULL);
}

// The next answer comes late.
static void plan_delay(int delay_ms)
{
    scripted_plan(&server, (struct scripted_plan){.reply = "$10\r\nvalue of k\r\n",
                                                  .len = 17,
                                                  .fault = SCRIPTED_DELAY,
                                                  .delay_ms = delay_ms});
}

static void wait_for_commands(int count)
{
    while (scripted_counts(&server).commands < count) {
        pause_ms(1);
    }
}

static void *get_in_a_thread(void *backend)
{
    return (void *)(intptr_t)get_within(backend, 10000, NULL);
}

static cachekit_status ended(pthread_t thread)
{
    void *status;
    (void)pthread_join(thread, &status);
    return (cachekit_status)(intptr_t)status;
}

Test(redis_pool, who_finds_no_connection_waits_for_one)
{
    const cachekit_redis_backend_options options = {.connections_max = 1};
    cachekit_backend *backend = redis_kit_backend(server.url, &options);
    pthread_t thread;
    plan_delay(150);
    cr_assert(eq(int, pthread_create(&thread, NULL, get_in_a_thread, backend), 0));
    wait_for_commands(1);
    cachekit_error error = {.text = ""};
    cr_assert(eq(int, get_within(backend, 20, &error), CACHEKIT_E_TIMEOUT));
    cr_assert(strstr(error.text, "all 1 connections") != NULL, "%s", error.text);
    cr_assert(eq(int, get_within(backend, 10000, NULL), CACHEKIT_OK));
    cr_assert(eq(int, ended(thread), CACHEKIT_OK));
    cr_assert(eq(int, scripted_counts(&server).accepted, 1));
    cachekit_backend_free(backend);
}

Test(redis_pool, there_are_never_more_connections_than_allowed)
{
    enum { THREADS = 8 };
    const cachekit_redis_backend_options options = {.connections_max = 3};
    cachekit_backend *backend = redis_kit_backend(server.url, &options);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        plan_delay(20);
    }
    for (int i = 0; i < THREADS; i++) {
        cr_assert(eq(int, pthread_create(&threads[i], NULL, get_in_a_thread, backend), 0));
    }
    for (int i = 0; i < THREADS; i++) {
        cr_assert(eq(int, ended(threads[i]), CACHEKIT_OK));
    }
    cr_assert(eq(int, scripted_counts(&server).accepted, 3));
    cachekit_backend_free(backend);
    while (scripted_counts(&server).open > 0) {
        pause_ms(1);
    }
}

Test(redis_pool, a_connection_that_the_server_closed_is_replaced_unseen)
{
    cachekit_backend *backend = redis_kit_backend(server.url, NULL);
    for (int i = 0; i < 3; i++) {
        scripted_plan(&server,
                      (struct scripted_plan){.reply = "$10\r\nvalue of k\r\n",
                                             .len = 17,
                                             .fault = i == 1 ? SCRIPTED_RESET : SCRIPTED_CUT,
                                             .at = 17});
        cachekit_status status = get_within(backend, 10000, NULL);
        // A reset may overtake the answer.
        cr_assert(status == CACHEKIT_OK || (i == 1 && status == CACHEKIT_E_TRANSIENT));
        while (scripted_counts(&server).open > 0) {
            pause_ms(1);
        }
    }
    cachekit_backend_free(backend);
}

Test(redis_pool, after_a_dial_in_vain_nobody_dials_until_the_pause_is_over)
{
    const cachekit_redis_backend_options options = {.backoff_first_ms = 300, .backoff_max_ms = 300};
    cachekit_backend *backend = redis_kit_backend(server.url, &options);
    cachekit_error error = {.text = ""};
    scripted_plan(&server, (struct scripted_plan){.reply = "", .fault = SCRIPTED_CUT});
    cr_assert(eq(int, get_within(backend, 10000, NULL), CACHEKIT_E_TRANSIENT));
    for (int i = 0; i < 100; i++) {
        int64_t before = cachekit_deadline_ns(0);
        cachekit_status status = get_within(backend, 10000, &error);
        if (cachekit_deadline_ns(0) - before > 100 * NS_PER_MS) {
            break; // the host slept: the pause may be over
        }
        if (i < 20) {
            cr_assert(eq(int, status, CACHEKIT_E_TRANSIENT));
            cr_assert(strstr(error.text, "not dialled") != NULL);
        }
    }
    cr_assert(le(int, scripted_counts(&server).accepted, 2));
    while (get_within(backend, 10000, NULL) != CACHEKIT_OK) {
        pause_ms(5);
    }
    cr_assert(eq(int, scripted_counts(&server).accepted, 2));
    cachekit_backend_free(backend);
}

Test(redis_pool, a_closed_port_says_so)
{
    char url[64];
    cachekit_error error = {.text = ""};
    struct scripted gone;
    scripted_open(&gone);
    (void)snprintf(url, sizeof url, "%s", gone.url);
    scripted_close(&gone);
    cachekit_backend *backend = redis_kit_backend(url, NULL);
    cr_assert(eq(int, get_within(backend, 10000, &error), CACHEKIT_E_TRANSIENT));
    cr_assert(eq(int, error.foreign, ECONNREFUSED));
    cachekit_backend_free(backend);
}

Test(redis_pool, a_server_that_takes_calls_and_says_nothing_costs_one_deadline)
{
    const cachekit_redis_backend_options options = {.backoff_first_ms = MINUTE_MS,
                                                    .backoff_max_ms = MINUTE_MS};
    cachekit_backend *backend = redis_kit_backend(server.url, &options);
    scripted_silence(&server, true);
    cr_assert(eq(int, get_within(backend, 50, NULL), CACHEKIT_E_TIMEOUT));
    for (int i = 0; i < 10; i++) {
        cr_assert(eq(int, get_within(backend, MINUTE_MS, NULL), CACHEKIT_E_TRANSIENT));
    }
    cachekit_backend_free(backend);
    // A caller in too great a hurry blames nobody.
    backend = redis_kit_backend(server.url, &options);
    cr_assert(eq(int, get_within(backend, 3, NULL), CACHEKIT_E_TIMEOUT));
    cr_assert(eq(int, get_within(backend, 0, NULL), CACHEKIT_E_TIMEOUT));
    scripted_silence(&server, false);
    cr_assert(eq(int, get_within(backend, 10000, NULL), CACHEKIT_OK));
    cachekit_backend_free(backend);
}

Test(redis_pool, a_full_queue_of_a_unix_socket_is_waited_for)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char url[160];
    int waiting[8], count = 0;
    (void)snprintf(address.sun_path, sizeof address.sun_path, P_tmpdir "/ckq.%ld", (long)getpid());
    (void)snprintf(url, sizeof url, "unix://%s", address.sun_path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert(eq(int, bind(listener, (struct sockaddr *)&address, sizeof address), 0));
    cr_assert(eq(int, listen(listener, 0), 0));
    do {
        cr_assert(lt(int, count, 8));
        waiting[count] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    } while (connect(waiting[count++], (struct sockaddr *)&address, sizeof address) == 0);
    cachekit_backend *backend = redis_kit_backend(url, NULL);
    cachekit_error error = {.text = ""};
    cr_assert(eq(int, get_within(backend, 30, &error), CACHEKIT_E_TIMEOUT));
    cr_assert(strstr(error.text, "queue") != NULL, "%s", error.text);
    cachekit_backend_free(backend);
    while (count > 0) {
        (void)close(waiting[--count]);
    }
    (void)close(listener);
    (void)unlink(address.sun_path);
}

// Takes a connection, reads a byte and leaves.
static void *hang_up(void *listener)
{
    char byte;
    for (;;) {
        int fd = accept((int)(intptr_t)listener, NULL, NULL);
        if (fd < 0) {
            return NULL;
        }
        (void)recv(fd, &byte, 1, 0);
        (void)close(fd);
    }
}

// The server leaves in the middle of a large value: on a Unix socket each further byte is a
// SIGPIPE, which would kill this process.
Test(redis_pool, a_peer_that_is_gone_raises_no_signal)
{
    enum { BYTES = 4 << 20 };
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const cachekit_redis_backend_options options = {.backoff_first_ms = 1, .backoff_max_ms = 1};
    char url[160], *bytes = calloc(BYTES, 1);
    pthread_t thread;
    (void)snprintf(address.sun_path, sizeof address.sun_path, P_tmpdir "/ckp.%ld", (long)getpid());
    (void)snprintf(url, sizeof url, "unix://%s", address.sun_path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert(eq(int, bind(listener, (struct sockaddr *)&address, sizeof address), 0));
    cr_assert(eq(int, listen(listener, 8), 0));
    cr_assert(eq(int, pthread_create(&thread, NULL, hang_up, (void *)(intptr_t)listener), 0));
    cachekit_backend *backend = redis_kit_backend(url, &options);
    (void)signal(SIGPIPE, SIG_DFL);
    for (int i = 0; i < 20; i++) {
        cachekit_error error = {.text = ""};
        cachekit_status status =
            backend->ops->set(backend, REDIS_KIT_TEXT("k"), redis_kit_slice(bytes, BYTES),
                              MINUTE_MS, cachekit_deadline_ns(10000), &error);
        cr_assert(eq(int, status, CACHEKIT_E_TRANSIENT));
        pause_ms(2);
    }
    cachekit_backend_free(backend);
    (void)shutdown(listener, SHUT_RDWR);
    (void)pthread_join(thread, NULL);
    (void)close(listener);
    (void)unlink(address.sun_path);
    free(bytes);
}

static void nothing(int number)
{
    (void)number;
}

Test(redis_pool, signals_neither_end_nor_prolong_a_wait)
{
    const struct sigaction action = {.sa_handler = nothing};
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    cachekit_backend *backend = redis_kit_backend(server.url, NULL);
    cr_assert(eq(int, sigaction(SIGALRM, &action, NULL), 0));
    cr_assert(eq(int, setitimer(ITIMER_REAL, &often, NULL), 0));
    for (int i = 0; i < 5; i++) {
        plan_delay(30);
        cr_assert(eq(int, get_within(backend, 10000, NULL), CACHEKIT_OK));
    }
    plan_delay(1000);
    cr_assert(eq(int, get_within(backend, 40, NULL), CACHEKIT_E_TIMEOUT));
    cr_assert(eq(int, setitimer(ITIMER_REAL, &never, NULL), 0));
    cachekit_backend_free(backend);
}

// The arithmetic of the pause, on instants of its own.
Test(redis_pool, pauses_double_up_to_their_bound_and_one_probes)
{
    static struct cki_redis self = {.backoff_first_ms = 100, .backoff_max_ms = 350};
    static struct cki_node node;
    static const int64_t expected_ms[] = {100, 200, 350, 350};
    int64_t far = cachekit_deadline_ns(1000000);
    cr_assert(eq(int, cki_backoff_ask(&node, 0), CACHEKIT_OK));
    cr_assert(eq(int, cki_backoff_ask(&node, 0), CACHEKIT_OK)); // in peace all may dial
    for (int i = 0; i < 4; i++) {
        uint8_t jitter = i % 2 == 0 ? 0 : 255;
        cki_backoff_failed(&self, &node, CACHEKIT_E_TIMEOUT, far, jitter);
        cr_assert(eq(i64, node.pause_ms, expected_ms[i]));
        int64_t pause_us = (node.retry_at_ns - node.failed_ns) / 1000;
        cr_assert(
            eq(i64, pause_us * 2 / 1000,
               jitter == 0 ? expected_ms[i] : expected_ms[i] * 3 - (expected_ms[i] + 127) / 128));
        cr_assert(eq(int, cki_backoff_ask(&node, node.retry_at_ns - 1), CACHEKIT_E_TRANSIENT));
        cr_assert(eq(int, cki_backoff_ask(&node, node.retry_at_ns), CACHEKIT_OK));
        cr_assert(eq(int, cki_backoff_ask(&node, node.retry_at_ns), CACHEKIT_E_TRANSIENT));
    }
    // One that began before the last failure was known says nothing new.
    cki_backoff_proved(&node);
    cki_backoff_failed(&self, &node, CACHEKIT_E_REMOTE_AUTH, far, 0);
    cki_backoff_failed(&self, &node, CACHEKIT_E_TRANSIENT, node.failed_ns - 1, 0);
    cr_assert(eq(i64, node.pause_ms, 100));
    cr_assert(eq(int, cki_backoff_ask(&node, node.failed_ns), CACHEKIT_E_REMOTE_AUTH));
    cki_backoff_proved(&node);
    cr_assert(eq(int, cki_backoff_ask(&node, 0), CACHEKIT_OK));
}
