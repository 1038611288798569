// SPDX-License-Identifier: MIT
// Answers that are no answers: each is refused, ends its connection, costs no memory for what it
// claims, and the next question gets its own answer.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>

#include "fault_allocator.h"
#include "redis_kit.h"
#include "scripted.h"

static struct scripted server;
static cachekit_backend *backend;
static struct fault_allocator memory;

static void open_all(void)
{
    fault_allocator_init(&memory);
    const cachekit_redis_backend_options options = {.backoff_first_ms = 1,
                                                    .backoff_max_ms = 1,
                                                    .reply_max_bytes = 1 << 20,
                                                    .allocator = &memory.hooks};
    scripted_open(&server);
    backend = redis_kit_backend(server.url, &options);
}

static void close_all(void)
{
    cachekit_backend_free(backend);
    scripted_close(&server);
    cr_assert(eq(sz, memory.live_blocks, 0));
}

TestSuite(redis_answers, .init = open_all, .fini = close_all, .timeout = 120);

static int64_t soon(void)
{
    return cachekit_deadline_ns(10000);
}

static cachekit_status get(const char *key)
{
    char wanted[64];
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    cachekit_status status =
        backend->ops->get(backend, redis_kit_slice(key, strlen(key)), soon(), &value, NULL);
    if (status == CACHEKIT_OK) {
        int len = snprintf(wanted, sizeof wanted, "value of %s", key);
        cr_assert(eq(sz, value.len, (size_t)len));
        cr_assert(memcmp(value.data, wanted, value.len) == 0);
    } else {
        cr_assert(eq(sz, value.len, 0));
    }
    cachekit_buffer_release(&value);
    return status;
}

static void expect_own_answer(void)
{
    cachekit_status status;
    while ((status = get("next")) != CACHEKIT_OK) {
        cr_assert(eq(int, status, CACHEKIT_E_TRANSIENT)); // the pause
    }
}

