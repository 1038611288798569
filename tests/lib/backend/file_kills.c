// SPDX-License-Identifier: MIT
// Kills a writer at each of its system calls, before the kernel does it and after, and at random
// times; then looks whether what it left is an old value or a new one, whole. A kill is no loss of
// power: what the kernel has been given survives, so this shows atomicity and not durability.
// Usage: file_kills RANDOM_KILLS [SEED]. Exit status 0, 1 (something was lost), 3 (cannot trace).
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/ptrace.h>

#include <cachekit/cache.h>

#include "file_kit.h"

enum { BOUND = 100, POINTS_MIN = 60, CANNOT = 3, VALUE_MAX = 60000, SYSCALLS_MAX = 1024 };

#define OLD "the old value"
#define NEW "the new value, which is longer"

static const char expired[] = "CK\1\0\0\0\0\0\0\0\0\0\0\1the old value";
static const cachekit_file_backend_options small = {.entries_max = BOUND};

static unsigned stops_of[SYSCALLS_MAX]; // kill points by number of system call

static void give_up(const char *what)
{
    (void)fprintf(stderr, "file_kills: %s: %s\n", what, strerror(errno));
    exit(CANNOT);
}

static int lost(const char *name, int point, const char *what)
{
    (void)fprintf(stderr, "file_kills: LOST: %s, point %d: %s\n", name, point, what);
    return 1;
}

struct operation {
    const char *name;
    const char *before; // what lies under the key, NULL: nothing
    int entries;        // that are there besides
    void (*run)(struct file_kit *kit);
    bool may_miss;
    bool may_be_old;
    bool may_be_new;
};

static void run_set(struct file_kit *kit)
{
    (void)file_kit_set(kit, KEY, NEW, CACHEKIT_FOREVER_MS);
}

static void run_get(struct file_kit *kit)
{
    (void)file_kit_get(kit, KEY);
}

static void run_remove(struct file_kit *kit)
{
    (void)file_kit_remove(kit, KEY);
}

static void run_new(struct file_kit *kit)
{
    kit->backend = NULL; // the parent's
    (void)file_kit_reopen(kit, &small);
}

static const struct operation operations[] = {
    {"set of a new key", NULL, 0, run_set, true, false, true},
    {"set over an old value", OLD, 0, run_set, false, true, true},
    {"set over an expired entry", expired, 0, run_set, true, false, true},
    {"set that evicts", NULL, 90, run_set, true, false, true},
    {"get of an expired entry", expired, 0, run_get, true, false, false},
    {"remove", OLD, 0, run_remove, true, true, false},
    {"start", OLD, 20, run_new, false, true, false},
};

static void prepare(struct file_kit *kit, const struct operation *o)
{
    file_kit_make_dir(kit);
    for (int i = 0; i < o->entries; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%032x", (unsigned)i);
        file_kit_plant(kit, name, expired, sizeof expired - 1);
        file_kit_age(kit, name, 200);
    }
    if (file_kit_reopen(kit, &small) != CACHEKIT_OK) {
        give_up("no backend");
    }
    if (o->before == expired) {
        file_kit_plant(kit, KEY_NAME, expired, sizeof expired - 1);
    } else if (o->before != NULL && file_kit_set(kit, KEY, OLD, 60000) != CACHEKIT_OK) {
        give_up("no old value");
    }
}

// The child's two getppid() calls stand around what is killed.
static void child_runs(struct file_kit *kit, const struct operation *o)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
        _exit(CANNOT);
    }
    (void)raise(SIGSTOP);
    (void)syscall(SYS_getppid);
    o->run(kit);
    (void)syscall(SYS_getppid);
    _exit(0);
}

static bool next_stop(pid_t child, struct ptrace_syscall_info *info)
{
    int status = 0;
    if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child) {
        give_up("ptrace");
    }
    if (!WIFSTOPPED(status)) {
        return false;
    }
    memset(info, 0, sizeof *info);
    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof *info, info) <= 0) {
        give_up("PTRACE_GET_SYSCALL_INFO");
    }
    return true;
}

static bool is_marker(const struct ptrace_syscall_info *info)
{
    return info->op == PTRACE_SYSCALL_INFO_ENTRY && info->entry.nr == SYS_getppid;
}

// Kills the child at its stop number `point` between the markers. False: it has fewer.
static bool kill_at(struct file_kit *kit, const struct operation *o, int point)
{
    int status = 0;
    struct ptrace_syscall_info info;
    pid_t child = fork();
    if (child == 0) {
        child_runs(kit, o);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        give_up("a child to trace");
    }
    (void)ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    do {
        if (!next_stop(child, &info)) {
            give_up("the child ended before it began");
        }
    } while (!is_marker(&info));
    unsigned long number = 0;
    bool inside = next_stop(child, &info); // the marker's own end
    for (int stop = 0; inside; stop++) {
        inside = next_stop(child, &info) && !is_marker(&info);
        number = info.op == PTRACE_SYSCALL_INFO_ENTRY ? (unsigned long)info.entry.nr : number;
        if (stop == point) {
            break;
        }
    }
    (void)kill(child, SIGKILL);
    while (waitpid(child, &status, 0) == child && !WIFSIGNALED(status) && !WIFEXITED(status)) {
        continue;
    }
    if (inside && number < SYSCALLS_MAX) {
        stops_of[number]++;
    }
    return inside;
}

