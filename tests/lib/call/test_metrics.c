// SPDX-License-Identifier: MIT
// The dump against what Prometheus's own client makes of the same observations, and the cells of
// threads: nothing is lost when one ends, a child begins at 0.
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cachekit/cache.h>

#include "call/breaker.h"
#include "call/metrics.h"
#include "fault_allocator.h"
#include "same.h"

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    cr_assert(file != NULL && text != NULL, "%s", path);
    size_t len = fread(text, 1, (1 << 16) - 1, file);
    cr_assert(len > 0 && fclose(file) == 0);
    return text;
}

static char *dumped(void)
{
    cachekit_buffer out = CACHEKIT_BUFFER_INIT;
    cr_assert(cachekit_metrics_write(&out) == CACHEKIT_OK);
    cr_assert(cachekit_buffer_append(&out, "", 1) == CACHEKIT_OK);
    return (char *)out.data;
}

static void count(struct cki_metrics *metrics, enum cki_operation operation, bool succeeded,
                  int64_t duration_ns, size_t size_bytes)
{
    const struct cki_operation_done done = {operation, CKI_TIER_L2, succeeded, duration_ns,
                                            size_bytes};
    cki_metrics_count(metrics, &done);
}

// As in metrics_expected.py. The counts of "users" are spread over two caches.
static void observe(struct cki_metrics *odd, struct cki_metrics users[2])
{
    const struct cki_operation_done done = {CKI_GET, CKI_TIER_UNKNOWN, true, 0, 0};
    cki_metrics_count(odd, &done);
    for (int i = 0; i < 1000; i++) {
        cki_metrics_l1_hit(&users[i % 2]);
    }
    count(&users[0], CKI_GET, true, 250000, 16);
    count(&users[1], CKI_GET, true, 10000, 17);
    count(&users[0], CKI_GET, true, 10001, 1090);
    count(&users[1], CKI_GET, true, 1000000000, 268435456);
    count(&users[0], CKI_GET, true, 1000000001, 268435457);
    count(&users[1], CKI_SET, false, 0, 0);
    count(&users[1], CKI_DELETE, true, 2500000, 0);
    for (int i = 0; i < 3; i++) {
        cki_metrics_rejected(&users[i % 2]);
    }
    cki_metrics_decrypt_failure(&users[0], CKI_AUTH_TAMPER, CKI_TIER_L2);
    cki_metrics_decrypt_failure(odd, CKI_AUTH_TAMPER, CKI_TIER_L2);
    cki_metrics_decrypt_failure(odd, CKI_CORRUPTION, CKI_TIER_L1);
    for (int i = 0; i < 4; i++) {
        cki_metrics_drift_read(odd);
    }
}

Test(metrics, the_dump_says_what_prometheus_own_client_says)
{
    struct cki_metrics odd, users[2];
    cr_assert(cki_metrics_init(&users[0], "users"));
    cr_assert(cki_metrics_init(&odd, "a\"b\\c\nd"));
    cr_assert(cki_metrics_init(&users[1], "users"));
    struct cki_breaker closed, open;
    const struct cki_breaker_options one = {.failures = 1, .gauge = users[0].breakers};
    const struct cki_breaker_options two = {.gauge = users[1].breakers};
    cr_assert(cki_breaker_init(&open, &one) == CACHEKIT_OK);
    cr_assert(cki_breaker_init(&closed, &two) == CACHEKIT_OK);
    cki_breaker_ticket ticket;
    cr_assert(cki_breaker_admit(&open, &ticket) == CKI_ADMITTED);
    cki_breaker_report(&open, ticket, CKI_OUTCOME_COUNTED);
    observe(&odd, users);
    char *expected = file_text(CACHEKIT_TEST_DIR "/lib/call/metrics_expected.txt");
    char *text = dumped();
    SAME(text, expected);
    free(text);
    free(expected);
    cki_breaker_release(&open);
    cki_breaker_release(&closed);
    for (int i = 0; i < 2; i++) {
        cki_metrics_release(&users[i]);
    }
    cki_metrics_release(&odd);
}

Test(metrics, without_caches_the_dump_has_heads_and_what_alerts_look_at)
{
    char *text = dumped();
    cr_assert(strstr(text, "# TYPE cache_operations_total counter\n# HELP") != NULL);
    cr_assert(
        strstr(text, "cachekit_decrypt_failures_total{reason=\"auth_tamper\",tier=\"l1\"} 0\n") !=
        NULL);
    cr_assert(text[strlen(text) - 1] == '\n');
    free(text);
}

Test(metrics, a_dump_without_memory_leaves_the_buffer_as_it_was)
{
    struct cki_metrics users;
    struct fault_allocator faults;
    cr_assert(cki_metrics_init(&users, "users"));
    cki_metrics_l1_hit(&users);
    int fired = 0;
    for (int at = 1;; at++) {
        fault_allocator_init(&faults);
        cachekit_buffer out;
        cachekit_buffer_init(&out, &faults.hooks);
        cr_assert(cachekit_buffer_append(&out, "before", 6) == CACHEKIT_OK);
        faults.fail_at = at;
        faults.fail_on = true;
        cachekit_status status = cachekit_metrics_write(&out);
        bool is_over = faults.calls <= at;
        cr_assert(status == (is_over ? CACHEKIT_OK : CACHEKIT_E_NOMEM));
        cr_assert((out.len == 6) == !is_over && memcmp(out.data, "before", 6) == 0);
        cachekit_buffer_release(&out);
        fired += !is_over;
        if (is_over) {
            break;
        }
    }
    cr_assert(fired > 3);
    cki_metrics_release(&users);
}