// A get of bytes: its status, and whether the connection ended with it.
Test(redis_answers, nothing_but_a_text_or_nil_answers_a_get)
{
    static const struct {
        const char *reply;
        cachekit_status status;
    } rows[] = {
        {"+OK\r\n", CACHEKIT_E_UNKNOWN},
        {":1\r\n", CACHEKIT_E_UNKNOWN},
        {"*1\r\n$1\r\na\r\n", CACHEKIT_E_UNKNOWN},
        {"*0\r\n", CACHEKIT_E_UNKNOWN},
        {"*-5\r\n", CACHEKIT_E_UNKNOWN},
        {"*2147483647\r\n", CACHEKIT_E_UNKNOWN},
        {"*1000000000\r\n*1000000000\r\n", CACHEKIT_E_UNKNOWN},
        {"$-5\r\n", CACHEKIT_E_UNKNOWN},
        {"$9223372036854775807\r\n", CACHEKIT_E_TOO_LARGE},
        {"$99999999999999999999999999\r\n", CACHEKIT_E_TOO_LARGE},
        {"$536870912\r\n", CACHEKIT_E_TOO_LARGE},
        {"$1048577\r\n", CACHEKIT_E_TOO_LARGE},
        {"_\r\n", CACHEKIT_E_UNKNOWN},
        {",1.5\r\n", CACHEKIT_E_UNKNOWN},
        {"%1\r\n+a\r\n+b\r\n", CACHEKIT_E_UNKNOWN},
        {">1\r\n+a\r\n", CACHEKIT_E_UNKNOWN},
        {"HTTP/1.1 400 Bad Request\r\n\r\n", CACHEKIT_E_UNKNOWN},
        {"$1\r\na\r\n$1\r\nb\r\n", CACHEKIT_E_UNKNOWN},
        {"$-1\r\n$-1\r\n", CACHEKIT_E_UNKNOWN},
        {"$1\r\na\r\nx", CACHEKIT_E_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_own_answer();
        int before = scripted_counts(&server).accepted;
        scripted_say(&server, rows[i].reply);
        cr_assert(eq(int, get("k"), rows[i].status), "%s", rows[i].reply);
        expect_own_answer();
        cr_assert(eq(int, scripted_counts(&server).accepted, before + 1), "%s", rows[i].reply);
    }
    cr_assert(lt(sz, memory.peak_bytes, 4 << 20));
}

static cachekit_status set(void)
{
    return backend->ops->set(backend, REDIS_KIT_TEXT("k"), REDIS_KIT_TEXT("v"), 1000, soon(), NULL);
}

static cachekit_status exists(void)
{
    return backend->ops->exists(backend, REDIS_KIT_TEXT("k"), soon(), NULL);
}

static cachekit_status ttl(void)
{
    int64_t ttl_ms;
    return backend->ops->ttl(backend, REDIS_KIT_TEXT("k"), soon(), &ttl_ms, NULL);
}

static cachekit_status lock(void)
{
    char token[CACHEKIT_LOCK_TOKEN_ROOM];
    return backend->ops->lock(backend, REDIS_KIT_TEXT("k"), 1000, soon(), token, NULL);
}

static cachekit_status remove_two(void)
{
    const cachekit_slice keys[2] = {REDIS_KIT_BYTES("a"), REDIS_KIT_BYTES("b")};
    bool done[2];
    cachekit_status status = backend->ops->remove_many(backend, keys, 2, soon(), done, NULL);
    cr_assert(eq(int, done[0] && done[1], status == CACHEKIT_OK));
    return status;
}

Test(redis_answers, each_question_knows_its_answers)
{
    static const struct {
        cachekit_status (*ask)(void);
        const char *reply;
        cachekit_status status;
    } rows[] = {
        {set, "+QUEUED\r\n", CACHEKIT_E_UNKNOWN},
        {set, "$-1\r\n", CACHEKIT_E_UNKNOWN},
        {set, "$2\r\nOK\r\n", CACHEKIT_E_UNKNOWN},
        {set, "+OK\r\n", CACHEKIT_OK},
        {exists, ":2\r\n", CACHEKIT_E_UNKNOWN},
        {exists, ":-1\r\n", CACHEKIT_E_UNKNOWN},
        {exists, "+OK\r\n", CACHEKIT_E_UNKNOWN},
        {exists, ":0\r\n", CACHEKIT_MISS},
        {ttl, ":-3\r\n", CACHEKIT_E_UNKNOWN},
        {ttl, ":-2\r\n", CACHEKIT_MISS},
        {ttl, ":0\r\n", CACHEKIT_OK},
        {lock, ":1\r\n", CACHEKIT_E_UNKNOWN},
        {lock, "$-1\r\n", CACHEKIT_MISS},
        {remove_two, ":3\r\n", CACHEKIT_E_UNKNOWN},
        {remove_two, ":2\r\n", CACHEKIT_OK},
        {remove_two, ":0\r\n", CACHEKIT_OK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_own_answer();
        scripted_say(&server, rows[i].reply);
        cr_assert(eq(int, rows[i].ask(), rows[i].status), "row %zu: %s", i, rows[i].reply);
        expect_own_answer();
    }
}

// Bytes that nobody asked for lie in wait on an idle connection.
Test(redis_answers, an_answer_that_comes_between_questions_ends_the_connection)
{
    static const char two[] = "$10\r\nvalue of a\r\n$10\r\nvalue of b\r\n";
    expect_own_answer();
    scripted_plan(&server, (struct scripted_plan){.reply = two,
                                                  .len = sizeof two - 1,
                                                  .fault = SCRIPTED_DELAY,
                                                  .at = (sizeof two - 1) / 2,
                                                  .delay_ms = 20});
    cr_assert(eq(int, get("a"), CACHEKIT_OK));
    int before = scripted_counts(&server).accepted;
    const struct timespec longer = {0, 60000000};
    (void)nanosleep(&longer, NULL);
    cr_assert(eq(int, get("c"), CACHEKIT_OK));
    cr_assert(eq(int, scripted_counts(&server).accepted, before + 1));
}

// The first question is given up; its answer comes while the second one waits for its own.
Test(redis_answers, a_late_answer_never_answers_the_next_question)
{
    static const char late[] = "$10\r\nvalue of a\r\n";
    for (size_t at = 0; at < sizeof late; at += 4) {
        cachekit_buffer value = CACHEKIT_BUFFER_INIT;
        expect_own_answer();
        scripted_plan(&server, (struct scripted_plan){.reply = late,
                                                      .len = sizeof late - 1,
                                                      .fault = SCRIPTED_DELAY,
                                                      .at = at,
                                                      .delay_ms = 60});
        cachekit_status status =
            backend->ops->get(backend, REDIS_KIT_TEXT("a"), cachekit_deadline_ns(20), &value, NULL);
        cr_assert(eq(int, status, at < sizeof late - 1 ? CACHEKIT_E_TIMEOUT : CACHEKIT_OK));
        for (int i = 0; i < 20; i++) {
            cr_assert(eq(int, get("b"), CACHEKIT_OK));
        }
        cachekit_buffer_release(&value);
    }
}

// hiredis's own timer would start again with every byte.
Test(redis_answers, bytes_that_drip_do_not_move_the_deadline)
{
    static const char reply[] = "$10\r\nvalue of a\r\n";
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    expect_own_answer();
    scripted_plan(&server, (struct scripted_plan){.reply = reply,
                                                  .len = sizeof reply - 1,
                                                  .fault = SCRIPTED_DRIP,
                                                  .at = 0,
                                                  .delay_ms = 30});
    cr_assert(
        eq(int,
           backend->ops->get(backend, REDIS_KIT_TEXT("a"), cachekit_deadline_ns(100), &value, NULL),
           CACHEKIT_E_TIMEOUT));
    scripted_plan(&server, (struct scripted_plan){.reply = reply,
                                                  .len = sizeof reply - 1,
                                                  .fault = SCRIPTED_DRIP,
                                                  .at = 0,
                                                  .delay_ms = 2});
    cr_assert(eq(int, get("a"), CACHEKIT_OK));
}
