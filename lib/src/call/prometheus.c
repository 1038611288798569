// SPDX-License-Identifier: MIT
// The dump in Prometheus's text format 0.0.4. Names, labels and the spelling of bounds are those of
// the Python client, so that the same queries fit; series that count from the first event on are
// written from the first event on, except those that alerts look at: these begin at 0.
#include <string.h>

#include <inttypes.h>
#include <stdio.h>

#include <cachekit/cache.h>

#include "call/breaker.h"
#include "call/fork.h"
#include "call/metrics.h"

enum { NS_PER_MS = 1000000 };

static const char *const operation_names[CKI_OPERATIONS] = {"get", "set", "delete"};
static const char *const tier_names[CKI_TIERS] = {"l1_memory", "rust", "unknown"};
static const char *const state_names[CKI_BREAKER_STATES] = {"CLOSED", "OPEN", "HALF_OPEN"};
static const char *const reason_names[CKI_DECRYPT_FAILURES] = {"auth_tamper", "suspicious_envelope",
                                                               "corruption"};
static const char *const duration_bounds[CKI_DURATIONS] = {
    "0.01", "0.05", "0.1",  "0.5",   "1.0",   "2.5",   "5.0",
    "10.0", "25.0", "50.0", "100.0", "250.0", "500.0", "1000.0"};
static const char *const size_bounds[CKI_SIZES] = {
    "16.0",          "64.0",          "256.0",         "1024.0",       "4096.0",
    "16384.0",       "65536.0",       "262144.0",      "1.048576e+06", "4.194304e+06",
    "1.6777216e+07", "6.7108864e+07", "2.68435456e+08"};

// What is being written; after a failure nothing is.
struct dump {
    cachekit_buffer *out;
    cachekit_status status;
};

typedef struct cki_counts grid[CKI_OPERATIONS][CKI_TIERS];

static void put_bytes(struct dump *dump, const char *text, size_t len)
{
    if (dump->status == CACHEKIT_OK) {
        dump->status = cachekit_buffer_append(dump->out, text, len);
    }
}

static void put(struct dump *dump, const char *text)
{
    put_bytes(dump, text, strlen(text));
}

static void put_number(struct dump *dump, const char *before, uint64_t number)
{
    char text[32];
    put(dump, before);
    (void)snprintf(text, sizeof text, "%" PRIu64, number);
    put(dump, text);
}

static void put_ms(struct dump *dump, uint64_t ns)
{
    char text[48];
    (void)snprintf(text, sizeof text, " %" PRIu64 ".%06" PRIu64, ns / NS_PER_MS, ns % NS_PER_MS);
    put(dump, text);
}

static void put_label(struct dump *dump, const char *before, const char *name, const char *value)
{
    put(dump, before);
    put(dump, name);
    put(dump, "=\"");
    for (const char *p = value; *p != '\0'; p++) {
        switch (*p) {
        case '\\':
            put(dump, "\\\\");
            break;
        case '"':
            put(dump, "\\\"");
            break;
        case '\n':
            put(dump, "\\n");
            break;
        default:
            put_bytes(dump, p, 1);
        }
    }
    put(dump, "\"");
}

static void put_head(struct dump *dump, const char *name, const char *type, const char *help)
{
    put(dump, "# HELP ");
    put(dump, name);
    put(dump, " ");
    put(dump, help);
    put(dump, "\n# TYPE ");
    put(dump, name);
    put(dump, " ");
    put(dump, type);
    put(dump, "\n");
}

// One namespace after the other, however many caches have it.
typedef void write_namespace(struct dump *dump, const char *name_space, grid counts);

static void for_each_namespace(struct dump *dump, write_namespace *write)
{
    for (const struct cki_metrics *m = cki_metrics_first_locked(); m != NULL;) {
        const char *name_space = m->name_space;
        grid counts = {0};
        for (; m != NULL && strcmp(m->name_space, name_space) == 0; m = m->next) {
            cki_metrics_add_locked(m, counts);
        }
        write(dump, name_space, counts);
    }
}

// What the series of one operation and tier have in common.
struct series {
    struct dump *dump;
    const char *name, *operation, *name_space, *tier;
};

static void put_series(const struct series *s, const char *suffix, const char *extra,
                       const char *value)
{
    put(s->dump, s->name);
    put(s->dump, suffix);
    put_label(s->dump, "{", "operation", s->operation);
    put_label(s->dump, ",", "namespace", s->name_space);
    if (extra != NULL && strcmp(extra, "success") == 0) {
        put_label(s->dump, ",", extra, value);
    }
    put_label(s->dump, ",", "serializer", s->tier);
    if (extra != NULL && strcmp(extra, "le") == 0) {
        put_label(s->dump, ",", extra, value);
    }
    put(s->dump, "}");
}

static void write_operations(struct dump *dump, const char *name_space, grid counts)
{
    static const char *const texts[] = {"False", "True"};
    for (int i = 0; i < CKI_OPERATIONS * CKI_TIERS * 2; i++) {
        int o = i / (CKI_TIERS * 2), t = i / 2 % CKI_TIERS;
        uint64_t count = counts[o][t].succeeded[i % 2];
        if (count > 0) {
            const struct series s = {dump, "cache_operations_total", operation_names[o], name_space,
                                     tier_names[t]};
            put_series(&s, "", "success", texts[i % 2]);
            put_number(dump, " ", count);
            put(dump, "\n");
        }
    }
}

static uint64_t sum_of(const uint64_t *buckets, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += buckets[i];
    }
    return sum;
}

// Buckets are cumulative; returns the count of all.
static uint64_t put_buckets(const struct series *s, const char *const *bounds,
                            const uint64_t *buckets, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i <= count; i++) {
        sum += buckets[i];
        put_series(s, "_bucket", "le", i < count ? bounds[i] : "+Inf");
        put_number(s->dump, " ", sum);
        put(s->dump, "\n");
    }
    return sum;
}

