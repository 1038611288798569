// SPDX-License-Identifier: MIT
// The dump for Prometheus after calls over a real server, its death among them: every line is one
// of the format, the series are those that all SDKs share, and what they count is what the server,
// the cache and the breakers themselves say.
#include "function_kit.h"

#include <math.h>
#include <regex.h>
#include <stdarg.h>

enum { HITS = 5, NEW = 12, LINES_MAX = 512 };

static struct redis_kit server;
static struct function_kit first, second, sealed;

static const char *const bounds_ms[] = {"0.01",  "0.05",  "0.1",   "0.5",    "1.0",
                                        "2.5",   "5.0",   "10.0",  "25.0",   "50.0",
                                        "100.0", "250.0", "500.0", "1000.0", "+Inf"};

static struct dump {
    char *text;
    char *lines[LINES_MAX];
    int count;
} dump;

static void take_dump(void)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cr_assert(cachekit_metrics_write(&out) == CACHEKIT_OK);
    cr_assert(out.len > 0 && out.data[out.len - 1] == '\n' && memchr(out.data, 0, out.len) == NULL);
    cr_assert(cachekit_buffer_append(&out, "", 1) == CACHEKIT_OK);
    dump.text = (char *)out.data;
    for (char *line = strtok(dump.text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        cr_assert(dump.count < LINES_MAX);
        dump.lines[dump.count++] = line;
    }
}

