// SPDX-License-Identifier: MIT
// What a function with a backend leaves behind: locks and permits of threads that end, secrets of a
// parent; and what becomes of options at their edges.
#include "backed_kit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "call/backed.h"
#include "call/cache.h"

static struct backed_kit t;

static cachekit_function_options locked(void)
{
    cachekit_function_options options = cachekit_preset_production();
    options.distributed_lock = CACHEKIT_ON;
    options.lock_wait_ms = 300;
    return options;
}

Test(backed_rules, a_backend_that_is_away_is_not_asked_for_locks)
{
    cachekit_function_options options = locked();
    options.breaker_failures = 1;
    backed_open(&t, &options);
    backed_answer(&t, CACHEKIT_E_TIMEOUT);
    for (int i = 0; i < 5; i++) {
        cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
    }
    cr_assert(atomic_load(&t.odd.asked[ODD_LOCK]) == 0);
    backed_close(&t);
}

static void call_again(void *context)
{
    cachekit_hit hit;
    (void)context;
    t.while_loading = NULL;
    cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_OK && hit.layer == CACHEKIT_LAYER_MISS);
    cachekit_release(&hit);
}

Test(backed_rules, a_loader_that_calls_itself_does_not_wait_for_its_own_lock)
{
    const cachekit_function_options options = locked();
    backed_open(&t, &options);
    t.while_loading = call_again;
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(atomic_load(&t.loads) == 2 && atomic_load(&t.odd.asked[ODD_LOCK]) == 1);
    backed_close(&t);
}

static void end_thread(void *context)
{
    (void)context;
    pthread_exit(NULL);
}

static void *call_one(void *arg)
{
    cachekit_hit hit;
    (void)arg;
    if (backed_call(&t, 1, &hit) == CACHEKIT_OK) {
        cachekit_release(&hit);
    }
    return NULL;
}

Test(backed_rules, a_loader_that_ends_its_thread_gives_the_lock_back, .disabled = KIT_ASAN)
{
    pthread_t thread;
    const cachekit_function_options options = locked();
    backed_open(&t, &options);
    t.while_loading = end_thread;
    cr_assert(pthread_create(&thread, NULL, call_one, NULL) == 0);
    cr_assert(pthread_join(thread, NULL) == 0);
    t.while_loading = NULL;
    cr_assert(atomic_load(&t.odd.asked[ODD_UNLOCK]) == 1);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(atomic_load(&t.odd.asked[ODD_LOCK]) == 2);
    backed_close(&t);
}

static atomic_bool is_asked;

static void be_slow(enum odd_question question, void *context)
{
    (void)question;
    (void)context;
    atomic_store(&is_asked, true);
    kit_sleep_ms(30);
}

static void *peek_one(void *arg)
{
    cachekit_hit hit;
    cachekit_arg number = cachekit_i64(1);
    (void)arg;
    if (cachekit_peek(t.f, &number, 1, &hit, NULL) == CACHEKIT_OK) {
        cachekit_release(&hit);
    }
    return NULL;
}

static void *invalidate_one(void *arg)
{
    (void)arg;
    (void)backed_invalidate(&t, 1);
    return NULL;
}

static void *invalidate_every(void *arg)
{
    (void)arg;
    (void)cachekit_invalidate_all(t.f);
    return NULL;
}

static void *maintain(void *arg)
{
    (void)arg;
    (void)cachekit_maintain(t.cache, 0);
    return NULL;
}