static int check_value(struct file_kit *kit, const struct operation *o, int point)
{
    cachekit_status status = file_kit_get(kit, KEY);
    bool is_right = (status == CACHEKIT_MISS && o->may_miss) ||
                    (status == CACHEKIT_OK && o->may_be_old && file_kit_has(kit, OLD)) ||
                    (status == CACHEKIT_OK && o->may_be_new && file_kit_has(kit, NEW));
    return is_right ? 0 : lost(o->name, point, cachekit_status_name(status));
}

// A temporary file of a writer that may still live is kept; one of a minute ago goes.
static int check_temps(struct file_kit *kit, const char *name, int point)
{
    int left = file_kit_count(kit, ".tmp.");
    if (file_kit_reopen(kit, &small) != CACHEKIT_OK) {
        return lost(name, point, "the next start failed");
    }
    if (file_kit_count(kit, ".tmp.") != left) {
        return lost(name, point, "a start removed a young temporary file");
    }
    file_kit_age_all(kit, ".tmp.", 61);
    if (file_kit_reopen(kit, &small) != CACHEKIT_OK || file_kit_count(kit, ".tmp.") != 0) {
        return lost(name, point, "a stale temporary file is left");
    }
    return 0;
}

static int kill_points(int *points, int *with_temp)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const struct operation *o = &operations[i];
        bool inside = true;
        for (int point = 0; inside; point++) {
            struct file_kit kit;
            prepare(&kit, o);
            inside = kill_at(&kit, o, point);
            *points += inside;
            *with_temp += file_kit_count(&kit, ".tmp.") != 0;
            failed += check_value(&kit, o, point);
            failed += check_temps(&kit, o->name, point);
            failed += check_value(&kit, o, point);
            failed += file_kit_set(&kit, KEY, OLD, 60000) != CACHEKIT_OK;
            file_kit_close(&kit);
        }
    }
    return failed;
}

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// The value number n: its number over and over, as long as the number says.
static size_t make_value(uint64_t n, uint8_t *out)
{
    size_t len = 8 + (size_t)(n * 7919 % (VALUE_MAX - 8));
    for (size_t i = 0; i < len; i++) {
        out[i] = (uint8_t)(n >> 8 * (i % 8));
    }
    return len;
}

static bool is_value(const struct file_kit *kit, uint64_t *n)
{
    static uint8_t wanted[VALUE_MAX];
    if (kit->value.len < 8) {
        return false;
    }
    memcpy(n, kit->value.data, 8);
    size_t len = make_value(*n, wanted);
    return len == kit->value.len && memcmp(kit->value.data, wanted, len) == 0;
}

static void write_for_ever(struct file_kit *kit, uint64_t n)
{
    static uint8_t bytes[VALUE_MAX];
    for (;; n++) {
        const cachekit_slice value = {bytes, make_value(n, bytes)};
        (void)kit->backend->ops->set(kit->backend, file_kit_slice(KEY), value, 3600000,
                                     cachekit_deadline_ns(60000), NULL);
    }
}

static int random_kills(int count, uint64_t seed, int *with_temp)
{
    int failed = 0;
    uint64_t last = 0;
    struct file_kit kit;
    file_kit_open(&kit, &small);
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child < 0) {
            give_up("fork");
        }
        if (child == 0) {
            write_for_ever(&kit, last + 1);
        }
        const struct timespec pause = {0, (long)(random_next(&seed) % 3000000)};
        (void)nanosleep(&pause, NULL);
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
        *with_temp += file_kit_count(&kit, ".tmp.") != 0;
        uint64_t n = 0;
        cachekit_status status = file_kit_get(&kit, KEY);
        bool nothing_yet = status == CACHEKIT_MISS && last == 0;
        if (!nothing_yet && (status != CACHEKIT_OK || !is_value(&kit, &n) || n < last)) {
            failed += lost("random", i, cachekit_status_name(status));
        }
        last = n > last ? n : last;
        failed += check_temps(&kit, "random", i);
    }
    (void)printf("file_kills: the writers stored %llu values\n", (unsigned long long)last);
    failed += last == 0 ? lost("random", count, "nothing was ever stored") : 0;
    file_kit_close(&kit);
    return failed;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 2000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    int points = 0;
    int points_with_temp = 0;
    int kills_with_temp = 0;
    seed = seed != 0 ? seed : 1;
    int failed = kill_points(&points, &points_with_temp);
    (void)printf("file_kills: %d kill points (%d left a temporary file):", points,
                 points_with_temp);
    for (int number = 0; number < SYSCALLS_MAX; number++) {
        if (stops_of[number] != 0) {
            (void)printf(" %d:%u", number, stops_of[number]);
        }
    }
    (void)printf(" (system call:points), %d lost\n", failed);
    int random_failed = random_kills(count, seed, &kills_with_temp);
    (void)printf("file_kills: %d random kills (%d left a temporary file), seed %llu, %d lost\n",
                 count, kills_with_temp, (unsigned long long)seed, random_failed);
    bool proved =
        points >= POINTS_MIN && points_with_temp > 0 && (count < 50 || kills_with_temp > 0);
    if (!proved) {
        (void)fprintf(stderr, "file_kills: too few kills hit a write: nothing is proved\n");
    }
    return failed + random_failed == 0 && proved ? 0 : 1;
}
