// SPDX-License-Identifier: MIT
// A backend that fails costs time and hits, never a result; what was invalidated is never served.
#include "backed_kit.h"

#include <sys/wait.h>
#include <unistd.h>

static struct backed_kit t;

static const struct {
    cachekit_status status;
    bool counts;
} answers[] = {
    {CACHEKIT_E_TIMEOUT, true},      {CACHEKIT_E_TRANSIENT, true}, {CACHEKIT_E_UNKNOWN, true},
    {CACHEKIT_E_REMOTE_AUTH, false}, {CACHEKIT_E_FULL, false},     {CACHEKIT_E_CONFIG, false},
    {CACHEKIT_E_TOO_LARGE, false},   {CACHEKIT_E_INVALID, false},  {CACHEKIT_E_NOMEM, false},
};

Test(backed_faults, every_failure_of_a_backend_is_a_miss_and_some_open_the_breaker)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        cachekit_function_options options = cachekit_preset_production();
        options.memory = CACHEKIT_OFF;
        backed_open(&t, &options);
        backed_answer(&t, answers[i].status);
        for (int call = 0; call < 20; call++) {
            cr_assert(backed_layer(&t, call) == CACHEKIT_LAYER_MISS);
        }
        cachekit_info_data info = backed_info(&t);
        cr_assert(info.misses == 20);
        cr_assert((info.backend_skipped > 0) == answers[i].counts, "%s",
                  cachekit_status_name(answers[i].status));
        cr_assert(info.backend_failures + info.backend_skipped == 40);
        backed_close(&t);
    }
}

Test(backed_faults, memory_serves_while_the_backend_is_away)
{
    backed_open(&t, NULL);
    backed_answer(&t, CACHEKIT_E_TRANSIENT);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    for (int i = 0; i < 10; i++) {
        cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L1);
    }
    backed_close(&t);
}

Test(backed_faults, an_entry_of_the_wrong_type_is_removed_and_computed_anew)
{
    backed_open(&t, NULL);
    atomic_store(&t.odd.answers[ODD_GET], CACHEKIT_E_WRONG_TYPE);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(atomic_load(&t.odd.asked[ODD_REMOVE]) == 1 && backed_info(&t).corrupt == 1);
    backed_close(&t);
}

Test(backed_faults, a_failing_loader_is_handed_on_and_nothing_is_kept)
{
    cachekit_hit hit;
    cachekit_error error;
    cachekit_arg arg = cachekit_i64(1);
    backed_open(&t, NULL);
    t.answer = CACHEKIT_E_TIMEOUT;
    cr_assert(cachekit_call(t.f, &arg, 1, &hit, &error) == CACHEKIT_E_TIMEOUT);
    cr_assert(hit.object == NULL && error.status == CACHEKIT_E_TIMEOUT);
    cr_assert(atomic_load(&t.odd.asked[ODD_SET]) == 0);
    t.answer = CACHEKIT_OK;
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    backed_close(&t);
}

Test(backed_faults, an_invalidated_call_is_computed_anew_by_everybody)
{
    backed_open(&t, NULL);
    for (int i = 0; i < 10; i++) {
        cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
    }
    cr_assert(backed_invalidate(&t, 3) == CACHEKIT_OK);
    cr_assert(backed_invalidate(&t, 3) == CACHEKIT_MISS);
    cr_assert(backed_layer(&t, 3) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_layer(&t, 4) == CACHEKIT_LAYER_L1);
    cr_assert(cachekit_invalidate_all(t.f) == CACHEKIT_OK);
    backed_reopen(&t, NULL);
    for (int i = 0; i < 10; i++) {
        cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
    }
    backed_close(&t);
}