// The backend's own waiting can be cancelled; whoever asks it must not be in the middle of that.
Test(backed_rules, threads_that_are_cancelled_while_they_ask_leave_nothing_taken,
     .disabled = KIT_ASAN)
{
    void *(*const acts[])(void *) = {call_one, peek_one, invalidate_one, invalidate_every,
                                     maintain};
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        pthread_t thread;
        cachekit_function_options options = cachekit_preset_production();
        options.questions_max = 1;
        backed_open(&t, &options);
        cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
        atomic_store(&t.odd.answers[ODD_REMOVE], CACHEKIT_E_TIMEOUT);
        cr_assert(backed_invalidate(&t, 2) == CACHEKIT_E_TIMEOUT);
        backed_answer(&t, CACHEKIT_OK);
        backed_reopen(&t, &options);
        cr_assert(backed_layer(&t, 3) == CACHEKIT_LAYER_MISS);
        atomic_store(&t.odd.answers[ODD_REMOVE], CACHEKIT_E_TIMEOUT);
        cr_assert(backed_invalidate(&t, 4) == CACHEKIT_E_TIMEOUT);
        backed_answer(&t, CACHEKIT_OK);
        atomic_store(&is_asked, false);
        t.odd.before = be_slow;
        cr_assert(pthread_create(&thread, NULL, acts[i], NULL) == 0);
        while (!atomic_load(&is_asked)) {
            kit_sleep_ms(1);
        }
        cr_assert(pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
        t.odd.before = NULL;
        cr_assert(backed_layer(&t, 5) == CACHEKIT_LAYER_MISS);
        cr_assert(backed_info(&t).backend_skipped == 0, "act %zu kept its permit", i);
        cr_assert(cachekit_invalidate_all(t.f) == CACHEKIT_OK, "act %zu", i);
        backed_close(&t);
    }
}

static atomic_bool may_go;

static void wait_for_leave(enum odd_question question, void *context)
{
    (void)context;
    if (question == ODD_GET && !atomic_exchange(&is_asked, true)) {
        while (!atomic_load(&may_go)) {
            kit_sleep_ms(1);
        }
    }
}

Test(backed_rules, only_so_many_questions_are_asked_at_once)
{
    pthread_t thread;
    cachekit_function_options options = cachekit_preset_production();
    options.questions_max = 1;
    backed_open(&t, &options);
    atomic_store(&is_asked, false);
    atomic_store(&may_go, false);
    t.odd.before = wait_for_leave;
    cr_assert(pthread_create(&thread, NULL, call_one, NULL) == 0);
    while (!atomic_load(&is_asked)) {
        kit_sleep_ms(1);
    }
    cr_assert(backed_layer(&t, 2) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_info(&t).backend_skipped == 2 && atomic_load(&t.odd.asked[ODD_GET]) == 1);
    atomic_store(&may_go, true);
    cr_assert(pthread_join(thread, NULL) == 0);
    cr_assert(backed_layer(&t, 3) == CACHEKIT_LAYER_MISS && backed_info(&t).backend_skipped == 2);
    backed_close(&t);
}

Test(backed_rules, one_deadline_is_enough_to_learn_that_a_backend_is_away)
{
    enum { KEYS = 200 };
    backed_open(&t, NULL);
    for (int i = 0; i < KEYS; i++) {
        cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
    }
    atomic_store(&t.odd.answers[ODD_REMOVE], CACHEKIT_E_TIMEOUT);
    cr_assert(cachekit_invalidate_all(t.f) == CACHEKIT_E_TIMEOUT);
    cr_assert(atomic_load(&t.odd.asked[ODD_REMOVE]) == 1);
    int loads = atomic_load(&t.loads);
    atomic_store(&t.odd.answers[ODD_SET], CACHEKIT_E_TIMEOUT);
    for (int i = 0; i < 3; i++) {
        cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS, "what was there is not served");
    }
    cr_assert(atomic_load(&t.loads) == loads + 3);
    backed_answer(&t, CACHEKIT_OK);
    (void)cachekit_maintain(t.cache, 0);
    backed_reopen(&t, NULL);
    for (int i = 0; i < KEYS; i++) {
        cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
    }
    backed_close(&t);
}

Test(backed_rules, keys_that_were_only_read_belong_to_the_whole_function)
{
    backed_open(&t, NULL);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    backed_reopen(&t, NULL);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L2);
    cr_assert(cachekit_invalidate_all(t.f) == CACHEKIT_OK);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    backed_close(&t);
}

static struct {
    int asked;
    bool is_half; // it removes every other key
} many;

static cachekit_status remove_half(cachekit_backend *self, const cachekit_slice *keys, size_t count,
                                   int64_t deadline_ns, bool *done, cachekit_error *error)
{
    many.asked++;
    for (size_t i = many.is_half ? 0 : count; i < count; i += 2) {
        cachekit_backend *inner = odd_of(self)->inner;
        done[i] = inner->ops->remove(inner, keys[i], deadline_ns, error) >= 0;
    }
    return CACHEKIT_E_TIMEOUT;
}

