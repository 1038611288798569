// SPDX-License-Identifier: MIT
// Every system call of every operation fails once, with each error that it may plausibly have. What
// was stored stays whole, nothing is left behind, the class is the one that the header promises,
// and the next call works. That each fault fired is counted.
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cachekit/cache.h>

#include "file_calls.h"
#include "file_kit.h"

enum { BOUND = 100, FAULTS_MIN = 2000 };

#define OLD "the old value"
#define NEW "the new value, which is longer"

static const char expired[] = "CK\1\0\0\0\0\0\0\0\0\0\0\1the old value";

static const int errors[] = {
    EIO,   ENOSPC, EACCES,    EINTR,       EPERM,  EDQUOT, EFBIG,  EROFS,
    ELOOP, ENOMEM, ETIMEDOUT, EWOULDBLOCK, EMFILE, ENFILE, ENOLCK, EINVAL,
};

enum { ERRORS = sizeof errors / sizeof errors[0], FEW_ERRORS = 4 };

enum before { NOTHING, OLD_VALUE, EXPIRED_ENTRY };

struct operation {
    const char *name;
    cachekit_status (*run)(struct file_kit *kit);
    enum before before;
    int entries; // that are there besides
    int errors;  // how many of them are tried
};

static cachekit_status run_new(struct file_kit *kit)
{
    const cachekit_file_backend_options o = {.entries_max = BOUND};
    cachekit_backend_free(kit->backend);
    kit->backend = NULL;
    return file_kit_reopen(kit, &o);
}

static cachekit_status run_set(struct file_kit *kit)
{
    return file_kit_set(kit, KEY, NEW, CACHEKIT_FOREVER_MS);
}

static cachekit_status run_get(struct file_kit *kit)
{
    cachekit_status status = file_kit_get(kit, KEY);
    cr_assert(status == CACHEKIT_OK ? file_kit_has(kit, OLD) : kit->value.len == 0);
    return status;
}

static cachekit_status run_remove(struct file_kit *kit)
{
    return file_kit_remove(kit, KEY);
}

static cachekit_status run_exists(struct file_kit *kit)
{
    return kit->backend->ops->exists(kit->backend, file_kit_slice(KEY), cachekit_deadline_ns(60000),
                                     &kit->error);
}

static cachekit_status run_health(struct file_kit *kit)
{
    cachekit_health health;
    return kit->backend->ops->health(kit->backend, cachekit_deadline_ns(60000), &health,
                                     &kit->error);
}

static const struct operation operations[] = {
    {"new", run_new, OLD_VALUE, 3, ERRORS},
    {"set of a new key", run_set, NOTHING, 0, ERRORS},
    {"set over an old value", run_set, OLD_VALUE, 0, ERRORS},
    {"set over an expired entry", run_set, EXPIRED_ENTRY, 0, ERRORS},
    {"set that evicts", run_set, NOTHING, 90, FEW_ERRORS},
    {"get", run_get, OLD_VALUE, 0, ERRORS},
    {"get of an expired entry", run_get, EXPIRED_ENTRY, 0, ERRORS},
    {"remove", run_remove, OLD_VALUE, 0, ERRORS},
    {"exists", run_exists, OLD_VALUE, 0, ERRORS},
    {"health", run_health, OLD_VALUE, 0, ERRORS},
};

enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static void prepare(struct file_kit *kit, const struct operation *o)
{
    file_kit_make_dir(kit);
    for (int i = 0; i < o->entries; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%032x", (unsigned)i);
        file_kit_plant(kit, name, expired, sizeof expired - 1);
        file_kit_age(kit, name, 200);
    }
    SAYS(run_new(kit), CACHEKIT_OK);
    if (o->before == OLD_VALUE) {
        SAYS(file_kit_set(kit, KEY, OLD, CACHEKIT_FOREVER_MS), CACHEKIT_OK);
    } else if (o->before == EXPIRED_ENTRY) {
        file_kit_plant(kit, KEY_NAME, expired, sizeof expired - 1);
    }
    file_kit_plant(kit, OTHER_NAME ".tmp.1.1", "half", 4);
    file_kit_age(kit, OTHER_NAME ".tmp.1.1", 100);
}

