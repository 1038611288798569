// SPDX-License-Identifier: MIT
// Three masters on this machine: keys go where they belong, redirections are followed, and what the
// slots of keys are is asked from Redis.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/redis_slot.h"
#include "redis_kit.h"

enum { MINUTE_MS = 60000, KEYS = 200, PER_MASTER = 5461 };

static struct redis_kit kit;
static cachekit_backend *backend;
static char reply[65536];

static void open_all(void)
{
    const cachekit_redis_backend_options options = {.backoff_first_ms = 1, .backoff_max_ms = 1};
    redis_kit_open_cluster(&kit);
    backend = redis_kit_backend(kit.cluster_url, &options);
}

static void close_all(void)
{
    cachekit_backend_free(backend);
    redis_kit_close(&kit);
}

TestSuite(redis_cluster, .init = open_all, .fini = close_all, .timeout = 180);

static int64_t soon(void)
{
    return cachekit_deadline_ns(10000);
}

static cachekit_status set(const char *key)
{
    cachekit_slice slice = redis_kit_slice(key, strlen(key));
    return backend->ops->set(backend, slice, slice, MINUTE_MS, soon(), NULL);
}

// OK only if the value is the key.
static cachekit_status get(const char *key)
{
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    cachekit_status status =
        backend->ops->get(backend, redis_kit_slice(key, strlen(key)), soon(), &value, NULL);
    if (status == CACHEKIT_OK) {
        cr_assert(eq(sz, value.len, strlen(key)));
        cr_assert(memcmp(value.data, key, value.len) == 0);
    }
    cachekit_buffer_release(&value);
    return status;
}

static int owner(const char *key)
{
    int master = cki_redis_slot(key, strlen(key)) / PER_MASTER;
    return master < 2 ? master : 2;
}

static long number(int server, const char *command)
{
    redis_kit_ask(&kit, server, reply, sizeof reply, command);
    return strtol(reply + 1, NULL, 10);
}

static bool was_redirected(void)
{
    bool was = false;
    for (int i = 0; i < 3; i++) {
        redis_kit_ask(&kit, i, reply, sizeof reply, "INFO errorstats");
        was = was || strstr(reply, "errorstat_MOVED") != NULL;
    }
    return was;
}

Test(redis_cluster, slots_are_those_of_redis)
{
    static const char *const keys[] = {"123456789", "",      "{",     "}",        "{}",
                                       "{}a",       "{a}b",  "x{a}b", "a",        "{{a}}",
                                       "{a",        "a}{b}", "\xff",  "a{b}{c}d", "{\xfe\x01}"};
    uint64_t random = 1;
    for (int i = 0; i < 60; i++) {
        char key[24];
        size_t len;
        if (i < 15) {
            len = strlen(keys[i]);
            memcpy(key, keys[i], len);
        } else {
            len = (size_t)i % 24;
            for (size_t k = 0; k < len; k++) {
                random = random * 6364136223846793005U + 1442695040888963407U;
                key[k] = "ab{}\0\xff"[random >> 33 & 5];
            }
        }
        redis_kit_ask(&kit, 0, reply, sizeof reply, "CLUSTER KEYSLOT %b", key, len);
        cr_assert(eq(int, cki_redis_slot(key, len), (int)strtol(reply + 1, NULL, 10)), "%d", i);
    }
}

Test(redis_cluster, keys_go_straight_to_their_masters)
{
    static char keys[KEYS][16];
    static cachekit_slice slices[KEYS];
    static bool done[KEYS];
    char token[CACHEKIT_LOCK_TOKEN_ROOM];
    int64_t ttl_ms;
    cachekit_health health;
    for (int i = 0; i < KEYS; i++) {
        int len = snprintf(keys[i], sizeof keys[i], i % 4 == 0 ? "{tag}%d" : "key%d", i);
        slices[i] = redis_kit_slice(keys[i], (size_t)len);
        cr_assert(eq(int, set(keys[i]), CACHEKIT_OK));
    }
    for (int i = 0; i < KEYS; i++) {
        cr_assert(eq(int, get(keys[i]), CACHEKIT_OK));
        cr_assert(
            eq(int, backend->ops->ttl(backend, slices[i], soon(), &ttl_ms, NULL), CACHEKIT_OK));
        cr_assert(eq(int, backend->ops->lock(backend, slices[i], MINUTE_MS, soon(), token, NULL),
                     CACHEKIT_OK));
        cr_assert(
            eq(int, backend->ops->unlock(backend, slices[i], token, soon(), NULL), CACHEKIT_OK));
    }
    cr_assert(eq(int, backend->ops->health(backend, soon(), &health, NULL), CACHEKIT_OK));
    long sizes[3] = {number(0, "DBSIZE"), number(1, "DBSIZE"), number(2, "DBSIZE")};
    cr_assert(sizes[0] > 0 && sizes[1] > 0 && sizes[2] > 0);
    cr_assert(eq(long, sizes[0] + sizes[1] + sizes[2], KEYS));
    cr_assert(
        eq(int, backend->ops->remove_many(backend, slices, KEYS, soon(), done, NULL), CACHEKIT_OK));
    for (int i = 0; i < KEYS; i++) {
        cr_assert(done[i]);
        cr_assert(eq(int, get(keys[i]), CACHEKIT_MISS));
    }
    cr_assert(not(was_redirected()));
}

