// SPDX-License-Identifier: MIT
// Exact LRU within its bytes against a naive model; lives, locks, the latency law, children.
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdatomic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cachekit/backends.h>
#include <cachekit/cache.h>

#include "backend/memory_inside.h"
#include "fault_allocator.h"

enum { KEYS = 60, STEPS = 200000, VALUE_MAX = 200 };

#define NS_PER_MS INT64_C(1000000)

#define SAYS(call, wanted)                                                                         \
    do {                                                                                           \
        cachekit_status says_ = (call);                                                            \
        cr_assert(says_ == (wanted), "%s: %s", #call, cachekit_status_name(says_));                \
    } while (0)

static struct {
    int64_t now_ns;
    int64_t latency_ns;
    cachekit_backend *backend;
    cachekit_buffer value;
} t;

static int64_t now(void *context)
{
    (void)context;
    return t.now_ns;
}

static int64_t latency(void *context)
{
    (void)context;
    return t.latency_ns;
}

static const cachekit_clock tick = {now, NULL};

static void open_with(size_t budget_bytes, const cachekit_allocator *allocator)
{
    const cachekit_memory_backend_options o = {.size = sizeof o,
                                               .budget_bytes = budget_bytes,
                                               .clock = &tick,
                                               .latency_ns = latency,
                                               .allocator = allocator};
    t.now_ns = 1000;
    t.latency_ns = 0;
    cachekit_buffer_init(&t.value, allocator);
    SAYS(cachekit_memory_backend_new(&o, &t.backend, NULL), CACHEKIT_OK);
}

static void close_all(void)
{
    cachekit_backend_free(t.backend);
    cachekit_buffer_release(&t.value);
}

static cachekit_slice text(const char *bytes)
{
    return (cachekit_slice){(const uint8_t *)bytes, strlen(bytes)};
}

static cachekit_status set(const char *key, const char *value, int64_t ttl_ms)
{
    return t.backend->ops->set(t.backend, text(key), text(value), ttl_ms, INT64_MAX, NULL);
}

static cachekit_status get(const char *key)
{
    return t.backend->ops->get(t.backend, text(key), INT64_MAX, &t.value, NULL);
}

static cachekit_status exists(const char *key)
{
    return t.backend->ops->exists(t.backend, text(key), INT64_MAX, NULL);
}

static bool has(const char *value)
{
    return t.value.len == strlen(value) && memcmp(t.value.data, value, t.value.len) == 0;
}

// The model: an array in order of use, the latest first.
struct model_entry {
    int key;
    size_t len;
    uint8_t fill;
    int64_t due_ns;
};

static struct model_entry model[KEYS];
static int model_count;

static size_t model_bytes(void)
{
    size_t sum = 0;
    for (int i = 0; i < model_count; i++) {
        sum += sizeof(struct cki_lru_entry) + 2 + model[i].len;
    }
    return sum;
}

static void model_take(int at)
{
    memmove(&model[at], &model[at + 1], (size_t)(--model_count - at) * sizeof model[0]);
}

static void model_put_first(struct model_entry entry)
{
    memmove(&model[1], &model[0], (size_t)model_count++ * sizeof model[0]);
    model[0] = entry;
}

// Where the key is, -1: it is not, or it has ended.
static int model_find(int key)
{
    for (int i = 0; i < model_count; i++) {
        if (model[i].key == key && t.now_ns >= model[i].due_ns) {
            model_take(i);
            return -1;
        }
        if (model[i].key == key) {
            return i;
        }
    }
    return -1;
}

static void step_set(int key, unsigned r, size_t budget)
{
    uint8_t bytes[VALUE_MAX];
    const uint8_t name[2] = {(uint8_t)key, 'k'};
    int64_t ttl_ms = r % 3 == 0 ? CACHEKIT_FOREVER_MS : 1 + r % 50;
    struct model_entry entry = {.key = key, .len = r / 7 % VALUE_MAX, .fill = (uint8_t)(r >> 3)};
    entry.due_ns = r % 3 == 0 ? INT64_MAX : t.now_ns + ttl_ms * NS_PER_MS;
    memset(bytes, entry.fill, sizeof bytes);
    SAYS(t.backend->ops->set(t.backend, (cachekit_slice){name, 2},
                             (cachekit_slice){bytes, entry.len}, ttl_ms, INT64_MAX, NULL),
         CACHEKIT_OK);
    for (int i = 0; i < model_count; i++) {
        if (model[i].key == key) {
            model_take(i);
        }
    }
    model_put_first(entry);
    while (model_bytes() > budget) {
        model_count--;
    }
}

static void step_read(int key, bool by_get)
{
    const uint8_t name[2] = {(uint8_t)key, 'k'};
    const cachekit_slice slice = {name, 2};
    int at = model_find(key);
    cachekit_status wanted = at >= 0 ? CACHEKIT_OK : CACHEKIT_MISS;
    if (!by_get) {
        SAYS(t.backend->ops->exists(t.backend, slice, INT64_MAX, NULL), wanted);
        return;
    }
    SAYS(t.backend->ops->get(t.backend, slice, INT64_MAX, &t.value, NULL), wanted);
    if (at < 0) {
        cr_assert(t.value.len == 0);
        return;
    }
    struct model_entry entry = model[at];
    cr_assert(t.value.len == entry.len);
    for (size_t i = 0; i < entry.len; i++) {
        cr_assert(t.value.data[i] == entry.fill);
    }
    model_take(at);
    model_put_first(entry);
}

static void step_remove(int key)
{
    const uint8_t name[2] = {(uint8_t)key, 'k'};
    int at = model_find(key);
    SAYS(t.backend->ops->remove(t.backend, (cachekit_slice){name, 2}, INT64_MAX, NULL),
         at >= 0 ? CACHEKIT_OK : CACHEKIT_MISS);
    if (at >= 0) {
        model_take(at);
    }
}

Test(memory_backend, is_the_model)
{
    const size_t budget = 4000;
    unsigned seed = 12345;
    open_with(budget, NULL);
    const struct cki_memory_backend *self = (struct cki_memory_backend *)t.backend;
    model_count = 0;
    for (int i = 0; i < STEPS; i++) {
        unsigned r = (unsigned)rand_r(&seed);
        int key = (int)(r / 1000 % KEYS);
        switch (r % 8) {
        case 0:
        case 1:
        case 2:
            step_set(key, (unsigned)rand_r(&seed), budget);
            break;
        case 3:
            step_remove(key);
            break;
        case 4:
            step_read(key, false);
            break;
        default:
            step_read(key, true);
        }
        t.now_ns += (int64_t)(r % 5) * NS_PER_MS;
        cr_assert(self->lru.used_bytes == model_bytes(), "step %d", i);
        cr_assert(self->lru.count == (size_t)model_count, "step %d", i);
    }
    close_all();
}

Test(memory_backend, an_entry_lives_until_its_instant_and_not_beyond)
{
    int64_t left = 0;
    open_with(10000, NULL);
    SAYS(set("k", "v", 10), CACHEKIT_OK);
    t.now_ns += 10 * NS_PER_MS - 1;
    SAYS(get("k"), CACHEKIT_OK);
    SAYS(t.backend->ops->ttl(t.backend, text("k"), INT64_MAX, &left, NULL), CACHEKIT_OK);
    cr_assert(left == 1);
    t.now_ns++;
    SAYS(t.backend->ops->ttl(t.backend, text("k"), INT64_MAX, &left, NULL), CACHEKIT_MISS);
    SAYS(get("k"), CACHEKIT_MISS);
    SAYS(set("k", "v", CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    SAYS(set("j", "v", INT64_MAX - 1), CACHEKIT_OK);
    t.now_ns = INT64_MAX - 1;
    SAYS(get("k"), CACHEKIT_OK);
    SAYS(get("j"), CACHEKIT_OK);
    SAYS(t.backend->ops->ttl(t.backend, text("k"), INT64_MAX, &left, NULL), CACHEKIT_OK);
    cr_assert(left == CACHEKIT_FOREVER_MS);
    close_all();
}

Test(memory_backend, what_cannot_be_stored_is_refused_and_changes_nothing)
{
    char big[2000];
    memset(big, 'b', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    open_with(1000, NULL);
    SAYS(set("k", "v", 10), CACHEKIT_OK);
    SAYS(set("k", big, 10), CACHEKIT_E_TOO_LARGE);
    SAYS(set("k", "w", 0), CACHEKIT_E_INVALID);
    SAYS(set("k", "w", -1), CACHEKIT_E_INVALID);
    SAYS(set("", "w", 10), CACHEKIT_E_INVALID);
    SAYS(get("k"), CACHEKIT_OK);
    cr_assert(has("v"));
    SAYS(set("k", "", 10), CACHEKIT_OK);
    SAYS(get("k"), CACHEKIT_OK);
    cr_assert(t.value.len == 0);
    close_all();
}

Test(memory_backend, many_are_removed_in_one_call)
{
    open_with(10000, NULL);
    SAYS(set("a", "1", 10), CACHEKIT_OK);
    SAYS(set("b", "2", 10), CACHEKIT_OK);
    SAYS(set("c", "3", 10), CACHEKIT_OK);
    const cachekit_slice keys[] = {text("a"), text("absent"), text("c")};
    bool done[3] = {false, false, false};
    SAYS(t.backend->ops->remove_many(t.backend, keys, 3, INT64_MAX, done, NULL), CACHEKIT_OK);
    cr_assert(done[0] && done[1] && done[2]);
    SAYS(exists("a"), CACHEKIT_MISS);
    SAYS(exists("b"), CACHEKIT_OK);
    SAYS(exists("c"), CACHEKIT_MISS);
    t.latency_ns = 1000000000;
    SAYS(t.backend->ops->remove_many(t.backend, keys, 3, cachekit_deadline_ns(1), done, NULL),
         CACHEKIT_E_TIMEOUT);
    cr_assert(!done[0] && !done[1] && !done[2]);
    close_all();
}

static cachekit_status lock(const char *key, int64_t hold_ms, char *token)
{
    return t.backend->ops->lock(t.backend, text(key), hold_ms, INT64_MAX, token, NULL);
}

static cachekit_status unlock(const char *key, const char *token)
{
    return t.backend->ops->unlock(t.backend, text(key), token, INT64_MAX, NULL);
}

Test(memory_backend, a_lock_is_its_holders_and_ends_by_itself)
{
    char first[CACHEKIT_LOCK_TOKEN_ROOM] = "", second[CACHEKIT_LOCK_TOKEN_ROOM] = "";
    open_with(10000, NULL);
    SAYS(lock("k", 10, first), CACHEKIT_OK);
    cr_assert(strlen(first) == 32 && strspn(first, "0123456789abcdef") == 32);
    SAYS(lock("k", 10, second), CACHEKIT_MISS);
    SAYS(lock("j", 10, second), CACHEKIT_OK);
    SAYS(unlock("k", second), CACHEKIT_MISS);
    SAYS(lock("k", 10, second), CACHEKIT_MISS);
    SAYS(get("k"), CACHEKIT_MISS); // a lock is no entry
    SAYS(unlock("k", first), CACHEKIT_OK);
    SAYS(unlock("k", first), CACHEKIT_MISS);
    SAYS(lock("k", 10, second), CACHEKIT_OK);
    cr_assert(strcmp(first, second) != 0);
    t.now_ns += 10 * NS_PER_MS - 1;
    SAYS(lock("k", 10, first), CACHEKIT_MISS);
    t.now_ns++;
    SAYS(lock("k", 10, first), CACHEKIT_OK);
    SAYS(unlock("k", second), CACHEKIT_MISS); // another's by now
    SAYS(lock("k", 0, second), CACHEKIT_E_INVALID);
    close_all();
}

static int64_t spent_ns(int64_t since_ns)
{
    return cachekit_deadline_ns(0) - since_ns;
}

Test(memory_backend, the_latency_law_holds_up_to_the_deadline)
{
    open_with(10000, NULL);
    SAYS(set("k", "v", 1000), CACHEKIT_OK);
    t.latency_ns = 20 * NS_PER_MS;
    int64_t start_ns = cachekit_deadline_ns(0);
    SAYS(get("k"), CACHEKIT_OK);
    cr_assert(spent_ns(start_ns) >= 20 * NS_PER_MS);
    t.latency_ns = INT64_MAX;
    start_ns = cachekit_deadline_ns(0);
    SAYS(t.backend->ops->get(t.backend, text("k"), start_ns + 20 * NS_PER_MS, &t.value, NULL),
         CACHEKIT_E_TIMEOUT);
    cr_assert(spent_ns(start_ns) >= 20 * NS_PER_MS && t.value.len == 0);
    SAYS(t.backend->ops->set(t.backend, text("k"), text("w"), 1000, start_ns, NULL),
         CACHEKIT_E_TIMEOUT);
    SAYS(t.backend->ops->remove(t.backend, text("k"), INT64_MIN, NULL), CACHEKIT_E_TIMEOUT);
    t.latency_ns = -5;
    SAYS(get("k"), CACHEKIT_OK);
    cr_assert(has("v")); // what was late was not done
    close_all();
}

Test(memory_backend, health_and_what_it_offers)
{
    cachekit_health health = {-1, ""};
    open_with(10000, NULL);
    SAYS(set("k", "v", 1000), CACHEKIT_OK);
    SAYS(t.backend->ops->health(t.backend, INT64_MAX, &health, NULL), CACHEKIT_OK);
    cr_assert(health.latency_us >= 0);
    cr_assert(strstr(health.details, "memory: 1 entries, ") != NULL, "%s", health.details);
    cr_assert(strcmp(t.backend->ops->name, "memory") == 0 && !t.backend->prefixes_keys);
    close_all();
}

static int use_all(const cachekit_allocator *allocator)
{
    const cachekit_memory_backend_options o = {.size = sizeof o, .allocator = allocator};
    char token[CACHEKIT_LOCK_TOKEN_ROOM];
    cachekit_backend *backend = NULL;
    cachekit_buffer value;
    cachekit_buffer_init(&value, allocator);
    cachekit_status status = cachekit_memory_backend_new(&o, &backend, NULL);
    if (status == CACHEKIT_OK) {
        status = backend->ops->set(backend, text("k"), text("v"), 10, INT64_MAX, NULL);
    }
    if (status == CACHEKIT_OK) {
        status = backend->ops->get(backend, text("k"), INT64_MAX, &value, NULL);
    }
    if (status == CACHEKIT_OK) {
        status = backend->ops->lock(backend, text("k"), 10, INT64_MAX, token, NULL);
    }
    cachekit_backend_free(backend);
    cachekit_buffer_release(&value);
    return status;
}

Test(memory_backend, every_refused_allocation_is_said_and_leaks_nothing)
{
    int refused = 0;
    for (int on = 0; on < 2; on++) {
        for (int at = 0;; at++) {
            struct fault_allocator memory;
            fault_allocator_init(&memory);
            memory.fail_at = at;
            memory.fail_on = on != 0;
            cachekit_status status = use_all(&memory.hooks);
            cr_assert(memory.live_blocks == 0 && memory.live_bytes == 0);
            if (memory.calls <= at) {
                SAYS(status, CACHEKIT_OK);
                break;
            }
            SAYS(status, CACHEKIT_E_NOMEM);
            refused++;
        }
    }
    cr_assert(refused == 10, "%d", refused);
}

Test(memory_backend, options_of_another_size_are_refused)
{
    cachekit_memory_backend_options o = {.size = sizeof o + 8};
    cachekit_backend *backend = (cachekit_backend *)(uintptr_t)1;
    SAYS(cachekit_memory_backend_new(&o, &backend, NULL), CACHEKIT_E_INVALID);
    cr_assert(backend == NULL);
    SAYS(cachekit_memory_backend_new(NULL, NULL, NULL), CACHEKIT_E_INVALID);
    SAYS(cachekit_backend_open("memory:", NULL, NULL), CACHEKIT_E_INVALID);
    SAYS(cachekit_memory_backend_new(NULL, &backend, NULL), CACHEKIT_OK);
    cachekit_backend_free(backend);
}

// A child starts empty, whatever locks its parent's threads held, and the parent keeps its own.
static int in_child(void)
{
    (void)alarm(20);
    if (get("k") != CACHEKIT_MISS || set("k", "child", 1000) != CACHEKIT_OK ||
        get("k") != CACHEKIT_OK || !has("child")) {
        return 1;
    }
    char token[CACHEKIT_LOCK_TOKEN_ROOM];
    if (lock("held", 1000, token) != CACHEKIT_OK) {
        return 2;
    }
    cachekit_backend_free(t.backend);
    return 0;
}

static pid_t clone_raw(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

Test(memory_backend, a_child_starts_empty_even_in_the_middle_of_a_call)
{
    char token[CACHEKIT_LOCK_TOKEN_ROOM];
    open_with(10000, NULL);
    struct cki_memory_backend *self = (struct cki_memory_backend *)t.backend;
    SAYS(set("k", "parent", 1000), CACHEKIT_OK);
    SAYS(lock("held", 1000, token), CACHEKIT_OK);
    for (int raw = 0; raw < 2; raw++) {
        int status = -1;
        (void)pthread_mutex_lock(&self->lock); // as if another thread were at work
        pid_t child = raw ? clone_raw() : fork();
        if (child == 0) {
            _exit(in_child());
        }
        (void)pthread_mutex_unlock(&self->lock);
        cr_assert(child > 0 && waitpid(child, &status, 0) == child);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "raw %d: %d", raw, status);
    }
    SAYS(get("k"), CACHEKIT_OK);
    cr_assert(has("parent"));
    close_all();
}

static void count_reset(void *context)
{
    (*(int *)context)++;
}

Test(memory_backend, a_kernel_that_wipes_no_pages_has_process_numbers)
{
    struct cki_mem_mark mark = {.page_bytes = 0};
    int resets = 0;
    int status = -1;
    mark.word = &mark.own;
    mark.own = (int)getpid();
    cki_mem_mark_check(&mark, count_reset, &resets);
    cr_assert(resets == 0);
    pid_t child = fork();
    if (child == 0) {
        cki_mem_mark_check(&mark, count_reset, &resets);
        cki_mem_mark_check(&mark, count_reset, &resets);
        _exit(resets == 1 ? 0 : 1);
    }
    cr_assert(child > 0 && waitpid(child, &status, 0) == child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
