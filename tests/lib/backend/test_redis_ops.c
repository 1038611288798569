// SPDX-License-Identifier: MIT
// Every function of the backend against a real redis-server; hiredis reads and writes beside it.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cachekit/cache.h>

#include "redis_kit.h"

static struct redis_kit kit;
static cachekit_backend *backend;
static cachekit_buffer value;
static char reply[4096];

static void open_all(void)
{
    redis_kit_open(&kit, NULL);
    backend = redis_kit_backend(kit.unix_url, NULL);
    cachekit_buffer_init(&value, NULL);
}

static void close_all(void)
{
    cachekit_buffer_release(&value);
    cachekit_backend_free(backend);
    redis_kit_close(&kit);
}

TestSuite(redis_ops, .init = open_all, .fini = close_all, .timeout = 120);

static int64_t soon(void)
{
    return cachekit_deadline_ns(10000);
}

static cachekit_status set(cachekit_slice key, cachekit_slice bytes, int64_t ttl_ms)
{
    return backend->ops->set(backend, key, bytes, ttl_ms, soon(), NULL);
}

static cachekit_status get(cachekit_slice key)
{
    return backend->ops->get(backend, key, soon(), &value, NULL);
}

static void expect_value(cachekit_slice bytes)
{
    cr_assert(eq(sz, value.len, bytes.len));
    cr_assert(memcmp(value.data, bytes.data, bytes.len) == 0);
}

Test(redis_ops, any_bytes_are_keys_and_values)
{
    static const cachekit_slice rows[] = {
        REDIS_KIT_BYTES("plain"),
        REDIS_KIT_BYTES("a b\r\nc"),
        REDIS_KIT_BYTES("\0"),
        REDIS_KIT_BYTES("nul\0inside\r\n$5\r\nhello\r\n"),
        REDIS_KIT_BYTES("\xff\xfe\x80{tag}%s"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cachekit_slice key = rows[i], bytes = rows[sizeof rows / sizeof rows[0] - 1 - i];
        cr_assert(eq(int, get(key), CACHEKIT_MISS));
        cr_assert(eq(int, set(key, bytes, CACHEKIT_FOREVER_MS), CACHEKIT_OK));
        cr_assert(eq(int, get(key), CACHEKIT_OK));
        expect_value(bytes);
        redis_kit_ask(&kit, 0, reply, sizeof reply, "STRLEN %b", key.data, key.len);
        cr_assert(eq(sz, (size_t)strtol(reply + 1, NULL, 10), bytes.len));
    }
    cr_assert(eq(int, set(rows[0], (cachekit_slice){NULL, 0}, 60000), CACHEKIT_OK));
    cr_assert(eq(int, get(rows[0]), CACHEKIT_OK));
    cr_assert(eq(sz, value.len, 0));
}

Test(redis_ops, what_another_client_wrote_is_read_and_the_other_way_round)
{
    redis_kit_ask(&kit, 0, reply, sizeof reply, "SET %b %b", "k\0k", (size_t)3, "v\r\n\0v",
                  (size_t)5);
    cr_assert(eq(int, get(REDIS_KIT_TEXT("k\0k")), CACHEKIT_OK));
    expect_value(REDIS_KIT_TEXT("v\r\n\0v"));
    cr_assert(eq(int, set(REDIS_KIT_TEXT("mine"), REDIS_KIT_TEXT("yours"), 60000), CACHEKIT_OK));
    redis_kit_ask(&kit, 0, reply, sizeof reply, "GET mine");
    cr_assert(eq(str, (char *)reply, (char *)"$yours"));
}

// Around the sizes at which bytes come in another number of pieces.
Test(redis_ops, values_of_any_size_come_back_whole)
{
    static const size_t sizes[] = {1, 1023, 16384, 65520, 65536, 65537, 1 << 20, 5000001};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t *bytes = malloc(sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++) {
            bytes[k] = (uint8_t)(k * 2654435761U >> 13);
        }
        cachekit_slice slice = {bytes, sizes[i]};
        cr_assert(eq(int, set(REDIS_KIT_TEXT("big"), slice, 60000), CACHEKIT_OK));
        cr_assert(eq(int, get(REDIS_KIT_TEXT("big")), CACHEKIT_OK));
        expect_value(slice);
        free(bytes);
    }
}

