// SPDX-License-Identifier: MIT
// The guard holds one end of a socket and nothing else of ckbench's: it wakes when the other end is
// closed, by ckbench or by the kernel. It is nobody's child, so no sweep meets it.
#include "measure/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/scratch.h"

// Keepers sweep for a while after ckbench's death, and what they end may still write files.
enum { LISTEN_FD = 3, ROUND_MS = 50, ROUNDS = 400, GONE_MS = 2000 };

static _Noreturn void watch(const char *path, int socket)
{
    char byte;
    (void)setsid();
    (void)prctl(PR_SET_NAME, "ckbench-guard", 0, 0, 0);
    (void)chdir("/");
    if (socket != LISTEN_FD) {
        (void)dup2(socket, LISTEN_FD);
    }
    (void)close_range(LISTEN_FD + 1, ~0U, 0);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < LISTEN_FD && null >= 0; fd++) {
        (void)dup2(null, fd);
    }
    while (read(LISTEN_FD, &byte, 1) < 0 && errno == EINTR) {
    }
    struct stat status;
    for (int i = 0; i < ROUNDS && lstat(path, &status) == 0; i++) {
        scratch_remove(path);
        (void)poll(NULL, 0, lstat(path, &status) == 0 ? ROUND_MS : 0);
    }
    _exit(0);
}

int guard_start(const char *path)
{
    int ends[2];
    sigset_t all, before;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return -1;
    }
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        if (fork() == 0) {
            watch(path, ends[1]);
        }
        _exit(0);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return -1;
    }
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return ends[0];
}

void guard_end(int lifeline)
{
    if (lifeline < 0) {
        return;
    }
    (void)shutdown(lifeline, SHUT_WR);
    struct pollfd gone = {.fd = lifeline, .events = POLLIN};
    (void)poll(&gone, 1, GONE_MS);
    (void)close(lifeline);
}