// Until the backend has removed it, what it holds is not asked for.
Test(backed_faults, what_the_backend_failed_to_remove_is_not_served)
{
    backed_open(&t, NULL);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_layer(&t, 2) == CACHEKIT_LAYER_MISS);
    atomic_store(&t.odd.answers[ODD_REMOVE], CACHEKIT_E_TIMEOUT);
    atomic_store(&t.odd.answers[ODD_SET], CACHEKIT_E_TIMEOUT);
    cr_assert(backed_invalidate(&t, 1) == CACHEKIT_E_TIMEOUT);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(cachekit_invalidate_all(t.f) == CACHEKIT_E_TIMEOUT);
    cr_assert(backed_layer(&t, 2) == CACHEKIT_LAYER_MISS);
    backed_answer(&t, CACHEKIT_OK);
    (void)cachekit_maintain(t.cache, 0);
    backed_reopen(&t, NULL);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_layer(&t, 2) == CACHEKIT_LAYER_MISS);
    backed_close(&t);
}

static void invalidate_seven(void *context)
{
    (void)context;
    (void)backed_invalidate(&t, 7);
}

static void invalidate_everything(void *context)
{
    (void)context;
    (void)cachekit_invalidate_all(t.f);
}

Test(backed_faults, what_an_invalidation_overtook_while_computing_is_not_stored)
{
    void (*const overtake[])(void *) = {invalidate_seven, invalidate_everything};
    for (int i = 0; i < 2; i++) {
        backed_open(&t, NULL);
        t.while_loading = overtake[i];
        cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_MISS);
        t.while_loading = NULL;
        cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_MISS, "in memory, or at the backend");
        cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_L1);
        backed_close(&t);
    }
}

static atomic_bool is_spent;

static void overtake_a_write(enum odd_question question, void *context)
{
    if (question == ODD_SET && !atomic_exchange(&is_spent, true)) {
        invalidate_seven(context);
    }
}

static void overtake_a_read(enum odd_question question, void *context)
{
    if (question == ODD_GET && !atomic_exchange(&is_spent, true)) {
        invalidate_seven(context);
    }
}

Test(backed_faults, what_an_invalidation_overtook_while_the_backend_wrote_does_not_stay)
{
    backed_open(&t, NULL);
    atomic_store(&is_spent, false);
    t.odd.before = overtake_a_write; // it removes, then the value is written
    cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_MISS);
    backed_close(&t);
}

Test(backed_faults, what_an_invalidation_overtook_while_the_backend_read_is_not_kept_in_memory)
{
    backed_open(&t, NULL);
    cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_MISS);
    backed_reopen(&t, NULL);
    atomic_store(&is_spent, false);
    t.odd.after = overtake_a_read; // the old bytes are read, then removed
    cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_L2);
    cr_assert(backed_layer(&t, 7) == CACHEKIT_LAYER_MISS);
    backed_close(&t);
}

enum { THREADS = 8 };

static void linger(void *context)
{
    (void)context;
    kit_sleep_ms(50);
}

static void *call_once(void *arg)
{
    cachekit_hit *hit = arg;
    cr_assert(backed_call(&t, 1, hit) == CACHEKIT_OK);
    return NULL;
}

