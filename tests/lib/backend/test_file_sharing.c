// SPDX-License-Identifier: MIT
// Many processes and threads on one directory: what is read is one of the values written, whole.
#include <criterion/criterion.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cachekit/cache.h>

#include "file_kit.h"

enum { WRITERS = 2, WRITES = 1500, VALUE_MAX = 20000, FORKS = 100, ALARM_S = 120 };

// The value of a writer: its number over and over, as long as the turn says.
static cachekit_slice make_value(int writer, int turn, uint8_t *bytes)
{
    size_t len = 1 + (size_t)(turn * 997) % (VALUE_MAX - 1);
    memset(bytes, 'a' + writer, len);
    bytes[len - 1] = (uint8_t)('A' + writer);
    return (cachekit_slice){bytes, len};
}

static bool is_value(const cachekit_buffer *value)
{
    if (value->len == 0 || value->len >= VALUE_MAX) {
        return false;
    }
    uint8_t last = value->data[value->len - 1];
    for (size_t i = 0; i + 1 < value->len; i++) {
        if (value->data[i] != last - 'A' + 'a') {
            return false;
        }
    }
    return last >= 'A' && last < 'A' + WRITERS;
}

static cachekit_status write_one(cachekit_backend *backend, int writer, int turn, uint8_t *bytes)
{
    return backend->ops->set(backend, file_kit_slice(KEY), make_value(writer, turn, bytes), 3600000,
                             cachekit_deadline_ns(60000), NULL);
}

static void writer_process(const struct file_kit *parent, int writer)
{
    static uint8_t bytes[VALUE_MAX];
    struct file_kit kit = *parent;
    kit.backend = NULL;
    if (file_kit_reopen(&kit, NULL) != CACHEKIT_OK) {
        _exit(1);
    }
    for (int turn = 0; turn < WRITES; turn++) {
        if (write_one(kit.backend, writer, turn, bytes) != CACHEKIT_OK) {
            _exit(2);
        }
        if (turn % 100 == 99 && file_kit_remove(&kit, KEY) < 0) {
            _exit(3);
        }
    }
    cachekit_backend_free(kit.backend);
    _exit(0);
}

static int read_all(struct file_kit *kit, pid_t *writers)
{
    int found = 0;
    int running = WRITERS;
    while (running > 0) {
        cachekit_status status = file_kit_get(kit, KEY);
        cr_assert(status == CACHEKIT_OK || status == CACHEKIT_MISS, "%s",
                  cachekit_status_name(status));
        cr_assert(status == CACHEKIT_MISS || is_value(&kit->value));
        found += status == CACHEKIT_OK;
        for (int i = 0; i < WRITERS; i++) {
            int status_of_child = -1;
            if (writers[i] != 0 && waitpid(writers[i], &status_of_child, WNOHANG) == writers[i]) {
                cr_assert(WIFEXITED(status_of_child) && WEXITSTATUS(status_of_child) == 0);
                writers[i] = 0;
                running--;
            }
        }
    }
    return found;
}

Test(file_sharing, two_processes_write_a_key_while_a_third_reads_it)
{
    struct file_kit kit;
    pid_t writers[WRITERS];
    (void)alarm(ALARM_S);
    file_kit_open(&kit, NULL);
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        cr_assert(writers[i] >= 0);
        if (writers[i] == 0) {
            writer_process(&kit, i);
        }
    }
    cr_assert(read_all(&kit, writers) > 0);
    cr_assert(file_kit_count(&kit, ".tmp.") == 0);
    file_kit_close(&kit);
}

static struct {
    struct file_kit kit;
    atomic_bool stop;
    atomic_int wrong;
} shared;

static void *hammer(void *context)
{
    int writer = *(int *)context;
    uint8_t bytes[VALUE_MAX];
    cachekit_buffer value = CACHEKIT_BUFFER_INIT;
    cachekit_backend *backend = shared.kit.backend;
    for (int turn = 0; !atomic_load(&shared.stop); turn++) {
        bool ok = write_one(backend, writer, turn, bytes) == CACHEKIT_OK &&
                  backend->ops->get(backend, file_kit_slice(KEY), cachekit_deadline_ns(60000),
                                    &value, NULL) == CACHEKIT_OK &&
                  is_value(&value);
        if (!ok) {
            atomic_fetch_add(&shared.wrong, 1);
        }
    }
    cachekit_buffer_release(&value);
    return NULL;
}

static int child_uses_it(void)
{
    (void)alarm(1 * 20);
    static uint8_t bytes[VALUE_MAX];
    if (write_one(shared.kit.backend, 0, 7, bytes) != CACHEKIT_OK) {
        return 1;
    }
    if (file_kit_get(&shared.kit, KEY) != CACHEKIT_OK || !is_value(&shared.kit.value)) {
        return 2;
    }
    cachekit_backend_free(shared.kit.backend);
    return 0;
}

Test(file_sharing, a_child_of_a_process_with_busy_threads_works_at_once)
{
    int numbers[WRITERS] = {0, 1};
    pthread_t threads[WRITERS];
    const cachekit_file_backend_options o = {.entries_max = 100};
    file_kit_open(&shared.kit, &o);
    for (int i = 0; i < WRITERS; i++) {
        cr_assert(pthread_create(&threads[i], NULL, hammer, &numbers[i]) == 0);
    }
    for (int i = 0; i < FORKS; i++) {
        int status = -1;
        pid_t child = fork();
        cr_assert(child >= 0);
        if (child == 0) {
            _exit(child_uses_it());
        }
        cr_assert(waitpid(child, &status, 0) == child);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "fork %d: %d", i, status);
    }
    atomic_store(&shared.stop, true);
    for (int i = 0; i < WRITERS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    cr_assert(atomic_load(&shared.wrong) == 0);
    cr_assert(file_kit_count(&shared.kit, ".tmp.") == 0);
    file_kit_close(&shared.kit);
}