enum { THREADS = 4, EACH = 5000 };

static void *count_much(void *context)
{
    struct cki_metrics *metrics = context;
    for (int i = 0; i < EACH; i++) {
        cki_metrics_l1_hit(&metrics[i % 3]);
        count(&metrics[i % 3], CKI_GET, i % 2 == 0, 20000, 100);
    }
    return NULL;
}

static uint64_t hits_of(struct cki_metrics *metrics)
{
    struct cki_counts counts;
    cki_metrics_sum(metrics, CKI_GET, CKI_TIER_L1, &counts);
    cr_assert(counts.succeeded[1] == counts.durations[0] &&
              counts.duration_ns == counts.succeeded[1] * 1000 && counts.succeeded[0] == 0);
    return counts.succeeded[1];
}

Test(metrics, nothing_is_lost_when_threads_end)
{
    struct cki_metrics metrics[3];
    pthread_t threads[THREADS];
    struct cki_counts counts;
    for (int i = 0; i < 3; i++) {
        cr_assert(cki_metrics_init(&metrics[i], ""));
    }
    for (int i = 0; i < THREADS; i++) {
        cr_assert(pthread_create(&threads[i], NULL, count_much, metrics) == 0);
    }
    // Sums that are taken meanwhile never fall; judged once the threads are gone.
    uint64_t before = 0;
    bool falls = false;
    for (int i = 0; i < 100; i++) {
        cki_metrics_sum(&metrics[0], CKI_GET, CKI_TIER_L1, &counts);
        falls = falls || counts.succeeded[1] < before;
        before = counts.succeeded[1];
    }
    for (int i = 0; i < THREADS; i++) {
        cr_assert(pthread_join(threads[i], NULL) == 0);
    }
    cr_assert(!falls);
    (void)count_much(metrics);
    cr_assert(hits_of(&metrics[0]) + hits_of(&metrics[1]) + hits_of(&metrics[2]) ==
              (THREADS + 1) * EACH);
    cki_metrics_sum(&metrics[1], CKI_GET, CKI_TIER_L2, &counts);
    cr_assert(counts.succeeded[0] + counts.succeeded[1] == counts.durations[1]);
    cr_assert(counts.size_bytes == counts.durations[1] * 100);
    // A number that is free again begins at 0.
    cki_metrics_release(&metrics[1]);
    cr_assert(cki_metrics_init(&metrics[1], "new") && metrics[1].number == 1);
    cr_assert(hits_of(&metrics[1]) == 0);
    for (int i = 0; i < 3; i++) {
        cki_metrics_release(&metrics[i]);
    }
}

Test(metrics, many_caches_have_numbers_of_their_own)
{
    static struct cki_metrics many[100];
    for (int i = 0; i < 100; i++) {
        cr_assert(cki_metrics_init(&many[i], "n"));
        for (int k = 0; k <= i; k++) {
            cki_metrics_l1_hit(&many[i]);
        }
    }
    for (int i = 0; i < 100; i++) {
        cr_assert(hits_of(&many[i]) == (uint64_t)i + 1);
        cki_metrics_release(&many[i]);
    }
}

Test(metrics, a_namespace_of_255_bytes_fits_and_a_longer_one_does_not)
{
    char name[CKI_NAMESPACE_MAX + 2];
    struct cki_metrics metrics;
    memset(name, 'n', sizeof name);
    name[CKI_NAMESPACE_MAX + 1] = '\0';
    cr_assert(!cki_metrics_init(&metrics, name));
    name[CKI_NAMESPACE_MAX] = '\0';
    cr_assert(cki_metrics_init(&metrics, name));
    cki_metrics_release(&metrics);
}

Test(metrics, a_forked_child_begins_at_0)
{
    struct cki_metrics metrics;
    cr_assert(cki_metrics_init(&metrics, "users"));
    cki_metrics_l1_hit(&metrics);
    cki_metrics_rejected(&metrics);
    cki_metrics_lock();
    pid_t child = fork();
    if (child == 0) {
        cki_metrics_forked();
        struct cki_counts counts;
        cki_metrics_sum(&metrics, CKI_GET, CKI_TIER_L1, &counts);
        bool good = counts.succeeded[1] == 0 && atomic_load(&metrics.rejected) == 0;
        cki_metrics_l1_hit(&metrics);
        cki_metrics_sum(&metrics, CKI_GET, CKI_TIER_L1, &counts);
        good = good && counts.succeeded[1] == 1;
        cki_metrics_release(&metrics);
        _exit(good ? 0 : 1);
    }
    cki_metrics_unlock();
    int status = -1;
    cr_assert(waitpid(child, &status, 0) == child && status == 0);
    cr_assert(hits_of(&metrics) == 1);
    cki_metrics_release(&metrics);
}
