// SPDX-License-Identifier: MIT
// The states of a server while a function is called: the result is always right, the loader runs
// for what the server does not give, the breaker opens where the table of <cachekit/backend.h> says
// so and nowhere else, and hits come back with the server.
#include "function_kit.h"

#include <pthread.h>

enum { KNOWN = 3, NEW = 12, FIRST_NEW = 1000, RECOVERY_MS = 50 };

static struct redis_kit server;
static struct function_kit t;
static redisContext *control; // may ask whatever others may not
static char reply[4096];

// Of spaces in an argument there is one case, see enter_misconf().
static void must(const char *command)
{
    redisReply *got = redisCommand(control, command);
    cr_assert(got != NULL && got->type != REDIS_REPLY_ERROR, "%s: %s", command,
              got != NULL ? got->str : control->errstr);
    freeReplyObject(got);
}

static void take_control(void)
{
    control = redisConnectUnix(server.socket);
    cr_assert(control != NULL && control->err == 0);
    must("ACL SETUSER bob on >right ~* +@all");
}

static void start_again(void)
{
    redis_kit_tell(&server, "start", 0);
    redisFree(control);
    take_control();
}

static void die(void)
{
    redis_kit_tell(&server, "kill", 0);
}

static void hang(void)
{
    redis_kit_tell(&server, "stop", 0);
}

static void wake(void)
{
    redis_kit_tell(&server, "cont", 0);
}

static void enter_misconf(void)
{
    redisReply *got = redisCommand(control, "CONFIG SET save %s", "3600 1");
    cr_assert(got != NULL && got->type == REDIS_REPLY_STATUS);
    freeReplyObject(got);
    must("CONFIG SET dir /proc");
    must("BGSAVE");
    do {
        redis_kit_ask(&server, 0, reply, sizeof reply, "INFO persistence");
    } while (strstr(reply, "rdb_last_bgsave_status:err") == NULL);
}

// A command that the server is busy with until `leave`.
static pthread_t busy;

static void *ask_in_a_thread(void *context)
{
    redisContext *own = redisConnectUnix(server.socket);
    redisReply *got = redisCommand(own, context, "while true do end");
    freeReplyObject(got);
    redisFree(own);
    return NULL;
}

static void start_busy(const char *format, const char *sign)
{
    cr_assert(pthread_create(&busy, NULL, ask_in_a_thread, (void *)(uintptr_t)format) == 0);
    do {
        redis_kit_ask(&server, 0, reply, sizeof reply, "GET nothing");
    } while (strncmp(reply, sign, strlen(sign)) != 0);
}

static void enter_busy(void)
{
    must("CONFIG SET busy-reply-threshold 1");
    start_busy("EVAL %s 0", "-BUSY");
}

static void leave_busy(void)
{
    must("SCRIPT KILL");
    (void)pthread_join(busy, NULL);
}

static void enter_loading(void)
{
    must("DEBUG POPULATE 2000 p 100");
    must("CONFIG SET loading-process-events-interval-bytes 1024");
    must("CONFIG SET key-load-delay 200");
    start_busy("DEBUG RELOAD", "-LOADING");
}

static void leave_loading(void)
{
    (void)pthread_join(busy, NULL);
}

static const struct state {
    const char *name;
    const char *enter[3], *leave[2];
    void (*entering)(void), (*leaving)(void);
    bool get_fails, set_fails, opens, is_bob;
    int deadline_ms;
} states[] = {
    {.name = "OOM",
     .enter = {"CONFIG SET maxmemory 100kb"},
     .leave = {"CONFIG SET maxmemory 0"},
     .set_fails = true},
    {.name = "NOAUTH",
     .enter = {"CONFIG SET requirepass hush", "CLIENT KILL TYPE normal"},
     .leave = {"ACL SETUSER default nopass"},
     .get_fails = true,
     .set_fails = true},
    {.name = "WRONGPASS",
     .enter = {"ACL SETUSER bob resetpass >other", "CLIENT KILL USER bob"},
     .leave = {"ACL SETUSER bob resetpass >right"},
     .get_fails = true,
     .set_fails = true,
     .is_bob = true},
    {.name = "NOPERM",
     .enter = {"ACL SETUSER bob -get"},
     .leave = {"ACL SETUSER bob +get"},
     .get_fails = true,
     .is_bob = true},
    {.name = "READONLY",
     .enter = {"REPLICAOF 127.0.0.1 1"},
     .leave = {"REPLICAOF NO ONE"},
     .set_fails = true,
     .opens = true},
    {.name = "MASTERDOWN",
     .enter = {"CONFIG SET replica-serve-stale-data no", "REPLICAOF 127.0.0.1 1"},
     .leave = {"REPLICAOF NO ONE"},
     .get_fails = true,
     .set_fails = true,
     .opens = true},
    {.name = "maxclients",
     .enter = {"CONFIG SET maxclients 1", "CLIENT KILL TYPE normal"},
     .leave = {"CONFIG SET maxclients 1000"},
     .get_fails = true,
     .set_fails = true,
     .opens = true},
    {.name = "CLIENT PAUSE",
     .enter = {"CLIENT PAUSE 60000 WRITE"},
     .leave = {"CLIENT UNPAUSE"},
     .set_fails = true,
     .opens = true,
     .deadline_ms = 30},
    {.name = "SIGSTOP",
     .entering = hang,
     .leaving = wake,
     .get_fails = true,
     .set_fails = true,
     .opens = true,
     .deadline_ms = 30},
    {.name = "refused",
     .entering = die,
     .leaving = start_again,
     .get_fails = true,
     .set_fails = true,
     .opens = true},
    {.name = "BUSY",
     .entering = enter_busy,
     .leaving = leave_busy,
     .get_fails = true,
     .set_fails = true,
     .opens = true},
    {.name = "MISCONF",
     .entering = enter_misconf,
     .leave = {"CONFIG SET stop-writes-on-bgsave-error no", "CONFIG SET dir /tmp"},
     .set_fails = true,
     .opens = true},
    {.name = "LOADING",
     .entering = enter_loading,
     .leaving = leave_loading,
     .get_fails = true,
     .set_fails = true,
     .opens = true},
};

