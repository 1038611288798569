// SPDX-License-Identifier: MIT
// Two threads on one memory backend and two on one file backend; what a get finds is a value that
// was set, whole. Few keys and small bounds, so that eviction and tidying run all the time.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cachekit/backends.h>
#include <cachekit/cache.h>

enum { THREADS = 2, ROUNDS_MEMORY = 50000, ROUNDS_FILE = 2500, KEYS = 150, VALUE_MAX = 300 };

static struct {
    cachekit_backend *backend;
    int rounds;
    atomic_int wrong;
    atomic_int found;
} t;

static cachekit_slice key_of(unsigned number, char text[16])
{
    int len = snprintf(text, 16, "key-%u", number);
    return (cachekit_slice){(const uint8_t *)text, (size_t)len};
}

// A value is one byte over and over, and tells by its length which.
static bool is_whole(const cachekit_buffer *value)
{
    for (size_t i = 0; i < value->len; i++) {
        if (value->data[i] != (uint8_t)value->len) {
            return false;
        }
    }
    return true;
}

static void count(bool is_wrong)
{
    if (is_wrong) {
        atomic_fetch_add(&t.wrong, 1);
    }
}

static void one_round(unsigned r, cachekit_buffer *value)
{
    char text[16];
    uint8_t bytes[VALUE_MAX];
    const cachekit_backend_ops *ops = t.backend->ops;
    const cachekit_slice key = key_of(r % KEYS, text);
    const size_t len = 1 + r / KEYS % (VALUE_MAX - 1);
    int64_t deadline_ns = cachekit_deadline_ns(60000);
    int64_t ttl_ms;
    memset(bytes, (int)(uint8_t)len, len);
    switch (r / 7 % 5) {
    case 0:
        count(ops->remove(t.backend, key, deadline_ns, NULL) < 0);
        break;
    case 1:
        count(ops->ttl(t.backend, key, deadline_ns, &ttl_ms, NULL) < 0);
        break;
    case 2:
    case 3: { // E_FULL: the bound was reached while the other thread was making room
        const cachekit_slice value_bytes = {bytes, len};
        cachekit_status status = ops->set(t.backend, key, value_bytes, 60000, deadline_ns, NULL);
        count(status != CACHEKIT_OK && status != CACHEKIT_E_FULL);
        break;
    }
    default: {
        cachekit_status status = ops->get(t.backend, key, deadline_ns, value, NULL);
        count(status < 0 || (status == CACHEKIT_OK && !is_whole(value)));
        atomic_fetch_add(&t.found, status == CACHEKIT_OK);
    }
    }
}

static void *run(void *context)
{
    unsigned seed = *(unsigned *)context;
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    for (int i = 0; i < t.rounds; i++) {
        one_round((unsigned)rand_r(&seed), &value);
    }
    cachekit_buffer_release(&value);
    return NULL;
}

static int judge(const char *name, cachekit_backend *backend, int rounds)
{
    pthread_t threads[THREADS];
    unsigned seeds[THREADS] = {1, 2};
    t.backend = backend;
    t.rounds = rounds;
    atomic_store(&t.found, 0);
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run, &seeds[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    cachekit_backend_free(backend);
    printf("%s: %d values found, %d wrong\n", name, atomic_load(&t.found), atomic_load(&t.wrong));
    return atomic_load(&t.wrong) != 0 || atomic_load(&t.found) == 0;
}

static int run_file(void)
{
    const char *tmp = getenv("TMPDIR");
    char directory[200];
    char command[256];
    if (tmp == NULL) {
        tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    }
    (void)snprintf(directory, sizeof directory, "%s/race-backends.XXXXXX", tmp);
    if (mkdtemp(directory) == NULL) {
        return 1;
    }
    const cachekit_file_backend_options o = {
        .size = sizeof o, .directory = directory, .entries_max = 100};
    cachekit_backend *backend = NULL;
    int failed = cachekit_file_backend_new(&o, &backend, NULL) != CACHEKIT_OK ||
                 judge("file", backend, ROUNDS_FILE);
    (void)snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command) != 0 || failed;
}

int main(void)
{
    const cachekit_memory_backend_options o = {.size = sizeof o, .budget_bytes = 20000};
    cachekit_backend *backend = NULL;
    if (cachekit_memory_backend_new(&o, &backend, NULL) != CACHEKIT_OK) {
        return 1;
    }
    return judge("memory", backend, ROUNDS_MEMORY) | run_file();
}
