// SPDX-License-Identifier: MIT
// More ways to go wrong than `misbehaving` has: what a path can do to itself and to the processes
// above and below it. What each must read stands in tests/hostile/rows.py.
#include "hostile.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Every signal that ends a process. Those of crashes are raised, not caused.
#define RAISES(name, number)                                                                       \
    static void raise_##name(void *state)                                                          \
    {                                                                                              \
        behave(state);                                                                             \
        (void)raise(number);                                                                       \
    }                                                                                              \
    CKBENCH_PATH(raises_##name, "raises " #number, setup, raise_##name, verify, NULL)

RAISES(hup, SIGHUP)
RAISES(int, SIGINT)
RAISES(quit, SIGQUIT)
RAISES(ill, SIGILL)
RAISES(trap, SIGTRAP)
RAISES(bus, SIGBUS)
RAISES(fpe, SIGFPE)
RAISES(kill, SIGKILL)
RAISES(usr1, SIGUSR1)
RAISES(segv, SIGSEGV)
RAISES(usr2, SIGUSR2)
RAISES(pipe, SIGPIPE)
RAISES(alrm, SIGALRM)
RAISES(term, SIGTERM)
RAISES(stkflt, SIGSTKFLT)
RAISES(xcpu, SIGXCPU)
RAISES(xfsz, SIGXFSZ)
RAISES(vtalrm, SIGVTALRM)
RAISES(prof, SIGPROF)
RAISES(io, SIGIO)
RAISES(pwr, SIGPWR)
RAISES(sys, SIGSYS)
RAISES(rt, 34 + 3)

__attribute__((noinline)) static size_t dig(volatile char *above)
{
    volatile char here[4096];
    here[0] = above[0];
    return here[0] == 0 ? 0 : dig(here) + 1;
}

static void overflow_stack(void *state)
{
    volatile char first = 1;
    *(size_t *)state += dig(&first);
}

static void free_twice(void *state)
{
    char *block = malloc(40000);
    char *again = block;
    __asm__ volatile("" : "+r"(again));
    free(block);
    free(again);
    behave(state);
}

static void exit_thread(void *state)
{
    behave(state);
    pthread_exit(NULL);
}

static void *toil(void *nothing)
{
    for (;;) {
        work();
    }
    return nothing;
}

static void leave_toiler(void *state)
{
    pthread_t thread;
    if (*(size_t *)state == 0 && pthread_create(&thread, NULL, toil, NULL) == 0) {
        (void)pthread_detach(thread);
    }
    behave(state);
}

// Parent and child both go on as if each were the measurement.
static void fork_and_return(void *state)
{
    if (is_due(state)) {
        (void)!fork();
    }
    behave(state);
}

static void vfork_and_wait(void *state)
{
    pid_t pid = is_due(state) ? vfork() : -1;
    if (pid == 0) {
        _exit(0);
    }
    if (pid > 0) {
        (void)waitpid(pid, NULL, 0);
    }
    behave(state);
}

static void spawn_program(void *state)
{
    static char name[] = "true";
    char *const argv[] = {name, NULL};
    char *const env[] = {NULL};
    pid_t pid;
    if (is_due(state) && posix_spawn(&pid, "/bin/true", NULL, NULL, argv, env) == 0) {
        (void)waitpid(pid, NULL, 0);
    }
    behave(state);
}

static void bomb(void *state)
{
    for (int i = 0; i < BOMB && *(size_t *)state == SIXTH; i++) {
        if (fork() == 0) {
            rest_deaf();
        }
    }
    behave(state);
}

// Each generation starts the next one and ends: whoever reads the list of processes is late.
static void run_away(void *state)
{
    if (*(size_t *)state == SIXTH && fork() == 0) {
        (void)setsid();
        for (int i = 0; i < CHAIN; i++) {
            if (fork() != 0) {
                _exit(0);
            }
        }
        rest_deaf();
    }
    behave(state);
}

static void hide_name(void *state)
{
    if (*(size_t *)state == SIXTH && fork() == 0) {
        (void)setsid();
        (void)prctl(PR_SET_NAME, ") Z 1 (\n", 0, 0, 0);
        if (fork() == 0) {
            rest_deaf();
        }
        _exit(0);
    }
    behave(state);
}

static void kill_parent(void *state)
{
    behave(state);
    (void)kill(getppid(), SIGKILL);
    rest();
}

static void kill_group(void *state)
{
    behave(state);
    (void)kill(0, SIGKILL);
    rest();
}

// The parent's parent: ckbench's own keeper.
static void kill_keeper(void *state)
{
    char path[64];
    char text[512];
    behave(state);
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
    int fd = open(path, O_RDONLY);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    text[len > 0 ? len : 0] = '\0';
    char *end = strrchr(text, ')');
    pid_t keeper = end != NULL ? (pid_t)strtol(end + 3, NULL, 10) : 0;
    if (keeper > 1) {
        (void)kill(keeper, SIGKILL);
    }
    rest();
}

static void hoard_descriptors(void *state)
{
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    behave(state);
}

static void hoard_and_fork(void *state)
{
    if (*(size_t *)state == SIXTH && fork() == 0) {
        rest_deaf();
    }
    hoard_descriptors(state);
}

// Really fills what it gets, but not for ever.
static void hog(void *state)
{
    enum { BLOCKS = 64, BLOCK_BYTES = 16 * MIB };
    for (int i = 0; i < BLOCKS && *(size_t *)state == SIXTH; i++) {
        char *block = malloc(BLOCK_BYTES);
        if (block == NULL) {
            abort();
        }
        for (size_t at = 0; at < BLOCK_BYTES; at += 4096) {
            block[at] = 1;
        }
        __asm__ volatile("" : : "r"(block) : "memory");
    }
    behave(state);
}

static void free_itself(void *state)
{
    (void)prctl(PR_SET_PDEATHSIG, 0L);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 0L);
    (void)prctl(PR_SET_DUMPABLE, 0L);
    (void)setsid();
    behave(state);
    rest_deaf();
}