static void change(const char *const *commands, size_t count, void (*more)(void))
{
    for (size_t i = 0; i < count && commands[i] != NULL; i++) {
        must(commands[i]);
    }
    if (more != NULL) {
        more();
    }
}

// Until all known calls are answered by the server; results are right all the while.
static void settle(const char *name)
{
    for (int turn = 0; turn < 3000; turn++) {
        int hits = 0;
        for (int i = 0; i < KNOWN; i++) {
            hits += function_call(&t, i) == CACHEKIT_LAYER_L2;
        }
        if (hits == KNOWN) {
            return;
        }
        function_pause_ms(10);
    }
    cr_assert(false, "%s: the server is not asked any more", name);
}

// What is stored meanwhile, and what is not.
static void call_many(const struct state *state)
{
    int computed = 0;
    for (int i = 0; i < KNOWN; i++) {
        cachekit_layer layer = function_call(&t, i);
        // On a busy machine an answer may miss a deadline as short as some states have.
        cr_assert(state->deadline_ms != 0 ||
                      layer == (state->get_fails ? CACHEKIT_LAYER_MISS : CACHEKIT_LAYER_L2),
                  "%s: a stored result came from %d", state->name, (int)layer);
        computed += layer == CACHEKIT_LAYER_MISS;
    }
    for (int i = 0; i < NEW; i++) {
        cr_assert(function_call(&t, FIRST_NEW + i) == CACHEKIT_LAYER_MISS);
        computed++;
    }
    cr_assert(atomic_load(&t.loads) == computed, "%s: the loader ran %d times for %d calls",
              state->name, atomic_load(&t.loads), computed);
}

static void check(const struct state *state)
{
    cachekit_function_options options = cachekit_preset_production();
    char url[256];
    (void)snprintf(url, sizeof url, "redis://%s127.0.0.1:%d", state->is_bob ? "bob:right@" : "",
                   server.ports[0]);
    options.memory = CACHEKIT_OFF;
    options.breaker_recovery_ms = RECOVERY_MS;
    options.deadline_ms = state->deadline_ms;
    function_open(&t, url, &options);
    settle(state->name);
    cachekit_info_data before = function_info(&t);
    change(state->enter, 3, state->entering);
    atomic_store(&t.loads, 0);
    call_many(state);
    cachekit_info_data after = function_info(&t);
    uint64_t failures = after.backend_failures - before.backend_failures;
    uint64_t skipped = after.backend_skipped - before.backend_skipped;
    uint64_t asked = (uint64_t)(state->get_fails ? KNOWN + NEW : 0) +
                     (uint64_t)(state->set_fails ? (state->get_fails ? KNOWN : 0) + NEW : 0);
    cr_assert(state->opens ? failures > 0 && skipped > 0 : failures == asked && skipped == 0,
              "%s: %d failures, %d skipped", state->name, (int)failures, (int)skipped);
    cr_assert(after.corrupt == 0 && after.unauthentic == 0);
    change(state->leave, 2, state->leaving);
    settle(state->name);
    function_close(&t);
    must("FLUSHALL");
}

Test(function_states, results_are_right_and_the_breaker_opens_where_it_must, .timeout = 300)
{
    redis_kit_open(&server, NULL);
    take_control();
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        check(&states[i]);
    }
    redisFree(control);
    redis_kit_close(&server);
}

// MOVED: no outage but a URL that lacks its `+cluster`. CLUSTERDOWN is one.
Test(function_states, a_cluster_behind_a_plain_url_and_behind_its_own, .timeout = 300)
{
    enum { CALLS = 30 };
    const cachekit_function_options options = cachekit_preset_production();
    redis_kit_open_cluster(&server);
    function_open(&t, server.tcp_url, &options);
    for (int i = 0; i < CALLS; i++) {
        cr_assert(function_call(&t, i) == CACHEKIT_LAYER_MISS);
    }
    cachekit_info_data info = function_info(&t);
    cr_assert(info.backend_failures > CALLS && info.stored > 0 && info.backend_skipped == 0);
    cr_assert(info.backend_failures == 2 * (CALLS - info.stored));
    function_close(&t);
    function_open(&t, server.cluster_url, &options);
    for (int i = 0; i < CALLS; i++) {
        (void)function_call(&t, i);
    }
    function_reopen(&t, &options);
    for (int i = 0; i < CALLS; i++) {
        cr_assert(function_call(&t, i) == CACHEKIT_LAYER_L2);
    }
    cr_assert(function_info(&t).backend_failures == 0);
    function_close(&t);
    redis_kit_close(&server);
}

Test(function_states, a_cluster_without_slots_opens_the_breaker, .timeout = 300)
{
    static const char *const alone[] = {"--cluster-enabled", "yes", NULL};
    const cachekit_function_options options = cachekit_preset_production();
    redis_kit_open(&server, alone);
    function_open(&t, server.tcp_url, &options);
    for (int i = 0; i < NEW; i++) {
        cr_assert(function_call(&t, i) == CACHEKIT_LAYER_MISS);
    }
    cr_assert(function_info(&t).backend_failures == 5); // and then none more
    cr_assert(function_info(&t).backend_skipped == 2 * NEW - 5);
    function_close(&t);
    redis_kit_close(&server);
}
