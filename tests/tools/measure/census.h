// SPDX-License-Identifier: MIT
// Who is alive: counts the processes whose environment or command line holds a marker. For tests
// about processes.
#ifndef CKBENCH_TEST_CENSUS_H
#define CKBENCH_TEST_CENSUS_H

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline int64_t census_now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline bool census_has(const char *pid, const char *what, const char *marker)
{
    static char text[256 * 1024];
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%.20s/%s", pid, what);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text) : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return length > 0 && memmem(text, (size_t)length, marker, strlen(marker)) != NULL;
}

static inline bool census_is_marked(const char *pid, const char *marker)
{
    return census_has(pid, "environ", marker) || census_has(pid, "cmdline", marker);
}

// Processes other than this one that were started with `marker`. Zombies have neither. A walk
// through /proc takes a while: one may end and another begin meanwhile. So each is looked at once
// more after the walk, and those that are still there were all alive when it ended.
static inline int census_count(const char *marker)
{
    enum { PIDS_MAX = 1024 };
    static char pids[PIDS_MAX][24];
    int seen = 0, count = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc != NULL && (entry = readdir(proc)) != NULL;) {
        bool is_process = isdigit((unsigned char)entry->d_name[0]) != 0;
        if (is_process && seen < PIDS_MAX && atoi(entry->d_name) != (int)getpid() &&
            census_is_marked(entry->d_name, marker)) {
            (void)snprintf(pids[seen++], sizeof pids[0], "%.20s", entry->d_name);
        }
    }
    (void)closedir(proc);
    for (int i = 0; i < seen; i++) {
        count += census_is_marked(pids[i], marker);
    }
    return count;
}

// Waits until the count is `wanted`, for at most `timeout_ms`; the last count.
static inline int census_await(const char *marker, int wanted, int64_t timeout_ms)
{
    int64_t end = census_now_ms() + timeout_ms;
    int count = census_count(marker);
    while (count != wanted && census_now_ms() < end) {
        (void)poll(NULL, 0, 5);
        count = census_count(marker);
    }
    return count;
}

#endif