// The value of the one line that begins so; NaN: there is none.
static double value_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static double value_of(const char *format, ...)
{
    char series[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(series, sizeof series, format, args);
    va_end(args);
    double value = (double)NAN;
    int found = 0;
    for (int i = 0; i < dump.count; i++) {
        if (strncmp(dump.lines[i], series, (size_t)len) == 0 && dump.lines[i][len] == ' ') {
            value = strtod(dump.lines[i] + len, NULL);
            found++;
        }
    }
    cr_assert(found <= 1, "twice: %s", series);
    return value;
}

static bool is(double value, uint64_t expected)
{
    return value == (double)expected;
}

static double operations(const char *operation, const char *tier, const char *success)
{
    double value = value_of("cache_operations_total{operation=\"%s\",namespace=\"users\",success="
                            "\"%s\",serializer=\"%s\"}",
                            operation, success, tier);
    return isnan(value) ? 0 : value;
}

// Each line against the text format, by a second reader: the C library's regular expressions.
static void check_lines(void)
{
    static const char pattern[] =
        "^(# (HELP|TYPE) [a-z_]+ .+|"
        "[a-z_]+(\\{[a-z_]+=\"[^\"]*\"(,[a-z_]+=\"[^\"]*\")*\\})? [0-9]+(\\.[0-9]+)?)$";
    static const char *const types[] = {
        "cache_operations_total counter",           "cache_operation_duration_ms histogram",
        "cache_operation_size_bytes histogram",     "circuit_breaker_state gauge",
        "redis_cache_operations_total counter",     "cachekit_decrypt_failures_total counter",
        "cachekit_config_drift_reads_total counter"};
    regex_t line;
    cr_assert(regcomp(&line, pattern, REG_EXTENDED | REG_NOSUB) == 0);
    for (int i = 0; i < dump.count; i++) {
        cr_assert(regexec(&line, dump.lines[i], 0, NULL, 0) == 0, "no line: %s", dump.lines[i]);
    }
    regfree(&line);
    size_t known = 0;
    for (int i = 0; i < dump.count; i++) {
        if (strncmp(dump.lines[i], "# TYPE ", 7) == 0) {
            cr_assert(known < sizeof types / sizeof types[0]);
            cr_assert(strcmp(dump.lines[i] + 7, types[known]) == 0, "%s", dump.lines[i]);
            known++;
        }
    }
    cr_assert(known == sizeof types / sizeof types[0]);
}

// Buckets never fall; the last is the count, which is that of the operations.
static void check_durations(const char *operation, const char *tier)
{
    const char *labels = "namespace=\"users\",serializer=";
    double before = 0;
    for (size_t i = 0; i < sizeof bounds_ms / sizeof bounds_ms[0]; i++) {
        double now = value_of("cache_operation_duration_ms_bucket{operation=\"%s\",%s\"%s\",le="
                              "\"%s\"}",
                              operation, labels, tier, bounds_ms[i]);
        cr_assert(now >= before, "%s %s: bucket %s", operation, tier, bounds_ms[i]);
        before = now;
    }
    double all = operations(operation, tier, "True") + operations(operation, tier, "False");
    cr_assert(before == all);
    cr_assert(value_of("cache_operation_duration_ms_count{operation=\"%s\",%s\"%s\"}", operation,
                       labels, tier) == all);
    cr_assert(value_of("cache_operation_duration_ms_sum{operation=\"%s\",%s\"%s\"}", operation,
                       labels, tier) > 0);
}

// One breaker opens for good, one function reads what the other stored, one meets sealed bytes that
// do not open.
static void run(void)
{
    char key[CACHEKIT_KEY_AUTO_ROOM];
    char reply[256];
    cachekit_function_options options = cachekit_preset_production();
    function_open(&first, server.unix_url, &options);
    function_open(&second, server.tcp_url, &options);
    options = cachekit_preset_secure();
    options.memory = CACHEKIT_OFF;
    function_open(&sealed, server.unix_url, &options);
    cr_assert(function_call(&sealed, 1) == CACHEKIT_LAYER_MISS);
    function_key(1, key);
    redis_kit_ask(&server, 0, reply, sizeof reply, "SETRANGE %s 20 zzzz", key);
    cr_assert(function_call(&sealed, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(function_call(&first, 2) == CACHEKIT_LAYER_MISS);
    cr_assert(function_call(&second, 2) == CACHEKIT_LAYER_L2);
    for (int i = 0; i < HITS; i++) {
        cr_assert(function_call(&first, 2) == CACHEKIT_LAYER_L1);
    }
    const cachekit_arg arg = cachekit_i64(2);
    cr_assert(cachekit_invalidate(second.f, &arg, 1) == CACHEKIT_OK);
}

static void die(void)
{
    redis_kit_tell(&server, "kill", 0);
    for (int i = 0; i < NEW; i++) {
        cr_assert(function_call(&first, 100 + i) == CACHEKIT_LAYER_MISS);
    }
}

static void check_breakers(void)
{
    static const char *const names[] = {"CLOSED", "OPEN", "HALF_OPEN"};
    static const uint64_t live[] = {2, 1, 0};
    for (int i = 0; i < 3; i++) {
        cr_assert(is(value_of("circuit_breaker_state{namespace=\"users\",state=\"%s\"}", names[i]),
                     live[i]),
                  "%s", names[i]);
    }
}

Test(function_metrics, the_dump_says_what_was_done, .timeout = 120)
{
    redis_kit_open(&server, NULL);
    run();
    long gets = redis_kit_calls(&server, 0, "get"), sets = redis_kit_calls(&server, 0, "set");
    die();
    cachekit_info_data info = function_info(&first);
    take_dump();
    check_lines();
    check_breakers();
    cr_assert(is(operations("get", "l1_memory", "True"), HITS));
    cr_assert(is(operations("get", "rust", "True"), (uint64_t)gets));
    cr_assert(is(operations("set", "rust", "True"), (uint64_t)sets));
    cr_assert(info.backend_failures == 5 && info.backend_skipped == 2 * NEW - 5);
    cr_assert(is(operations("get", "rust", "False") + operations("set", "rust", "False"), 5));
    cr_assert(operations("delete", "rust", "True") > 0);
    check_durations("get", "l1_memory");
    check_durations("get", "rust");
    check_durations("set", "rust");
    cr_assert(is(value_of("cache_operation_size_bytes_count{operation=\"get\",namespace=\"users\","
                          "serializer=\"rust\"}"),
                 2)); // the one found, and the one that did not open
    cr_assert(value_of("cache_operation_size_bytes_sum{operation=\"set\",namespace=\"users\","
                       "serializer=\"rust\"}") > 0);
    cr_assert(
        is(value_of("cachekit_decrypt_failures_total{reason=\"auth_tamper\",tier=\"l2\"}"), 1));
    cr_assert(is(value_of("redis_cache_operations_total{operation=\"backpressure\",status="
                          "\"rejected\",serializer=\"\",namespace=\"\"}"),
                 0));
    free(dump.text);
    function_close(&first);
    function_close(&second);
    function_close(&sealed);
    redis_kit_close(&server);
}