Test(redis_ops, lives_are_exact_to_the_millisecond)
{
    int64_t ttl_ms = 0;
    cachekit_slice key = REDIS_KIT_TEXT("key"), bytes = REDIS_KIT_TEXT("bytes");
    cr_assert(eq(int, backend->ops->ttl(backend, key, soon(), &ttl_ms, NULL), CACHEKIT_MISS));
    cr_assert(eq(int, set(key, bytes, CACHEKIT_FOREVER_MS), CACHEKIT_OK));
    cr_assert(eq(int, backend->ops->ttl(backend, key, soon(), &ttl_ms, NULL), CACHEKIT_OK));
    cr_assert(eq(i64, ttl_ms, CACHEKIT_FOREVER_MS));
    int64_t before = cachekit_deadline_ns(0);
    cr_assert(eq(int, set(key, bytes, 1234567), CACHEKIT_OK));
    cr_assert(eq(int, backend->ops->ttl(backend, key, soon(), &ttl_ms, NULL), CACHEKIT_OK));
    int64_t passed_ms = (cachekit_deadline_ns(0) - before) / 1000000 + 2;
    cr_assert(le(i64, ttl_ms, 1234567));
    cr_assert(ge(i64, ttl_ms, 1234567 - passed_ms));
    redis_kit_ask(&kit, 0, reply, sizeof reply, "PEXPIRETIME key");
    cr_assert(gt(i64, strtoll(reply + 1, NULL, 10), INT64_C(1700000000000)));
    // What the server would call an overflow is for ever all the same.
    cr_assert(eq(int, set(key, bytes, INT64_MAX - 1), CACHEKIT_OK));
    cr_assert(eq(int, get(key), CACHEKIT_OK));
    cr_assert(eq(int, set(key, bytes, 0), CACHEKIT_E_INVALID));
    cr_assert(eq(int, set(key, bytes, -1), CACHEKIT_E_INVALID));
    cr_assert(eq(int, set(key, bytes, 1), CACHEKIT_OK));
    do {
        cr_assert(ge(int, backend->ops->exists(backend, key, soon(), NULL), 0));
    } while (get(key) == CACHEKIT_OK);
}

Test(redis_ops, removed_and_absent_are_told_apart)
{
    cachekit_slice key = REDIS_KIT_TEXT("key");
    cr_assert(eq(int, backend->ops->exists(backend, key, soon(), NULL), CACHEKIT_MISS));
    cr_assert(eq(int, backend->ops->remove(backend, key, soon(), NULL), CACHEKIT_MISS));
    cr_assert(eq(int, set(key, key, 60000), CACHEKIT_OK));
    cr_assert(eq(int, backend->ops->exists(backend, key, soon(), NULL), CACHEKIT_OK));
    cr_assert(eq(int, backend->ops->remove(backend, key, soon(), NULL), CACHEKIT_OK));
    cr_assert(eq(int, get(key), CACHEKIT_MISS));
    cr_assert(eq(int, get((cachekit_slice){NULL, 0}), CACHEKIT_E_INVALID));
}

Test(redis_ops, a_lock_is_one_holders_until_it_ends)
{
    char mine[CACHEKIT_LOCK_TOKEN_ROOM], other[CACHEKIT_LOCK_TOKEN_ROOM];
    cachekit_slice key = REDIS_KIT_TEXT("job");
    const cachekit_backend_ops *ops = backend->ops;
    cr_assert(eq(int, ops->lock(backend, key, 60000, soon(), mine, NULL), CACHEKIT_OK));
    cr_assert(eq(sz, strspn(mine, "0123456789abcdef"), 32));
    redis_kit_ask(&kit, 0, reply, sizeof reply, "GET job:lock");
    cr_assert(eq(str, (char *)reply + 1, (char *)mine));
    redis_kit_ask(&kit, 0, reply, sizeof reply, "PTTL job:lock");
    cr_assert(gt(i64, strtoll(reply + 1, NULL, 10), 1000));
    cr_assert(eq(int, ops->lock(backend, key, 60000, soon(), other, NULL), CACHEKIT_MISS));
    cr_assert(eq(str, (char *)other, (char *)""));
    cr_assert(eq(int, ops->unlock(backend, key, "00000000000000000000000000000000", soon(), NULL),
                 CACHEKIT_MISS));
    cr_assert(eq(int, ops->lock(backend, key, 60000, soon(), other, NULL), CACHEKIT_MISS));
    cr_assert(eq(int, ops->unlock(backend, key, mine, soon(), NULL), CACHEKIT_OK));
    cr_assert(eq(int, ops->unlock(backend, key, mine, soon(), NULL), CACHEKIT_MISS));
    cr_assert(eq(int, ops->lock(backend, key, 20, soon(), other, NULL), CACHEKIT_OK));
    cr_assert(ne(str, (char *)other, (char *)mine));
    cachekit_status status;
    do {
        status = ops->lock(backend, key, 60000, soon(), mine, NULL);
    } while (status == CACHEKIT_MISS);
    cr_assert(eq(int, status, CACHEKIT_OK));
    cr_assert(eq(int, ops->unlock(backend, key, other, soon(), NULL), CACHEKIT_MISS));
    cr_assert(eq(int, ops->unlock(backend, key, "short", soon(), NULL), CACHEKIT_E_INVALID));
}

