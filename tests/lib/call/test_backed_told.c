// SPDX-License-Identifier: MIT
// What a function with a backend tells and counts: lines of the log, alarms, the gauge of breakers.
#include "backed_kit.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call/backed.h"
#include "call/cache.h"
#include "tally_kit.h"

enum { LINES = 64, LINE_LEN = 256 };

static struct backed_kit t;
static struct {
    atomic_int count;
    cachekit_log_level levels[LINES];
    char texts[LINES][LINE_LEN];
} told;

static void hear(void *context, cachekit_log_level level, const char *text)
{
    int n = atomic_fetch_add(&told.count, 1);
    (void)context;
    cr_assert(n < LINES && strlen(text) < LINE_LEN && strchr(text, '\n') == NULL);
    told.levels[n] = level;
    strcpy(told.texts[n], text);
}

static int lines_with(cachekit_log_level level, const char *word)
{
    int count = 0;
    for (int i = 0; i < atomic_load(&told.count); i++) {
        count += told.levels[i] == level && strstr(told.texts[i], word) != NULL;
    }
    return count;
}

static void open_heard(const cachekit_function_options *options)
{
    backed_open(&t, options);
    cr_assert(cachekit_cache_free(t.cache) == CACHEKIT_OK);
    atomic_store(&told.count, 0);
    t.log = hear;
    backed_open_cache(&t, NULL);
    backed_open_function(&t, options);
}

Test(backed_told, refused_credentials_are_told_once_until_they_are_taken)
{
    cachekit_function_options options = cachekit_preset_production();
    options.memory = CACHEKIT_OFF;
    open_heard(&options);
    for (int round = 1; round <= 2; round++) {
        backed_answer(&t, CACHEKIT_E_REMOTE_AUTH);
        for (int i = 0; i < 5; i++) {
            cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
        }
        cr_assert(lines_with(CACHEKIT_LOG_ERROR, "refused") == round);
        backed_answer(&t, CACHEKIT_OK);
        cr_assert(backed_layer(&t, 1) != 0);
    }
    cr_assert(atomic_load(&told.count) == 2);
    backed_close(&t);
}

Test(backed_told, failures_are_told_once_a_minute_and_removals_that_fail_are_errors)
{
    cachekit_function_options options = cachekit_preset_production();
    options.breaker = CACHEKIT_OFF;
    open_heard(&options);
    backed_answer(&t, CACHEKIT_E_TRANSIENT);
    for (int i = 0; i < 20; i++) {
        cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
    }
    cr_assert(atomic_load(&told.count) == 1 && lines_with(CACHEKIT_LOG_WARNING, "failed") == 1);
    for (int i = 0; i < 20; i++) {
        cr_assert(backed_invalidate(&t, i) == CACHEKIT_E_TRANSIENT);
    }
    cr_assert(atomic_load(&told.count) == 2 && lines_with(CACHEKIT_LOG_ERROR, "removed") == 1);
    backed_close(&t);
}

// Whatever goes wrong, and however often.
Test(backed_told, no_line_of_the_log_holds_anything_of_key_or_value)
{
    static const uint8_t noise[64] = {1, 2, 3};
    char text[CACHEKIT_KEY_AUTO_ROOM];
    const cachekit_arg arg = cachekit_str("bob@example.com");
    cachekit_hit hit;
    cachekit_function_options options = cachekit_preset_secure();
    options.value_max_bytes = 20;
    open_heard(&options);
    for (int i = 0; i < 2 * ODD_QUESTIONS; i++) {
        // Each would be told only once a minute.
        atomic_store(&t.f->backed->told[0].at_ns, 0);
        atomic_store(&t.f->backed->told[1].at_ns, 0);
        atomic_store(&t.odd.answers[i / 2], i % 2 == 0 ? CACHEKIT_E_TIMEOUT : CACHEKIT_OK);
        backed_plant(&t, backed_key(&t, false, i, text), (cachekit_slice){noise, sizeof noise});
        (void)backed_layer(&t, i);
        (void)backed_invalidate(&t, i);
        cr_assert(cachekit_call(t.f, &arg, 1, &hit, NULL) == CACHEKIT_OK);
        cachekit_release(&hit);
    }
    cr_assert(atomic_load(&told.count) > 4);
    for (int i = 0; i < atomic_load(&told.count); i++) {
        static const char *const words[] = {
            "alice", "bob", "example", "func:", "args:", "get_user", "users"};
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            cr_assert(strstr(told.texts[i], words[k]) == NULL, "%s", told.texts[i]);
        }
        cr_assert(strstr(told.texts[i], text + strlen(text) - 20) == NULL);
    }
    backed_close(&t);
}

Test(backed_told, a_key_that_has_sealed_much_is_told_once_and_values_are_stored_on)
{
    const cachekit_function_options options = cachekit_preset_secure();
    cachekit_function *first;
    open_heard(&options);
    first = t.f;
    backed_open_function(&t, &options);
    tally_kit_set(t.keyring, TALLY_ROTATE);
    for (int i = 0; i < 6; i++) {
        t.f = i % 2 == 0 ? first : t.f;
        cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
        cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_L1);
    }
    cr_assert(atomic_load(&told.count) == 1 && lines_with(CACHEKIT_LOG_WARNING, "sealed") == 1);
    cr_assert(atomic_load(&t.odd.asked[ODD_SET]) == 6);
    tally_kit_set(t.keyring, TALLY_MAX);
    cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_MISS);
    cr_assert(atomic_load(&t.odd.asked[ODD_SET]) == 6);
    backed_close(&t);
}