// What is right whatever failed: the old value or nothing if the operation failed, else the new.
static void must_be_whole(struct file_kit *kit, const struct operation *o, cachekit_status status)
{
    cachekit_status got = file_kit_get(kit, KEY);
    if (o->run == run_set && status == CACHEKIT_OK) {
        cr_assert(got == CACHEKIT_OK && file_kit_has(kit, NEW));
    } else if (o->before != OLD_VALUE || (o->run == run_remove && status == CACHEKIT_OK)) {
        cr_assert(got == CACHEKIT_MISS);
    } else {
        cr_assert(got == CACHEKIT_OK && file_kit_has(kit, OLD));
    }
}

static int lowest_free(void)
{
    int fd = dup(STDERR_FILENO);
    (void)close(fd);
    return fd;
}

// The classes, as the issue and the table of the other SDKs have them.
static bool is_class_of(cachekit_status status, int code)
{
    static const struct {
        int code;
        cachekit_status first, second;
    } rows[] = {
        {ENOSPC, CACHEKIT_E_FULL, CACHEKIT_E_FULL},
        {EDQUOT, CACHEKIT_E_FULL, CACHEKIT_E_FULL},
        {EFBIG, CACHEKIT_E_FULL, CACHEKIT_E_FULL},
        {EROFS, CACHEKIT_E_CONFIG, CACHEKIT_E_CONFIG},
        {ELOOP, CACHEKIT_E_CONFIG, CACHEKIT_E_CONFIG},
        {EACCES, CACHEKIT_E_CONFIG, CACHEKIT_E_TRANSIENT}, // the directory, an entry
        {EPERM, CACHEKIT_E_CONFIG, CACHEKIT_E_TRANSIENT},
        {ETIMEDOUT, CACHEKIT_E_TIMEOUT, CACHEKIT_E_TIMEOUT},
        {EWOULDBLOCK, CACHEKIT_E_TIMEOUT, CACHEKIT_E_TIMEOUT},
        {ENOMEM, CACHEKIT_E_NOMEM, CACHEKIT_E_NOMEM},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code == code) {
            return status == rows[i].first || status == rows[i].second;
        }
    }
    return status == CACHEKIT_E_UNKNOWN;
}

static cachekit_status run_with_fault(struct file_kit *kit, const struct operation *o, int at,
                                      int code, int *calls)
{
    int fds = lowest_free();
    kit->error = (cachekit_error){0};
    file_calls_arm();
    file_calls.fail_at = at;
    file_calls.code = code;
    cachekit_status status = o->run(kit);
    *calls = file_calls_disarm();
    bool has_own = o->run == run_new && status != CACHEKIT_OK; // one descriptor less
    cr_assert(lowest_free() == fds - has_own, "%s: call %d, errno %d: descriptors", o->name, at,
              code);
    return status;
}

static bool is_retried(enum file_call call, int code)
{
    return code == EINTR &&
           (call == CALL_OPENAT || call == CALL_WRITEV || call == CALL_FSYNC || call == CALL_READ);
}

// Whether the operation must fail if this call does: a look that only keeps totals, and all that
// serves tidying, must not make it fail.
static bool must_fail(const struct operation *o, int at, int code)
{
    enum file_call call = (enum file_call)file_calls.list[at];
    return o->run == run_set && at < 6 && call != CALL_FSTATAT && !is_retried(call, code);
}

static bool must_pass(const struct operation *o, int at, int code)
{
    enum file_call call = (enum file_call)file_calls.list[at];
    return o->run != run_new && is_retried(call, code);
}

static void try_fault(const struct operation *o, int at, int code, int *faults)
{
    struct file_kit kit;
    int calls;
    prepare(&kit, o);
    cachekit_status status = run_with_fault(&kit, o, at, code, &calls);
    cr_assert(file_calls.fired == 1, "%s: call %d, errno %d did not fire", o->name, at, code);
    *faults += file_calls.fired;
    if (status < 0) {
        cr_assert(is_class_of(status, code), "%s: call %d (%s), errno %d: %s", o->name, at,
                  file_call_name((enum file_call)file_calls.list[at]), code,
                  cachekit_status_name(status));
        cr_assert(kit.error.foreign == code && kit.error.status == status);
    }
    cr_assert(status != CACHEKIT_OK || !must_fail(o, at, code), "%s: call %d, errno %d: stored",
              o->name, at, code);
    cr_assert(status >= 0 || !must_pass(o, at, code), "%s: call %d, interrupted: failed", o->name,
              at);
    cr_assert(file_kit_count(&kit, KEY_NAME ".tmp.") == 0, "%s: call %d, errno %d: left behind",
              o->name, at, code);
    if (kit.backend == NULL) {
        SAYS(run_new(&kit), CACHEKIT_OK);
    }
    must_be_whole(&kit, o, status);
    SAYS(file_kit_set(&kit, KEY, "afterwards", 5000), CACHEKIT_OK);
    SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
    cr_assert(file_kit_has(&kit, "afterwards"));
    file_kit_close(&kit);
}

