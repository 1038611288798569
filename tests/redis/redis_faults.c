// SPDX-License-Identifier: MIT
// Spoils six kinds of replies at every byte: cut, reset, half-closed, delayed beyond the deadline
// and delayed within it. After each the next question must get its own answer.
// Usage: redis_faults [STRIDE [FLOOR]]: every STRIDE-th byte; under FLOOR injections it fails.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "redis_kit.h"
#include "scripted.h"

enum { VALUE_LEN = 400, REPLY_ROOM = 1024, SHORT_MS = 10, LONG_MS = 25, DEADLINE_MS = 12 };
enum { PATIENCE_MS = 60000, TTL_MS = 1234567 };

static struct scripted server;
static char key[VALUE_LEN - 9 + 1]; // "value of KEY" has VALUE_LEN bytes

static struct {
    long injected, fired, wrong, stray;
    int64_t longest_overrun_ns;
} sum;

enum answer { RIGHT, FAILED, WRONG };

static enum answer judge(cachekit_status status, bool is_right)
{
    if (status < 0) {
        return FAILED;
    }
    return is_right ? RIGHT : WRONG;
}

static enum answer ask_get(cachekit_backend *backend, const char *name, int64_t deadline_ns,
                           cachekit_status wanted)
{
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    size_t len = strlen(name);
    cachekit_status status =
        backend->ops->get(backend, redis_kit_slice(name, len), deadline_ns, &value, NULL);
    bool is_right = status == wanted;
    if (status == CACHEKIT_OK) {
        is_right = is_right && value.len == len + 9 && memcmp(value.data, "value of ", 9) == 0 &&
                   memcmp(value.data + 9, name, len) == 0;
    } else {
        is_right = is_right && value.len == 0;
    }
    cachekit_buffer_release(&value);
    return judge(status, is_right);
}

static enum answer ask_bulk(cachekit_backend *backend, int64_t deadline_ns)
{
    return ask_get(backend, key, deadline_ns, CACHEKIT_OK);
}

static enum answer ask_nil(cachekit_backend *backend, int64_t deadline_ns)
{
    return ask_get(backend, key, deadline_ns, CACHEKIT_MISS);
}

static enum answer ask_status(cachekit_backend *backend, int64_t deadline_ns)
{
    return judge(backend->ops->set(backend, REDIS_KIT_TEXT("k"), REDIS_KIT_TEXT("v"), 1000,
                                   deadline_ns, NULL),
                 true);
}

static enum answer ask_error(cachekit_backend *backend, int64_t deadline_ns)
{
    enum answer answer = ask_get(backend, key, deadline_ns, CACHEKIT_E_TRANSIENT);
    return answer == FAILED ? FAILED : WRONG; // never a hit, never a miss
}

static enum answer ask_integer(cachekit_backend *backend, int64_t deadline_ns)
{
    int64_t ttl_ms = 0;
    cachekit_status status =
        backend->ops->ttl(backend, REDIS_KIT_TEXT("k"), deadline_ns, &ttl_ms, NULL);
    return judge(status, status == CACHEKIT_OK && ttl_ms == TTL_MS);
}

static struct kind {
    const char *name;
    enum answer (*ask)(cachekit_backend *backend, int64_t deadline_ns);
    bool is_cluster; // the first question of a fresh backend, which asks for the slots before
    bool is_error;   // right is to fail
    char reply[REPLY_ROOM];
} kinds[] = {
    {"text", ask_bulk, false, false, ""},
    {"nil", ask_nil, false, false, "$-1\r\n"},
    {"status", ask_status, false, false, "+OK\r\n"},
    {"error", ask_error, false, true, "-LOADING Redis is loading the dataset in memory\r\n"},
    {"integer", ask_integer, false, false, ":1234567\r\n"},
    {"array", ask_bulk, true, false, ""},
};

static const struct fault {
    const char *name;
    enum scripted_fault fault;
    int delay_ms;
    bool must_succeed; // the answer is whole in time
} faults[] = {
    {"cut", SCRIPTED_CUT, 0, false},
    {"reset", SCRIPTED_RESET, 0, false},
    {"half-closed", SCRIPTED_HALF_CLOSE, 0, false},
    {"late", SCRIPTED_DELAY, LONG_MS, false},
    {"slow", SCRIPTED_DELAY, 1, true},
};

static void pause_ms(int ms)
{
    const struct timespec time = {0, ms * 1000000L};
    (void)nanosleep(&time, NULL);
}

