// SPDX-License-Identifier: MIT
// What the files of the subject `hostile` share. Calls that misbehave once do so at the sixth,
// which is inside the counted window of a pilot of 2 + 2 + 4 calls.
#ifndef HOSTILE_H
#define HOSTILE_H

#include <ckbench/subject.h>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MIB = 1 << 20, HIGHEST_FD = 1024, PERIOD = 128, SIXTH = 5, BOMB = 60, CHAIN = 200 };

static inline void *setup(void)
{
    static size_t calls;
    return &calls;
}

static inline int verify(void *state)
{
    return *(size_t *)state > 0 ? 0 : 1;
}

__attribute__((noinline)) static void work(void)
{
    for (volatile unsigned left = 50; left > 0; left--) {
    }
}

static inline void behave(void *state)
{
    ++*(size_t *)state;
    work();
}

// True at the sixth call and again after each period.
static inline int is_due(const void *state)
{
    return *(const size_t *)state % PERIOD == SIXTH;
}

static inline void rest(void)
{
    for (;;) {
        (void)pause();
    }
}

static inline void rest_deaf(void)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    rest();
}

static inline int own_pid(void)
{
    return (int)syscall(SYS_getpid);
}

#endif