static void put_count(const struct series *s, uint64_t count)
{
    put_series(s, "_count", NULL, NULL);
    put_number(s->dump, " ", count);
    put(s->dump, "\n");
}

static void write_durations(struct dump *dump, const char *name_space, grid counts)
{
    for (int i = 0; i < CKI_OPERATIONS * CKI_TIERS; i++) {
        const struct cki_counts *c = &counts[i / CKI_TIERS][i % CKI_TIERS];
        if (sum_of(c->durations, CKI_DURATIONS + 1) > 0) {
            const struct series s = {dump, "cache_operation_duration_ms",
                                     operation_names[i / CKI_TIERS], name_space,
                                     tier_names[i % CKI_TIERS]};
            uint64_t count = put_buckets(&s, duration_bounds, c->durations, CKI_DURATIONS);
            put_count(&s, count);
            put_series(&s, "_sum", NULL, NULL);
            put_ms(dump, c->duration_ns);
            put(dump, "\n");
        }
    }
}

static void write_sizes(struct dump *dump, const char *name_space, grid counts)
{
    for (int i = 0; i < CKI_OPERATIONS * CKI_TIERS; i++) {
        const struct cki_counts *c = &counts[i / CKI_TIERS][i % CKI_TIERS];
        if (sum_of(c->sizes, CKI_SIZES + 1) > 0) {
            const struct series s = {dump, "cache_operation_size_bytes",
                                     operation_names[i / CKI_TIERS], name_space,
                                     tier_names[i % CKI_TIERS]};
            uint64_t count = put_buckets(&s, size_bounds, c->sizes, CKI_SIZES);
            put_count(&s, count);
            put_series(&s, "_sum", NULL, NULL);
            put_number(dump, " ", c->size_bytes);
            put(dump, "\n");
        }
    }
}

static void write_breakers(struct dump *dump)
{
    for (const struct cki_metrics *m = cki_metrics_first_locked(); m != NULL;) {
        const char *name_space = m->name_space;
        int64_t states[CKI_BREAKER_STATES] = {0};
        for (; m != NULL && strcmp(m->name_space, name_space) == 0; m = m->next) {
            for (int i = 0; i < CKI_BREAKER_STATES; i++) {
                states[i] += atomic_load_explicit(&m->breakers[i], memory_order_relaxed);
            }
        }
        bool is_live =
            states[CKI_BREAKER_CLOSED] + states[CKI_BREAKER_OPEN] + states[CKI_BREAKER_HALF_OPEN] >
            0;
        for (int i = 0; is_live && i < CKI_BREAKER_STATES; i++) {
            put_label(dump, "circuit_breaker_state{", "namespace", name_space);
            put_label(dump, ",", "state", state_names[i]);
            // A breaker that turns just now may be between two states.
            put_number(dump, "} ", states[i] > 0 ? (uint64_t)states[i] : 0);
            put(dump, "\n");
        }
    }
}

static void write_rare(struct dump *dump)
{
    uint64_t rejected = 0, drift = 0, failures[CKI_DECRYPT_FAILURES][2] = {{0}};
    for (const struct cki_metrics *m = cki_metrics_first_locked(); m != NULL; m = m->next) {
        rejected += atomic_load_explicit(&m->rejected, memory_order_relaxed);
        drift += atomic_load_explicit(&m->drift_reads, memory_order_relaxed);
        for (int i = 0; i < CKI_DECRYPT_FAILURES * 2; i++) {
            failures[i / 2][i % 2] +=
                atomic_load_explicit(&m->decrypt_failures[i / 2][i % 2], memory_order_relaxed);
        }
    }
    put_head(dump, "redis_cache_operations_total", "counter", "Calls shed before the backend");
    put_number(dump,
               "redis_cache_operations_total{operation=\"backpressure\",status=\"rejected\","
               "serializer=\"\",namespace=\"\"} ",
               rejected);
    put(dump, "\n");
    put_head(dump, "cachekit_decrypt_failures_total", "counter", "Sealed bytes that did not open");
    for (int i = 0; i < CKI_DECRYPT_FAILURES * 2; i++) {
        put_label(dump, "cachekit_decrypt_failures_total{", "reason", reason_names[i / 2]);
        put_label(dump, ",", "tier", i % 2 == 0 ? "l1" : "l2");
        put_number(dump, "} ", failures[i / 2][i % 2]);
        put(dump, "\n");
    }
    put_head(dump, "cachekit_config_drift_reads_total", "counter",
             "Reads that met bytes of another configuration");
    put_number(dump, "cachekit_config_drift_reads_total{reason=\"encryption_disabled\"} ", drift);
    put(dump, "\n");
}

cachekit_status cachekit_metrics_write(cachekit_buffer *out)
{
    cki_fork_check();
    const size_t before = out->len;
    struct dump dump = {out, CACHEKIT_OK};
    cki_metrics_lock();
    put_head(&dump, "cache_operations_total", "counter", "Cache operations");
    for_each_namespace(&dump, write_operations);
    put_head(&dump, "cache_operation_duration_ms", "histogram",
             "Duration of cache operations in milliseconds");
    for_each_namespace(&dump, write_durations);
    put_head(&dump, "cache_operation_size_bytes", "histogram", "Stored bytes of cache operations");
    for_each_namespace(&dump, write_sizes);
    put_head(&dump, "circuit_breaker_state", "gauge", "Live circuit breakers by state");
    write_breakers(&dump);
    write_rare(&dump);
    cki_metrics_unlock();
    if (dump.status != CACHEKIT_OK) {
        out->len = before;
    }
    return dump.status;
}