Test(backed_faults, those_who_miss_at_once_share_one_computation)
{
    pthread_t threads[THREADS];
    cachekit_hit hits[THREADS];
    backed_open(&t, NULL);
    t.while_loading = linger;
    for (int i = 0; i < THREADS; i++) {
        cr_assert(pthread_create(&threads[i], NULL, call_once, &hits[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        cr_assert(pthread_join(threads[i], NULL) == 0);
        cr_assert(cachekit_value_equal(hits[i].object, &t.document));
    }
    cr_assert(atomic_load(&t.loads) == 1 && atomic_load(&t.destroyed) == 0);
    for (int i = 0; i < THREADS; i++) {
        cachekit_release(&hits[i]);
    }
    cr_assert(atomic_load(&t.destroyed) == 1);
    backed_close(&t);
}

static void call_itself(void *context)
{
    t.while_loading = NULL;
    (void)context;
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
}

Test(backed_faults, a_loader_may_ask_for_its_own_call)
{
    backed_open(&t, NULL);
    t.while_loading = call_itself;
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(atomic_load(&t.loads) == 2);
    backed_close(&t);
}

static void *end_inside(void *arg)
{
    cachekit_hit hit;
    (void)arg;
    (void)backed_call(&t, 1, &hit);
    return NULL;
}

static void end_thread(void *context)
{
    (void)context;
    pthread_exit(NULL);
}

Test(backed_faults, a_loader_that_ends_its_thread_leaves_nothing_behind, .disabled = KIT_ASAN)
{
    pthread_t thread;
    backed_open(&t, NULL);
    t.while_loading = end_thread;
    cr_assert(pthread_create(&thread, NULL, end_inside, NULL) == 0);
    cr_assert(pthread_join(thread, NULL) == 0);
    t.while_loading = NULL;
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    backed_close(&t);
}

static cachekit_function_options locked(void)
{
    cachekit_function_options options = cachekit_preset_production();
    options.distributed_lock = CACHEKIT_ON;
    options.lock_wait_ms = 300;
    return options;
}

Test(backed_faults, the_lock_is_had_and_given_back_and_missed_only_for_a_while)
{
    char text[CACHEKIT_KEY_AUTO_ROOM], token[CACHEKIT_LOCK_TOKEN_ROOM];
    const cachekit_function_options options = locked();
    backed_open(&t, &options);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(atomic_load(&t.odd.asked[ODD_LOCK]) == 1);
    cr_assert(atomic_load(&t.odd.asked[ODD_UNLOCK]) == 1);
    // Somebody else's: computed without it in the end.
    cachekit_slice key = backed_key(&t, false, 2, text);
    cr_assert(t.store->ops->lock(t.store, key, 60000, cachekit_deadline_ns(1000), token, NULL) ==
              CACHEKIT_OK);
    cr_assert(backed_layer(&t, 2) == CACHEKIT_LAYER_MISS);
    cr_assert(atomic_load(&t.odd.asked[ODD_LOCK]) > 2);
    cr_assert(t.store->ops->unlock(t.store, key, token, cachekit_deadline_ns(1000), NULL) ==
              CACHEKIT_OK);
    atomic_store(&t.odd.answers[ODD_LOCK], CACHEKIT_E_TRANSIENT);
    cr_assert(backed_layer(&t, 3) == CACHEKIT_LAYER_MISS);
    backed_close(&t);
}

static void store_meanwhile(enum odd_question question, void *context)
{
    (void)context;
    if (question == ODD_LOCK) {
        char text[CACHEKIT_KEY_AUTO_ROOM], other[CACHEKIT_KEY_AUTO_ROOM];
        cachekit_buffer stored = CACHEKIT_BUFFER_INIT;
        cr_assert(backed_stored(&t, backed_key(&t, false, 1, text), &stored) == CACHEKIT_OK);
        backed_plant(&t, backed_key(&t, false, 2, other),
                     (cachekit_slice){stored.data, stored.len});
        cachekit_buffer_release(&stored);
    }
}

Test(backed_faults, who_waited_for_the_lock_looks_again_before_it_computes)
{
    const cachekit_function_options options = locked();
    backed_open(&t, &options);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    t.odd.before = store_meanwhile;
    cr_assert(backed_layer(&t, 2) == CACHEKIT_LAYER_L2);
    cr_assert(atomic_load(&t.loads) == 1);
    backed_close(&t);
}

Test(backed_faults, a_child_starts_with_empty_memory)
{
    cachekit_hit held;
    backed_open(&t, NULL);
    cr_assert(backed_call(&t, 1, &held) == CACHEKIT_OK);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        bool is_good = cachekit_value_equal(held.object, &t.document);
        cachekit_release(&held);
        is_good = is_good && atomic_load(&t.destroyed) == 0;
        is_good = is_good && backed_layer(&t, 1) == CACHEKIT_LAYER_MISS;
        is_good = is_good && backed_layer(&t, 1) == CACHEKIT_LAYER_L1;
        is_good = is_good && cachekit_cache_free(t.cache) == CACHEKIT_OK;
        _exit(is_good ? 0 : 1);
    }
    int status;
    cr_assert(waitpid(child, &status, 0) == child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
    cachekit_release(&held);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L1);
    backed_close(&t);
}

#define SETS(name, assignment)                                                                     \
    static void name(cachekit_function_options *o)                                                 \
    {                                                                                              \
        assignment;                                                                                \
    }

SETS(set_budget, o->budget_bytes = 1)
SETS(set_entries, o->entries_max = 1)
SETS(set_ratio, o->refresh_ratio = 0.5)
SETS(set_retry, o->refresh_retry_ms = 1)
SETS(set_policy, o->policy = CACHEKIT_S3_FIFO)
SETS(set_ttl, o->ttl_ms = 999)
SETS(set_ttl_negative, o->ttl_ms = -1)
SETS(set_deadline, o->deadline_ms = -1)
SETS(set_hold, o->lock_hold_ms = -1)
SETS(set_wait, o->lock_wait_ms = -1)
SETS(set_value, o->value_max_bytes = (size_t)536870913)
SETS(set_jitter, o->ttl_jitter_ratio = 0.51)
SETS(set_wire, o->wire = (cachekit_wire)2)
SETS(set_codec, o->codec = (cachekit_codec)3)
SETS(set_codec_json, o->codec = CACHEKIT_CODEC_JSON)
SETS(set_interop, o->wire = CACHEKIT_WIRE_INTEROP)
SETS(set_interop_json, (o->wire = CACHEKIT_WIRE_INTEROP, o->codec = CACHEKIT_CODEC_JSON))
SETS(set_interop_sum, (o->wire = CACHEKIT_WIRE_INTEROP, o->integrity = CACHEKIT_ON))
SETS(set_sealed_bare, (o->encryption = CACHEKIT_ON, o->integrity = CACHEKIT_OFF))
SETS(set_encryption, o->encryption = CACHEKIT_ON)
SETS(set_integrity, o->integrity = CACHEKIT_ON)
SETS(set_memory, o->memory = CACHEKIT_OFF)
SETS(set_breaker, o->breaker = CACHEKIT_ON)
SETS(set_pressure, o->backpressure = CACHEKIT_ON)
SETS(set_metrics, o->metrics = CACHEKIT_ON)
SETS(set_closed, o->fail_closed = CACHEKIT_ON)
SETS(set_lock, o->distributed_lock = CACHEKIT_ON)
SETS(set_switch, o->breaker = (cachekit_switch)7)
SETS(set_idle_hold, o->lock_hold_ms = 1)
SETS(set_idle_wait, o->lock_wait_ms = 1)
SETS(set_failures, o->breaker_failures = 1)
SETS(set_failures_many, (o->breaker = CACHEKIT_ON, o->breaker_failures = 65537))
SETS(set_recovery, o->breaker_recovery_ms = 1)
SETS(set_recovery_negative, (o->breaker = CACHEKIT_ON, o->breaker_recovery_ms = -1))
SETS(set_questions, o->questions_max = 1)
SETS(set_jitter_for_ever, (o->ttl_jitter_ratio = 0.1, o->ttl_ms = CACHEKIT_FOREVER_MS))
SETS(set_sweep, o->maintain_every_ms = -1)

static const struct {
    const char *option;
    bool is_backed;
    void (*set)(cachekit_function_options *options);
} refusals[] = {
    {"budget_bytes", true, set_budget},
    {"entries_max", true, set_entries},
    {"refresh_ratio", true, set_ratio},
    {"refresh_retry_ms", true, set_retry},
    {"policy", true, set_policy},
    {"ttl_ms", true, set_ttl},
    {"ttl_ms", true, set_ttl_negative},
    {"deadline_ms", true, set_deadline},
    {"lock_hold_ms", true, set_hold},
    {"lock_wait_ms", true, set_wait},
    {"value_max_bytes", true, set_value},
    {"ttl_jitter_ratio", true, set_jitter},
    {"wire", true, set_wire},
    {"codec", true, set_codec},
    {"codec", true, set_interop_json},
    {"integrity", true, set_interop_sum},
    {"integrity", true, set_sealed_bare},
    {"fail_closed", true, set_closed},
    {"switch", true, set_switch},
    {"maintain_every_ms", true, set_sweep},
    {"lock_hold_ms", true, set_idle_hold},
    {"lock_wait_ms", true, set_idle_wait},
    {"breaker_failures", true, set_failures},
    {"breaker_failures", true, set_failures_many},
    {"breaker_recovery_ms", true, set_recovery},
    {"breaker_recovery_ms", true, set_recovery_negative},
    {"questions_max", true, set_questions},
    {"ttl_jitter_ratio", true, set_jitter_for_ever},
    {"breaker_failures", false, set_failures},
    {"breaker_recovery_ms", false, set_recovery},
    {"questions_max", false, set_questions},
    {"wire", false, set_interop},
    {"codec", false, set_codec_json},
    {"encryption", false, set_encryption},
    {"integrity", false, set_integrity},
    {"memory", false, set_memory},
    {"breaker", false, set_breaker},
    {"backpressure", false, set_pressure},
    {"metrics", false, set_metrics},
    {"fail_closed", false, set_closed},
    {"distributed_lock", false, set_lock},
    {"deadline_ms", false, set_deadline},
    {"ttl_jitter_ratio", false, set_jitter},
    {"switch", false, set_switch},
};

Test(backed_faults, an_option_that_cannot_act_is_refused_by_its_name)
{
    backed_open(&t, NULL);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        cachekit_function *f;
        cachekit_error error = {0};
        cachekit_function_options options = cachekit_preset_test();
        options.is_local = !refusals[i].is_backed;
        refusals[i].set(&options);
        cr_assert(cachekit_function_new(t.cache, "g", backed_load, &t, &options, &f, &error) ==
                      CACHEKIT_E_INVALID,
                  "row %zu", i);
        cr_assert(f == NULL && strstr(error.text, refusals[i].option) != NULL, "row %zu: %s", i,
                  error.text);
    }
    backed_close(&t);
}

Test(backed_faults, interop_is_refused_where_keys_are_changed_also_later)
{
    cachekit_function *f;
    cachekit_hit hit;
    cachekit_arg arg = cachekit_i64(1);
    cachekit_function_options options = cachekit_preset_production();
    options.wire = CACHEKIT_WIRE_INTEROP;
    backed_open(&t, &options);
    cr_assert(cachekit_function_new(t.cache, "Get", backed_load, &t, &options, &f, NULL) ==
              CACHEKIT_E_INVALID);
    t.odd.base.prefixes_keys = true;
    cr_assert(cachekit_function_new(t.cache, "other", backed_load, &t, &options, &f, NULL) ==
              CACHEKIT_E_INVALID);
    cr_assert(cachekit_call(t.f, &arg, 1, &hit, NULL) == CACHEKIT_E_CONFIG);
    cr_assert(hit.object == NULL && atomic_load(&t.loads) == 0);
    backed_close(&t);
}

Test(backed_faults, a_backend_that_cannot_be_asked_is_refused_by_the_cache)
{
    cachekit_backend *whole = NULL;
    cr_assert(cachekit_memory_backend_new(NULL, &whole, NULL) == CACHEKIT_OK);
    cachekit_backend_ops lacking[] = {*whole->ops, *whole->ops, *whole->ops, *whole->ops,
                                      *whole->ops};
    lacking[0].size = sizeof(size_t), lacking[1].name = NULL, lacking[2].get = NULL;
    lacking[3].set = NULL, lacking[4].remove = NULL;
    for (size_t i = 0; i <= sizeof lacking / sizeof lacking[0]; i++) {
        cachekit_backend backend = {i < 5 ? &lacking[i] : NULL, false};
        cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
        options.backend = &backend;
        cachekit_cache *cache = NULL;
        cr_assert(cachekit_cache_new(&options, &cache, NULL) == CACHEKIT_E_INVALID);
        cr_assert(cache == NULL, "%zu", i);
    }
    cachekit_backend_free(whole);
}
