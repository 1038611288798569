// SPDX-License-Identifier: MIT
// A process group is not a tree: setsid and a double fork leave it. The tree is read out of
// /proc/PID/stat, which every kernel has, in rounds, because it grows while it is read.
#include "measure/sweep.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct process {
    pid_t pid;
    pid_t parent;
    char state;
    bool ours;
};

struct snapshot {
    struct process *items;
    size_t count;
    size_t room;
};

int64_t sweep_now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool read_process(const char *pid_text, struct process *process)
{
    char path[64];
    char text[512];
    (void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid_text);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t length = read(fd, text, sizeof text - 1);
    (void)close(fd);
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    // The name may hold anything, brackets included: what follows its last one is ours to read.
    const char *rest = strrchr(text, ')');
    if (rest == NULL || strlen(rest) < sizeof ") S 1") {
        return false;
    }
    process->state = rest[2];
    process->parent = (pid_t)strtol(rest + 3, NULL, 10);
    process->pid = (pid_t)strtol(pid_text, NULL, 10);
    process->ours = false;
    return true;
}

static bool push(struct snapshot *all, const struct process *process)
{
    if (all->count == all->room) {
        size_t room = all->room == 0 ? 256 : 2 * all->room;
        struct process *items = realloc(all->items, room * sizeof *items);
        if (items == NULL) {
            return false;
        }
        all->items = items;
        all->room = room;
    }
    all->items[all->count++] = *process;
    return true;
}

static void read_all(struct snapshot *all)
{
    all->count = 0;
    DIR *proc = opendir("/proc");
    if (proc == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
        struct process process;
        if (isdigit((unsigned char)entry->d_name[0]) && read_process(entry->d_name, &process) &&
            !push(all, &process)) {
            break;
        }
    }
    (void)closedir(proc);
}

static bool is_spared(pid_t pid, const pid_t *spared, size_t spared_count)
{
    for (size_t i = 0; i < spared_count; i++) {
        if (spared[i] == pid) {
            return true;
        }
    }
    return false;
}

static int by_pid(const void *a, const void *b)
{
    const struct process *left = a;
    const struct process *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

static bool has_our_parent(const struct snapshot *all, const struct process *process)
{
    struct process key = {.pid = process->parent};
    const struct process *parent = bsearch(&key, all->items, all->count, sizeof key, by_pid);
    return parent != NULL && parent->ours;
}

// Marks the descendants, generation by generation.
static void mark_ours(struct snapshot *all, const pid_t *spared, size_t spared_count)
{
    if (all->count == 0) {
        return;
    }
    pid_t self = getpid();
    qsort(all->items, all->count, sizeof *all->items, by_pid);
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < all->count; i++) {
            struct process *process = &all->items[i];
            if (!process->ours && !is_spared(process->pid, spared, spared_count) &&
                (process->parent == self || has_our_parent(all, process))) {
                process->ours = true;
                grown = true;
            }
        }
    }
}

static bool is_dead(const struct process *process)
{
    return process->state == 'Z' || process->state == 'X';
}

// The tree hangs on our own children: without one there is nothing to look for in /proc.
static bool has_no_child(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 && errno == ECHILD;
}

int sweep_count(const pid_t *spared, size_t spared_count)
{
    if (has_no_child()) {
        return 0;
    }
    struct snapshot all = {0};
    read_all(&all);
    mark_ours(&all, spared, spared_count);
    int alive = 0;
    for (size_t i = 0; i < all.count; i++) {
        alive += all.items[i].ours && !is_dead(&all.items[i]);
    }
    free(all.items);
    return alive;
}

// A number may pass to a stranger between the look and the kill; a descriptor may not.
static void kill_one(const struct process *process)
{
    int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (fd < 0) {
        if (errno == ENOSYS) {
            (void)kill(process->pid, SIGKILL);
        }
        return;
    }
    char text[24];
    struct process again;
    (void)snprintf(text, sizeof text, "%d", (int)process->pid);
    if (read_process(text, &again) &&
        (again.parent == process->parent || again.parent == getpid())) {
        (void)syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
    }
    (void)close(fd);
}

// Kills and reaps our own children by the kernel's list of them, which is so quick to read that
// even a process that forks and ends all the time is caught between two steps: its next one is our
// child. How many there were; -1 where the kernel has no such list.
static int kill_children(const pid_t *spared, size_t spared_count)
{
    char text[4096];
    int count = 0;
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (length < 0) {
        return -1;
    }
    text[length] = '\0';
    char *end = strrchr(text, ' '); // each number is followed by one; a cut one is left for later
    if (end != NULL) {
        *end = '\0';
    }
    for (char *at = text; end != NULL && at < end;) {
        pid_t pid = (pid_t)strtol(at, &at, 10);
        if (!is_spared(pid, spared, spared_count)) {
            count++;
            (void)kill(pid, SIGKILL);
            (void)waitpid(pid, NULL, WNOHANG | __WALL);
        }
    }
    return count;
}

// The direct children again and again: when they are dead, their children are ours.
static bool kill_generations(const pid_t *spared, size_t spared_count)
{
    enum { ROUNDS = 1000 };
    int count = 1;
    for (int i = 0; i < ROUNDS && count > 0; i++) {
        count = kill_children(spared, spared_count);
    }
    return count == 0;
}

// One round; true when nothing of ours is left. Where no child is spared the kernel has the last
// word, for a child may be born behind the reader's back.
static bool kill_round(struct snapshot *all, const pid_t *spared, size_t spared_count)
{
    read_all(all);
    mark_ours(all, spared, spared_count);
    bool none = true;
    for (size_t i = 0; i < all->count; i++) {
        const struct process *process = &all->items[i];
        if (process->ours && !is_dead(process)) {
            kill_one(process);
        }
        if (process->ours && process->parent == getpid()) {
            (void)waitpid(process->pid, NULL, WNOHANG | __WALL);
        }
        none = none && !process->ours;
    }
    if (spared_count == 0) {
        while (waitpid(-1, NULL, WNOHANG | __WALL) > 0) {
        }
        return has_no_child();
    }
    return none;
}

bool sweep_kill(const pid_t *spared, size_t spared_count, int64_t timeout_ms)
{
    struct snapshot all = {0};
    int64_t end = sweep_now_ms() + timeout_ms;
    bool none = has_no_child() || kill_generations(spared, spared_count);
    while (!none && sweep_now_ms() < end) {
        // Too many for the quick way, or no quick way: the whole tree at once.
        none = kill_round(&all, spared, spared_count) || kill_generations(spared, spared_count);
        // A killed process needs a moment to become a zombie.
        (void)poll(NULL, 0, none ? 0 : 1);
    }
    free(all.items);
    return none;
}