Test(backed_rules, a_backend_that_removes_some_keys_is_asked_for_the_others)
{
    enum { KEYS = 200 };
    cachekit_backend_ops ops = odd_ops;
    ops.remove_many = remove_half;
    for (int half = 0; half < 2; half++) {
        many.asked = 0;
        many.is_half = half;
        backed_open(&t, NULL);
        t.odd.base.ops = &ops;
        for (int i = 0; i < KEYS; i++) {
            cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
        }
        cr_assert(cachekit_invalidate_all(t.f) == CACHEKIT_E_TIMEOUT);
        cr_assert(many.asked == (half ? 4 : 1), "%d", many.asked);
        for (int i = 0; i < KEYS; i++) {
            cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
        }
        backed_close(&t);
    }
}

Test(backed_rules, lives_are_shortened_at_random_up_to_the_share)
{
    int64_t least = INT64_MAX, most = 0;
    char text[CACHEKIT_KEY_AUTO_ROOM];
    cachekit_function_options options = cachekit_preset_production();
    options.ttl_jitter_ratio = 0.5;
    options.ttl_ms = 1000000;
    backed_open(&t, &options);
    for (int i = 0; i < 100; i++) {
        int64_t left = 0;
        cr_assert(backed_layer(&t, i) == CACHEKIT_LAYER_MISS);
        cr_assert(t.store->ops->ttl(t.store, backed_key(&t, false, i, text),
                                    cachekit_deadline_ns(1000), &left, NULL) == CACHEKIT_OK);
        least = left < least ? left : least;
        most = left > most ? left : most;
    }
    cr_assert(least >= 490000 && least < 560000 && most > 940000 && most <= 1000000, "%jd to %jd",
              (intmax_t)least, (intmax_t)most);
    backed_close(&t);
}

Test(backed_rules, a_life_of_a_second_is_the_backends_alone)
{
    cachekit_function_options options = cachekit_preset_production();
    options.ttl_ms = 1000;
    backed_open(&t, &options);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_L2);
    cachekit_info_data info = backed_info(&t);
    cr_assert(info.unstored == 0 && info.refused == 0 && info.stored == 1);
    cr_assert(info.l2_average_us > 0.0);
    backed_close(&t);
}

Test(backed_rules, empty_bytes_are_a_result_in_every_form)
{
    cachekit_hit hit;
    for (int i = 0; i < 3; i++) {
        cachekit_function_options options =
            i == 2 ? cachekit_preset_secure() : cachekit_preset_production();
        options.codec = CACHEKIT_CODEC_BYTES;
        options.integrity = i == 1 ? CACHEKIT_OFF : CACHEKIT_DEFAULT;
        backed_open(&t, &options);
        t.size_bytes = 0;
        static const cachekit_layer layers[] = {CACHEKIT_LAYER_MISS, CACHEKIT_LAYER_L1,
                                                CACHEKIT_LAYER_L1, CACHEKIT_LAYER_L2};
        for (int call = 0; call < 4; call++) {
            if (call == 3) {
                backed_reopen(&t, &options);
            }
            cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_OK);
            cr_assert(hit.object != NULL && hit.size_bytes == 0);
            cr_assert(hit.layer == layers[call], "form %d, call %d: %d", i, call, (int)hit.layer);
            cachekit_release(&hit);
        }
        backed_close(&t);
    }
}

static bool is_wiped(const cachekit_buffer *buffer)
{
    for (size_t i = 0; i < buffer->room; i++) {
        if (buffer->data[i] != 0) {
            return false;
        }
    }
    return buffer->room > 0;
}

Test(backed_rules, what_a_value_was_on_its_way_to_the_backend_is_gone_while_it_is_in_use)
{
    cachekit_hit hit;
    const cachekit_function_options options = cachekit_preset_secure();
    backed_open(&t, &options);
    cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_OK && hit.layer == CACHEKIT_LAYER_MISS);
    const struct cki_reply *reply = (struct cki_reply *)(hit.grip & ~(uintptr_t)CKI_GRIP_TAGS);
    cr_assert(is_wiped(&reply->plain) && is_wiped(&reply->opened));
    cachekit_release(&hit);
    backed_close(&t);
}