Test(file_faults, every_call_of_every_operation_fails_once_and_nothing_is_lost)
{
    int faults = 0;
    bool seen[CALL_KINDS] = {false};
    for (size_t i = 0; i < OPERATIONS; i++) {
        const struct operation *o = &operations[i];
        struct file_kit kit;
        int calls;
        prepare(&kit, o);
        cachekit_status status = run_with_fault(&kit, o, -1, 0, &calls);
        cr_assert(status >= 0 && file_calls.fired == 0 && calls > 0, "%s", o->name);
        for (int at = 0; at < calls; at++) {
            seen[file_calls.list[at]] = true;
        }
        must_be_whole(&kit, o, status);
        file_kit_close(&kit);
        for (int at = 0; at < calls; at++) {
            for (int e = 0; e < o->errors; e++) {
                try_fault(o, at, errors[e], &faults);
            }
        }
    }
    for (int call = 0; call < CALL_KINDS; call++) {
        cr_assert(seen[call], "%s was never called", file_call_name((enum file_call)call));
    }
    cr_assert(faults >= FAULTS_MIN, "%d", faults);
    cr_log_info("%d faults\n", faults);
}

Test(file_faults, a_write_that_comes_in_pieces_is_whole)
{
    static const size_t most[] = {1, 5, 13, 14, 15, 20};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        struct file_kit kit;
        prepare(&kit, &operations[2]);
        file_calls_arm();
        file_calls.write_max = most[i];
        SAYS(run_set(&kit), CACHEKIT_OK);
        (void)file_calls_disarm();
        int writes = file_calls_of(CALL_WRITEV);
        cr_assert(writes == (int)((14 + sizeof NEW - 1 + most[i] - 1) / most[i]), "%d", writes);
        SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
        cr_assert(file_kit_has(&kit, NEW));
        for (int piece = 0; piece < writes; piece++) { // and the disk is full in the middle
            file_calls_arm();
            file_calls.write_max = most[i];
            file_calls.fail_at = 1 + piece;
            file_calls.code = ENOSPC;
            SAYS(file_kit_set(&kit, KEY, "a value that does not fit in there", 5000),
                 CACHEKIT_E_FULL);
            (void)file_calls_disarm();
            cr_assert(file_calls.fired == 1);
            SAYS(file_kit_get(&kit, KEY), CACHEKIT_OK);
            cr_assert(file_kit_has(&kit, NEW));
            cr_assert(file_kit_count(&kit, KEY_NAME ".tmp.") == 0);
        }
        file_kit_close(&kit);
    }
}

// The kernel itself refuses to write beyond the limit.
static int write_over_the_limit(struct file_kit *kit)
{
    const struct rlimit limit = {100, 100};
    char value[201];
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return 10;
    }
    if (file_kit_set(kit, KEY, value, 5000) != CACHEKIT_E_FULL || kit->error.foreign != EFBIG) {
        return 11;
    }
    if (file_kit_get(kit, KEY) != CACHEKIT_OK || !file_kit_has(kit, OLD)) {
        return 12;
    }
    return file_kit_count(kit, KEY_NAME ".tmp.") == 0 ? 0 : 13;
}

Test(file_faults, a_disk_that_takes_no_more_stores_nothing)
{
    struct file_kit kit;
    int status = -1;
    prepare(&kit, &operations[2]);
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        _exit(write_over_the_limit(&kit));
    }
    cr_assert(waitpid(child, &status, 0) == child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", WEXITSTATUS(status));
    file_kit_close(&kit);
}