// A user who may not run scripts leaves the lock to its end, and never deletes without looking.
Test(redis_ops, a_lock_that_may_not_be_released_is_left_alone)
{
    char url[256], token[CACHEKIT_LOCK_TOKEN_ROOM];
    redis_kit_ask(&kit, 0, reply, sizeof reply,
                  "ACL SETUSER bob on >p@ss/word ~* +get +set +del -eval");
    cr_assert(eq(str, (char *)reply, (char *)"+OK"));
    (void)snprintf(url, sizeof url, "redis://bob:p%%40ss%%2Fword@127.0.0.1:%d", kit.ports[0]);
    cachekit_backend *bobs = redis_kit_backend(url, NULL);
    cachekit_slice key = REDIS_KIT_TEXT("job");
    cr_assert(eq(int, bobs->ops->lock(bobs, key, 60000, soon(), token, NULL), CACHEKIT_OK));
    cr_assert(eq(int, bobs->ops->unlock(bobs, key, token, soon(), NULL), CACHEKIT_MISS));
    cr_assert(eq(int, bobs->ops->unlock(bobs, key, token, soon(), NULL), CACHEKIT_MISS));
    redis_kit_ask(&kit, 0, reply, sizeof reply, "EXISTS job:lock");
    cr_assert(eq(str, (char *)reply, (char *)":1"));
    redis_kit_ask(&kit, 0, reply, sizeof reply, "ACL LOG RESET");
    cachekit_backend_free(bobs);
}

Test(redis_ops, a_tenant_is_a_prefix_percent_encoded)
{
    const cachekit_redis_backend_options options = {.tenant = "a b/\xc3\xa9:~"};
    char token[CACHEKIT_LOCK_TOKEN_ROOM];
    bool done[2];
    cachekit_backend *scoped = redis_kit_backend(kit.unix_url, &options);
    cachekit_slice key = REDIS_KIT_TEXT("ns:k"), bytes = REDIS_KIT_TEXT("bytes");
    cachekit_slice keys[2] = {key, REDIS_KIT_TEXT("gone")};
    cr_assert(scoped->prefixes_keys);
    cr_assert(not(backend->prefixes_keys));
    cr_assert(eq(int, scoped->ops->set(scoped, key, bytes, 60000, soon(), NULL), CACHEKIT_OK));
    redis_kit_ask(&kit, 0, reply, sizeof reply, "GET t:a%%20b%%2F%%C3%%A9%%3A~:ns:k");
    cr_assert(eq(str, (char *)reply, (char *)"$bytes"));
    cr_assert(eq(int, get(key), CACHEKIT_MISS));
    cr_assert(eq(int, scoped->ops->get(scoped, key, soon(), &value, NULL), CACHEKIT_OK));
    expect_value(bytes);
    cr_assert(eq(int, scoped->ops->lock(scoped, key, 60000, soon(), token, NULL), CACHEKIT_OK));
    redis_kit_ask(&kit, 0, reply, sizeof reply, "EXISTS t:a%%20b%%2F%%C3%%A9%%3A~:ns:k:lock");
    cr_assert(eq(str, (char *)reply, (char *)":1"));
    cr_assert(eq(int, scoped->ops->remove_many(scoped, keys, 2, soon(), done, NULL), CACHEKIT_OK));
    cr_assert(done[0] && done[1]);
    redis_kit_ask(&kit, 0, reply, sizeof reply, "EXISTS t:a%%20b%%2F%%C3%%A9%%3A~:ns:k");
    cr_assert(eq(str, (char *)reply, (char *)":0"));
    // A key that needs the heap for its prefix.
    char long_key[2000];
    memset(long_key, 'k', sizeof long_key);
    key = redis_kit_slice(long_key, sizeof long_key);
    cr_assert(eq(int, scoped->ops->set(scoped, key, bytes, 60000, soon(), NULL), CACHEKIT_OK));
    cr_assert(eq(int, scoped->ops->get(scoped, key, soon(), &value, NULL), CACHEKIT_OK));
    expect_value(bytes);
    cachekit_backend_free(scoped);
}

