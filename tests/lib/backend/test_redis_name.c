// SPDX-License-Identifier: MIT
// Resolving names while the resolver hangs, fails and lies: getaddrinfo passes through this file.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "redis_kit.h"
#include "scripted.h"

int __real_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                       struct addrinfo **out);
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                       struct addrinfo **out);

static atomic_int hang_ms;    // how long the resolver takes
static atomic_int failure;    // what it says then
static atomic_int lookups;    // of names
static atomic_bool unblocked; // a lookup ran on a thread that takes signals

static void pause_ms(int ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    (void)nanosleep(&time, NULL);
}

int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                       struct addrinfo **out)
{
    if (hints->ai_flags & AI_NUMERICHOST) {
        return __real_getaddrinfo(host, port, hints, out);
    }
    sigset_t mask;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (!sigismember(&mask, SIGINT)) {
        atomic_store(&unblocked, true);
    }
    atomic_fetch_add(&lookups, 1);
    for (int i = 0; i < atomic_load(&hang_ms); i++) {
        pause_ms(1);
    }
    int fails = atomic_load(&failure);
    return fails != 0 ? fails : __real_getaddrinfo("127.0.0.1", port, hints, out);
}

static struct scripted server;
static char url[64];

static void open_all(void)
{
    scripted_open(&server);
    (void)snprintf(url, sizeof url, "redis://cache.invalid:%d", server.port);
}

static void close_all(void)
{
    scripted_close(&server);
}

TestSuite(redis_name, .init = open_all, .fini = close_all, .timeout = 120);

static const cachekit_redis_backend_options brisk = {.backoff_first_ms = 1, .backoff_max_ms = 1};

static cachekit_status get_within(cachekit_backend *backend, int64_t ms, int64_t *took_ms,
                                  cachekit_error *error)
{
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    int64_t begun = cachekit_deadline_ns(0);
    cachekit_status status =
        backend->ops->get(backend, REDIS_KIT_TEXT("k"), cachekit_deadline_ns(ms), &value, error);
    if (took_ms != NULL) {
        *took_ms = (cachekit_deadline_ns(0) - begun) / 1000000;
    }
    cachekit_buffer_release(&value);
    return status;
}

// The server closes every connection: the next call has to dial.
static void hang_up(cachekit_backend *backend)
{
    scripted_plan(&server, (struct scripted_plan){
                               .reply = "$-1\r\n", .len = 5, .fault = SCRIPTED_CUT, .at = 5});
    cr_assert(eq(int, get_within(backend, 10000, NULL, NULL), CACHEKIT_MISS));
    while (scripted_counts(&server).open > 0) {
        pause_ms(1);
    }
}

Test(redis_name, a_name_is_looked_up_on_a_thread_without_signals)
{
    cachekit_backend *backend = redis_kit_backend(url, NULL);
    cr_assert(eq(int, get_within(backend, 10000, NULL, NULL), CACHEKIT_OK));
    cr_assert(eq(int, get_within(backend, 10000, NULL, NULL), CACHEKIT_OK));
    cr_assert(eq(int, atomic_load(&lookups), 1));
    cr_assert(not(atomic_load(&unblocked)));
    cachekit_backend_free(backend);
}

Test(redis_name, a_numeric_address_is_not_looked_up)
{
    cachekit_backend *backend = redis_kit_backend(server.url, NULL);
    atomic_store(&hang_ms, 60000);
    cr_assert(eq(int, get_within(backend, 10000, NULL, NULL), CACHEKIT_OK));
    cr_assert(eq(int, atomic_load(&lookups), 0));
    cachekit_backend_free(backend);
}

Test(redis_name, a_resolver_that_hangs_overruns_no_deadline)
{
    cachekit_backend *backend = redis_kit_backend(url, &brisk);
    cachekit_error error = {.text = ""};
    int64_t took_ms;
    atomic_store(&hang_ms, 400);
    for (int i = 0; i < 3; i++) {
        cachekit_status status = get_within(backend, 30, &took_ms, &error);
        cr_assert(eq(int, status, CACHEKIT_E_TIMEOUT), "%s", error.text);
        cr_assert(strstr(error.text, "resolved") != NULL);
        cr_assert(lt(i64, took_ms, 350)); // it did not wait for the resolver
        pause_ms(5);
    }
    cr_assert(eq(int, atomic_load(&lookups), 1)); // one asks for all
    while (get_within(backend, 10000, NULL, NULL) != CACHEKIT_OK) {
        pause_ms(1);
    }
    cachekit_backend_free(backend);
}

Test(redis_name, while_it_hangs_the_last_good_address_does)
{
    cachekit_backend *backend = redis_kit_backend(url, &brisk);
    cr_assert(eq(int, get_within(backend, 10000, NULL, NULL), CACHEKIT_OK));
    hang_up(backend);
    pause_ms(1100); // the lookup is not fresh any more
    atomic_store(&hang_ms, 5000);
    cr_assert(eq(int, get_within(backend, 400, NULL, NULL), CACHEKIT_OK));
    cr_assert(eq(int, atomic_load(&lookups), 2));
    // The backend may go while the lookup still hangs.
    cachekit_backend_free(backend);
    atomic_store(&hang_ms, 0);
    pause_ms(20);
}

Test(redis_name, a_resolver_that_fails_is_transient_and_the_last_good_address_does)
{
    cachekit_error error = {.text = ""};
    cachekit_backend *backend = redis_kit_backend(url, &brisk);
    atomic_store(&failure, EAI_NONAME);
    cr_assert(eq(int, get_within(backend, 10000, NULL, &error), CACHEKIT_E_TRANSIENT));
    cr_assert(eq(int, error.foreign, EAI_NONAME));
    cr_assert(strstr(error.text, "invalid") == NULL);
    atomic_store(&failure, 0);
    while (get_within(backend, 10000, NULL, NULL) != CACHEKIT_OK) {
        pause_ms(1);
    }
    hang_up(backend);
    pause_ms(1100);
    atomic_store(&failure, EAI_AGAIN);
    cr_assert(eq(int, get_within(backend, 10000, NULL, NULL), CACHEKIT_OK));
    cachekit_backend_free(backend);
}

// A failover behind a name: the address may be another one now.
Test(redis_name, after_readonly_the_name_is_looked_up_anew)
{
    cachekit_backend *backend = redis_kit_backend(url, &brisk);
    cr_assert(eq(int, get_within(backend, 10000, NULL, NULL), CACHEKIT_OK));
    scripted_say(&server, "-READONLY You can't write against a read only replica.\r\n");
    cr_assert(eq(int, get_within(backend, 10000, NULL, NULL), CACHEKIT_E_TRANSIENT));
    cr_assert(eq(int, get_within(backend, 10000, NULL, NULL), CACHEKIT_OK));
    cr_assert(eq(int, atomic_load(&lookups), 2));
    cachekit_backend_free(backend);
}
