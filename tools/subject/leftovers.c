// SPDX-License-Identifier: MIT
// Processes that a path starts: what they do is counted nowhere, and one that stays alive would
// outlive the gate. A measured process adopts the orphans among its descendants, so all of them
// can be found among its own children. Directories are read by hand: opendir() would allocate in
// the very heap that is being measured.
#include "kit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ_BYTES = 4096, PATH_BYTES = 64 };

struct ckbench_dirent {
    uint64_t inode;
    int64_t offset;
    unsigned short len;
    unsigned char type;
    char name[];
};

static void ckbench_thread_children(const char *thread, void (*visit)(pid_t, uint64_t *),
                                    uint64_t *sum)
{
    char path[PATH_BYTES];
    char text[READ_BYTES + 1];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/children", thread);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, text, READ_BYTES);
    if (fd >= 0) {
        (void)close(fd);
    }
    text[len > 0 ? len : 0] = '\0';
    char *at = text;
    for (long pid = strtol(at, &at, 10); pid > 0; pid = strtol(at, &at, 10)) {
        visit((pid_t)pid, sum);
    }
}

static void ckbench_each_child(void (*visit)(pid_t, uint64_t *), uint64_t *sum)
{
    _Alignas(struct ckbench_dirent) char entries[READ_BYTES];
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    long len;
    while ((len = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0) {
        for (long at = 0; at < len;) {
            const struct ckbench_dirent *entry = (const void *)(entries + at);
            if (entry->name[0] != '.') {
                ckbench_thread_children(entry->name, visit, sum);
            }
            at += entry->len;
        }
    }
    (void)close(fd);
}

static void ckbench_add_child(pid_t pid, uint64_t *sum)
{
    *sum = (*sum ^ (uint64_t)pid) * 0x100000001b3U;
}

static void ckbench_kill_child(pid_t pid, uint64_t *sum)
{
    (void)kill(pid, SIGKILL);
    *sum += 1;
}

uint64_t ckbench_children_mark(void)
{
    struct rusage used;
    uint64_t sum = 0;
    ckbench_each_child(ckbench_add_child, &sum);
    // Whoever was waited for has touched memory.
    (void)getrusage(RUSAGE_CHILDREN, &used);
    return sum + (uint64_t)used.ru_minflt;
}

bool ckbench_end_leftovers(void)
{
    bool was_alive = false;
    for (;;) {
        pid_t ended = waitpid(-1, NULL, WNOHANG | __WALL);
        if (ended < 0) {
            return was_alive;
        }
        if (ended == 0) {
            uint64_t killed = 0;
            was_alive = true;
            ckbench_each_child(ckbench_kill_child, &killed);
            if (killed == 0) {
                return was_alive;
            }
            (void)waitpid(-1, NULL, __WALL);
        }
    }
}