static void slot_command(int server, int slot, const char *what, int other)
{
    char id[64];
    redis_kit_ask(&kit, other, reply, sizeof reply, "CLUSTER MYID");
    (void)snprintf(id, sizeof id, "%.40s", reply + 1);
    redis_kit_ask(&kit, server, reply, sizeof reply, "CLUSTER SETSLOT %d %s %s", slot, what, id);
    cr_assert(eq(str, (char *)reply, (char *)"+OK"));
}

Test(redis_cluster, redirections_are_followed)
{
    const char *key = "wanderer";
    int slot = cki_redis_slot(key, strlen(key));
    int from = owner(key), to = (from + 1) % 3;
    cr_assert(eq(int, set("warm"), CACHEKIT_OK));
    // On the move: what is not at the old master is at the new one, if it is anywhere.
    slot_command(to, slot, "IMPORTING", from);
    slot_command(from, slot, "MIGRATING", to);
    cr_assert(eq(int, get(key), CACHEKIT_MISS));
    cr_assert(eq(int, set(key), CACHEKIT_OK));
    cr_assert(eq(int, get(key), CACHEKIT_OK));
    cr_assert(eq(long, number(to, "DBSIZE") + number(from, "DBSIZE"),
                 1 + (owner("warm") != 3 - from - to)));
    cr_assert(gt(long, redis_kit_calls(&kit, to, "asking"), 2));
    // Half of a command's keys here and half there.
    const cachekit_slice keys[2] = {REDIS_KIT_BYTES("{wanderer}1"), REDIS_KIT_BYTES("wanderer")};
    bool done[2];
    cr_assert(eq(int, backend->ops->remove_many(backend, keys, 2, soon(), done, NULL),
                 CACHEKIT_E_TRANSIENT)); // TRYAGAIN
    cr_assert(not(done[0] || done[1]));
    // Moved for good, while nobody has a doubt about the map.
    const struct timespec longer = {0, 150000000};
    (void)nanosleep(&longer, NULL);
    cr_assert(eq(int, get("warm"), CACHEKIT_OK));
    slot_command(to, slot, "NODE", to);
    slot_command(from, slot, "NODE", to);
    const cachekit_slice both[2] = {REDIS_KIT_BYTES("{wanderer}1"), REDIS_KIT_BYTES("warm")};
    cr_assert(
        eq(int, backend->ops->remove_many(backend, both, 2, soon(), done, NULL), CACHEKIT_OK));
    cr_assert(done[0] && done[1]);
    cr_assert(eq(int, get("warm"), CACHEKIT_MISS));
    cr_assert(eq(int, get(key), CACHEKIT_OK));
    cr_assert(was_redirected());
    (void)nanosleep(&longer, NULL);
    redis_kit_ask(&kit, from, reply, sizeof reply, "CONFIG RESETSTAT");
    for (int i = 0; i < 5; i++) {
        cr_assert(eq(int, get(key), CACHEKIT_OK));
    }
    redis_kit_ask(&kit, from, reply, sizeof reply, "INFO errorstats");
    cr_assert(strstr(reply, "errorstat_MOVED") == NULL); // learned
}

Test(redis_cluster, without_cluster_mode_a_redirection_is_a_wrong_configuration)
{
    cachekit_error error = {.text = ""};
    cachekit_backend *single = redis_kit_backend(kit.tcp_url, NULL);
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    char key[16] = "k0";
    for (int i = 0; owner(key) == 0; i++) {
        (void)snprintf(key, sizeof key, "k%d", i);
    }
    cr_assert(
        eq(int, single->ops->get(single, redis_kit_slice(key, strlen(key)), soon(), &value, &error),
           CACHEKIT_E_CONFIG));
    cr_assert(strstr(error.text, "redis+cluster://") != NULL);
    cachekit_buffer_release(&value);
    cachekit_backend_free(single);
}

Test(redis_cluster, a_master_that_is_gone_takes_only_its_own_keys_with_it)
{
    char keys[3][16] = {"", "", ""};
    for (int i = 0; keys[0][0] == '\0' || keys[1][0] == '\0' || keys[2][0] == '\0'; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "k%d", i);
        memcpy(keys[owner(key)], key, sizeof key);
    }
    for (int i = 0; i < 3; i++) {
        cr_assert(eq(int, set(keys[i]), CACHEKIT_OK));
    }
    redis_kit_tell(&kit, "kill", 2);
    for (int i = 0; i < 20; i++) {
        cr_assert(eq(int, get(keys[0]), CACHEKIT_OK));
        cr_assert(eq(int, get(keys[1]), CACHEKIT_OK));
        cr_assert(eq(int, get(keys[2]), CACHEKIT_E_TRANSIENT));
    }
    redis_kit_tell(&kit, "start", 2);
    cachekit_status status;
    while ((status = set(keys[2])) != CACHEKIT_OK) {
        cr_assert(eq(int, status, CACHEKIT_E_TRANSIENT));
        const struct timespec moment = {0, 10000000};
        (void)nanosleep(&moment, NULL);
    }
    cr_assert(eq(int, get(keys[2]), CACHEKIT_OK));
}