Test(redis_ops, many_keys_go_in_commands_of_ten_thousand)
{
    enum { KEYS = 20001 };
    static char names[KEYS][12];
    static cachekit_slice keys[KEYS];
    static bool done[KEYS];
    redis_kit_ask(&kit, 0, reply, sizeof reply, "DEBUG POPULATE %d k 1", KEYS);
    cr_assert(eq(str, (char *)reply, (char *)"+OK"));
    for (int i = 0; i < KEYS; i++) {
        int len = snprintf(names[i], sizeof names[i], "k:%d", i);
        keys[i] = redis_kit_slice(names[i], (size_t)len);
    }
    redis_kit_ask(&kit, 0, reply, sizeof reply, "CONFIG RESETSTAT");
    cr_assert(
        eq(int, backend->ops->remove_many(backend, keys, KEYS, soon(), done, NULL), CACHEKIT_OK));
    for (int i = 0; i < KEYS; i++) {
        cr_assert(done[i]);
    }
    redis_kit_ask(&kit, 0, reply, sizeof reply, "DBSIZE");
    cr_assert(eq(str, (char *)reply, (char *)":0"));
    cr_assert(eq(long, redis_kit_calls(&kit, 0, "unlink"), 3));
    cr_assert(
        eq(int, backend->ops->remove_many(backend, NULL, 0, soon(), NULL, NULL), CACHEKIT_OK));
}

Test(redis_ops, health_names_the_server)
{
    cachekit_health health;
    cr_assert(eq(int, backend->ops->health(backend, soon(), &health, NULL), CACHEKIT_OK));
    cr_assert(gt(i64, health.latency_us, 0));
    redis_kit_ask(&kit, 0, reply, sizeof reply, "INFO server");
    char version[32] = "redis ";
    const char *at = strstr(reply, "redis_version:") + strlen("redis_version:");
    (void)strncat(version, at, strcspn(at, "\r"));
    cr_assert(eq(int, strncmp(health.details, version, strlen(version)), 0), "%s", health.details);
    cr_assert(strstr(health.details, "clients") != NULL);
}

Test(redis_ops, user_password_and_database_of_the_url_are_used)
{
    char urls[2][256];
    redis_kit_ask(&kit, 0, reply, sizeof reply, "ACL SETUSER bob on >s3cr%%t ~* +@all");
    (void)snprintf(urls[0], sizeof urls[0], "redis://bob:s3cr%%25t@127.0.0.1:%d/3", kit.ports[0]);
    (void)snprintf(urls[1], sizeof urls[1], "unix://bob:s3cr%%25t@%s?db=3", kit.socket);
    for (int i = 0; i < 2; i++) {
        cachekit_backend *bobs = redis_kit_backend(urls[i], NULL);
        cachekit_slice key = REDIS_KIT_TEXT("in 3");
        cr_assert(eq(int, bobs->ops->set(bobs, key, key, 60000, soon(), NULL), CACHEKIT_OK));
        redis_kit_ask(&kit, 0, reply, sizeof reply, "DBSIZE");
        cr_assert(eq(str, (char *)reply, (char *)":0"));
        cachekit_backend_free(bobs);
    }
}

Test(redis_ops, a_bounded_answer_is_refused_and_the_next_one_is_right)
{
    const cachekit_redis_backend_options options = {.reply_max_bytes = 1000};
    cachekit_backend *small = redis_kit_backend(kit.tcp_url, &options);
    char bytes[4000];
    memset(bytes, 'x', sizeof bytes);
    cr_assert(eq(int, set(REDIS_KIT_TEXT("a"), redis_kit_slice(bytes, 4000), 60000), CACHEKIT_OK));
    cr_assert(eq(int, set(REDIS_KIT_TEXT("b"), redis_kit_slice(bytes, 900), 60000), CACHEKIT_OK));
    for (int i = 0; i < 3; i++) {
        cr_assert(eq(int, small->ops->get(small, REDIS_KIT_TEXT("a"), soon(), &value, NULL),
                     CACHEKIT_E_TOO_LARGE));
        cr_assert(eq(sz, value.len, 0));
        cr_assert(eq(int, small->ops->get(small, REDIS_KIT_TEXT("b"), soon(), &value, NULL),
                     CACHEKIT_OK));
        cr_assert(eq(sz, value.len, 900));
    }
    cachekit_backend_free(small);
}