static cachekit_backend *new_backend(bool is_cluster)
{
    const cachekit_redis_backend_options options = {.backoff_first_ms = 1, .backoff_max_ms = 1};
    return redis_kit_backend(is_cluster ? server.cluster_url : server.url, &options);
}

static bool is_bad(const struct kind *kind, const struct fault *fault, size_t at, size_t len,
                   enum answer answer)
{
    if (answer == WRONG) {
        return true;
    }
    if (kind->is_error) {
        return false;
    }
    if (fault->must_succeed) {
        return answer != RIGHT;
    }
    return at < len && answer == RIGHT; // there was no whole answer in time
}

// The next questions get their own answers, as soon as the pause after a failed dial is over.
static void ask_next(cachekit_backend *backend)
{
    for (int i = 0; i < 2; i++) {
        enum answer answer = FAILED;
        int64_t deadline_ns = cachekit_deadline_ns(PATIENCE_MS);
        while (answer == FAILED && cachekit_deadline_ns(0) < deadline_ns) {
            answer = ask_get(backend, i == 0 ? "next" : "and the next", deadline_ns, CACHEKIT_OK);
        }
        sum.stray += answer != RIGHT;
    }
}

static void inject(const struct kind *kind, const struct fault *fault, size_t at)
{
    static cachekit_backend *standing;
    size_t len = strlen(kind->reply);
    if (standing == NULL) {
        standing = new_backend(false);
    }
    cachekit_backend *backend = kind->is_cluster ? new_backend(true) : standing;
    if (!kind->is_cluster) {
        ask_next(backend);
    }
    int before = scripted_counts(&server).fired;
    scripted_plan(&server, (struct scripted_plan){.reply = kind->reply,
                                                  .len = len,
                                                  .fault = fault->fault,
                                                  .at = at,
                                                  .delay_ms = fault->delay_ms});
    bool is_late = fault->fault == SCRIPTED_DELAY && !fault->must_succeed;
    int64_t deadline_ns = cachekit_deadline_ns(is_late ? DEADLINE_MS : PATIENCE_MS);
    enum answer answer = kind->ask(backend, deadline_ns);
    int64_t overrun_ns = cachekit_deadline_ns(0) - deadline_ns;
    if (is_late && overrun_ns > sum.longest_overrun_ns) {
        sum.longest_overrun_ns = overrun_ns;
    }
    if (is_bad(kind, fault, at, len, answer)) {
        (void)fprintf(stderr, "redis_faults: %s %s at byte %zu: wrong\n", kind->name, fault->name,
                      at);
        sum.wrong++;
    }
    sum.injected++;
    // The fault may be done a moment after the call has given up.
    for (int i = 0; i < 5000 && scripted_counts(&server).fired == before; i++) {
        pause_ms(1);
    }
    sum.fired += scripted_counts(&server).fired - before;
    scripted_forget(&server);
    ask_next(backend);
    if (kind->is_cluster) {
        cachekit_backend_free(backend);
    }
}

static void fill_replies(void)
{
    memset(key, 'k', sizeof key - 1);
    (void)snprintf(kinds[0].reply, sizeof kinds[0].reply, "$%d\r\nvalue of %s\r\n", VALUE_LEN, key);
    (void)snprintf(kinds[5].reply, sizeof kinds[5].reply, "%s", server.slots);
}

int main(int argc, char **argv)
{
    long stride = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    long floor = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
    if (argc > 3 || stride < 1 || floor < 1) {
        (void)fputs("redis_faults: usage: redis_faults [STRIDE [FLOOR]]\n", stderr);
        return 2;
    }
    scripted_open(&server);
    fill_replies();
    long turn = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
            size_t ends = strlen(kinds[k].reply) + (faults[f].fault != SCRIPTED_DELAY);
            for (size_t at = 0; at < ends; at++) {
                if (turn++ % stride == 0) {
                    inject(&kinds[k], &faults[f], at);
                }
            }
        }
    }
    (void)printf("redis_faults: %ld injected into 6 kinds of replies, %ld fired, %ld wrong, "
                 "%ld strays, deadline overrun by at most %.2f ms\n",
                 sum.injected, sum.fired, sum.wrong, sum.stray,
                 (double)sum.longest_overrun_ns / 1e6);
    if (sum.injected < floor) {
        (void)fprintf(stderr, "redis_faults: fewer than %ld injections\n", floor);
        return 1;
    }
    return sum.wrong != 0 || sum.stray != 0 || sum.fired != sum.injected;
}