Test(backed_rules, a_child_wipes_its_copy_of_its_parents_secrets)
{
    cachekit_hit hit;
    const cachekit_function_options options = cachekit_preset_secure();
    backed_open(&t, &options);
    cr_assert(backed_layer(&t, 1) == CACHEKIT_LAYER_MISS);
    cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_OK && hit.layer == CACHEKIT_LAYER_L1);
    struct cki_reply *reply = (struct cki_reply *)(hit.grip & ~(uintptr_t)CKI_GRIP_TAGS);
    pid_t child = fork();
    if (child == 0) {
        bool is_good = cachekit_value_equal(hit.object, &t.document) && !is_wiped(&reply->plain);
        cachekit_release(&hit);
        _exit(is_good && is_wiped(&reply->plain) && is_wiped(&reply->opened) ? 0 : 1);
    }
    int status;
    cr_assert(waitpid(child, &status, 0) == child && status == 0);
    cr_assert(cachekit_value_equal(hit.object, &t.document));
    cachekit_release(&hit);
    cr_assert(is_wiped(&reply->plain) && is_wiped(&reply->opened));
    backed_close(&t);
}

Test(backed_rules, a_cache_that_cannot_be_freed_yet_is_empty)
{
    cachekit_hit hit;
    backed_open(&t, NULL);
    cr_assert(backed_call(&t, 1, &hit) == CACHEKIT_OK);
    cr_assert(backed_info(&t).entries == 1);
    cr_assert(cachekit_cache_free(t.cache) == CACHEKIT_E_BUSY);
    cr_assert(backed_info(&t).entries == 0);
    cachekit_release(&hit);
    backed_close(&t);
}

Test(backed_rules, options_of_a_cache_come_from_the_environment_when_asked)
{
    cachekit_error error;
    cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
    cachekit_backend *backend;
    cr_assert(cachekit_memory_backend_new(NULL, &backend, NULL) == CACHEKIT_OK);
    cr_assert(setenv("CACHEKIT_L1_MAX_SIZE_MB", "7", 1) == 0);
    cr_assert(setenv("CACHEKIT_L1_CLEANUP_INTERVAL_SECONDS", "30", 1) == 0);
    cr_assert(cachekit_cache_options_from_env(&options, NULL) == CACHEKIT_OK);
    cr_assert(options.budget_bytes == 7 << 20 && options.maintain_every_ms == 30000);
    cr_assert(options.bytes_budget_bytes == 0);
    options.backend = backend;
    options.maintain_every_ms = 5;
    cr_assert(cachekit_cache_options_from_env(&options, NULL) == CACHEKIT_OK);
    cr_assert(options.bytes_budget_bytes == 7 << 20 && options.maintain_every_ms == 5);
    static const char *const wrong[] = {"", "0", "-1", "7x", " 7", "1e3", "9999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        options.bytes_budget_bytes = 0;
        cr_assert(setenv("CACHEKIT_L1_MAX_SIZE_MB", wrong[i], 1) == 0);
        cr_assert(cachekit_cache_options_from_env(&options, &error) == CACHEKIT_E_CONFIG);
        cr_assert(strstr(error.text, "CACHEKIT_L1_MAX_SIZE_MB") != NULL);
        cr_assert(options.bytes_budget_bytes == 0);
    }
    cr_assert(unsetenv("CACHEKIT_L1_MAX_SIZE_MB") == 0);
    cr_assert(setenv("CACHEKIT_DEFAULT_TTL", "60", 1) == 0);
    cr_assert(cachekit_cache_options_from_env(&options, &error) == CACHEKIT_E_CONFIG);
    cr_assert(strstr(error.text, "CACHEKIT_DEFAULT_TTL") != NULL);
    cachekit_backend_free(backend);
}

Test(backed_rules, stored_bytes_of_a_cache_need_a_backend)
{
    static const cachekit_clock clock = {kit_now, NULL};
    for (int i = 0; i < 3; i++) {
        cachekit_error error = {0};
        cachekit_cache *cache;
        cachekit_cache_options options = CACHEKIT_CACHE_OPTIONS_INIT;
        options.bytes_budget_bytes = i == 0;
        options.bytes_entries_max = i == 1;
        options.bytes_clock = i == 2 ? &clock : NULL;
        cr_assert(cachekit_cache_new(&options, &cache, &error) == CACHEKIT_E_INVALID);
        cr_assert(strstr(error.text, "need a backend") != NULL);
    }
}