static bool has_series(const char *series)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cr_assert(cachekit_metrics_write(&out) == CACHEKIT_OK);
    cr_assert(cachekit_buffer_append(&out, "", 1) == CACHEKIT_OK);
    bool found = strstr((const char *)out.data, series) != NULL;
    cachekit_buffer_release(&out);
    return found;
}

// A block in memory, which nobody but this test would write to.
static void spoil_memory(int64_t number, size_t at)
{
    char text[CACHEKIT_KEY_AUTO_ROOM];
    struct cki_byte_cache *bytes = t.f->backed->bytes;
    struct cki_key key = cki_byte_key(bytes, backed_key(&t, false, number, text));
    struct cki_byte_hit hit;
    cr_assert(cki_byte_cache_get(bytes, &key, &hit));
    ((uint8_t *)(uintptr_t)hit.block->data)[at] ^= 1;
    cki_block_release(hit.block);
}

Test(backed_told, bad_bytes_in_memory_are_dropped_and_the_backend_is_asked_also_fail_closed)
{
    for (int closed = CACHEKIT_ON; closed <= CACHEKIT_OFF; closed++) {
        cachekit_function_options options = cachekit_preset_secure();
        options.fail_closed = (cachekit_switch)closed;
        options.metrics = CACHEKIT_OFF;
        backed_open(&t, &options);
        cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
        spoil_memory(1, 20);
        cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L2);
        cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L1);
        cachekit_info_data info = backed_info(&t);
        cr_assert(info.unauthentic == 1 && info.corrupt == 0 && atomic_load(&t.loads) == 1);
        cr_assert(atomic_load(&t.odd.asked[ODD_REMOVE]) == 0);
        cr_assert(
            has_series("cachekit_decrypt_failures_total{reason=\"auth_tamper\",tier=\"l1\"} 1\n"));
        // Nor does it stay when nobody puts another in its place.
        spoil_memory(1, 20);
        backed_answer(&t, CACHEKIT_E_TIMEOUT);
        t.answer = CACHEKIT_E_UNKNOWN;
        cr_assert(backed_layer(&t, 1) == 0 && backed_layer(&t, 1) == 0);
        cr_assert(backed_info(&t).unauthentic == 2);
        // It counts no operation.
        cr_assert(!has_series("operation=\"get\""));
        backed_close(&t);
    }
}

Test(backed_told, bad_plain_bytes_in_memory_are_dropped_whatever_form_they_are_held_in)
{
    for (int hits = 0; hits < 2; hits++) {
        backed_open(&t, NULL);
        cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
        for (int i = 0; i < hits; i++) {
            cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L1);
        }
        spoil_memory(1, 6);
        (void)backed_layer(&t, 1);
        cr_assert(hits > 0 || backed_info(&t).corrupt == 1);
        backed_close(&t);
    }
}

static void expect_gauge(int closed, int open, int half)
{
    static const char *const states[] = {"CLOSED", "OPEN", "HALF_OPEN"};
    const int counts[] = {closed, open, half};
    for (int i = 0; i < 3; i++) {
        char line[128];
        (void)snprintf(line, sizeof line,
                       "circuit_breaker_state{namespace=\"gauge\",state=\"%s\"} %d\n", states[i],
                       counts[i]);
        cr_assert(has_series(line), "%s", line);
    }
}

Test(backed_told, the_gauge_counts_live_breakers_by_state_also_in_a_child)
{
    cachekit_function_options options = cachekit_preset_test();
    options.breaker = CACHEKIT_ON;
    options.breaker_failures = 2;
    options.breaker_recovery_ms = 1000;
    backed_open(&t, &options);
    cr_assert(cachekit_cache_free(t.cache) == CACHEKIT_OK);
    t.name_space = "gauge";
    backed_open_cache(&t, NULL);
    backed_open_function(&t, &options);
    backed_open_function(&t, &options);
    expect_gauge(2, 0, 0);
    backed_answer(&t, CACHEKIT_E_TIMEOUT);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS); // asked twice, which is enough
    expect_gauge(1, 1, 0);
    int asked = atomic_load(&t.odd.asked[ODD_GET]);
    cr_assert(backed_layer(&t, 2) == CACHEKIT_LAYER_MISS);
    cr_assert(atomic_load(&t.odd.asked[ODD_GET]) == asked && backed_info(&t).backend_skipped == 2);
    pid_t child = fork();
    if (child == 0) {
        expect_gauge(2, 0, 0);
        _exit(cachekit_cache_free(t.cache) == CACHEKIT_OK ? 0 : 1);
    }
    int status;
    cr_assert(waitpid(child, &status, 0) == child && status == 0);
    backed_answer(&t, CACHEKIT_OK);
    atomic_fetch_add(&t.now_ns, (int64_t)1001 * KIT_NS_PER_MS);
    cr_assert(backed_layer(&t, 3) == CACHEKIT_LAYER_MISS);
    expect_gauge(1, 0, 1);
    cr_assert(backed_layer(&t, 4) == CACHEKIT_LAYER_MISS);
    expect_gauge(2, 0, 0);
    backed_close(&t);
    cr_assert(!has_series("namespace=\"gauge\""));
}