CKBENCH_PATH(behaves, "nothing wrong with it", setup, behave, verify, NULL)
CKBENCH_PATH(bombs, "60 children that stay", setup, bomb, verify, NULL)
CKBENCH_PATH(exits_thread, "pthread_exit() of the first", setup, exit_thread, verify, NULL)
CKBENCH_PATH(forks_and_returns, "both go on", setup, fork_and_return, verify, NULL)
CKBENCH_PATH(frees_itself, "from all who watch it, and rests", setup, free_itself, verify, NULL)
CKBENCH_PATH(frees_twice, "free() twice", setup, free_twice, verify, NULL)
CKBENCH_PATH(hides_name, "a daemon of an odd name", setup, hide_name, verify, NULL)
CKBENCH_PATH(hogs, "1 GiB, page by page", setup, hog, verify, NULL)
CKBENCH_PATH(hoards, "every descriptor", setup, hoard_descriptors, verify, NULL)
CKBENCH_PATH(hoards_and_forks, "every descriptor, and a child", setup, hoard_and_fork, verify, NULL)
CKBENCH_PATH(kills_group, "all of its process group", setup, kill_group, verify, NULL)
CKBENCH_PATH(kills_keeper, "its parent's parent", setup, kill_keeper, verify, NULL)
CKBENCH_PATH(kills_parent, "its parent", setup, kill_parent, verify, NULL)
CKBENCH_PATH(leaves_toiler, "a thread that works for ever", setup, leave_toiler, verify, NULL)
CKBENCH_PATH(overflows_stack, "without end", setup, overflow_stack, verify, NULL)
CKBENCH_PATH(runs_away, "200 generations", setup, run_away, verify, NULL)
CKBENCH_PATH(spawns, "posix_spawn() and waits", setup, spawn_program, verify, NULL)
CKBENCH_PATH(vforks, "vfork() and waits", setup, vfork_and_wait, verify, NULL)
CKBENCH_PATH(zz_behaves, "nothing wrong with it either", setup, behave, verify, NULL)
CKBENCH_MAIN
