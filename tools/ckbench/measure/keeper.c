// SPDX-License-Identifier: MIT
// A keeper lives until its child and all the child has started are dead. It owns the subreaper
// flag, so no descendant can leave it, and it sees ckbench's death as the end of a socket: even
// SIGKILL of ckbench therefore ends in the same sweep.
#include "measure/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/sweep.h"

// Enough for any subject; fixed, because programs adapt to it.
enum { STACK_BYTES = 8 << 20 };

struct keeper {
    int control;
    int signals;
    pid_t child;
    bool reaped;
    int wait_status;
    struct proc_whole whole;
};

static void limit(int resource, rlim_t wanted)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now) == 0) {
        if (now.rlim_max == RLIM_INFINITY || now.rlim_max > wanted) {
            now.rlim_max = wanted;
        }
        now.rlim_cur = now.rlim_max;
        (void)setrlimit((__rlimit_resource_t)resource, &now);
    }
}

static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        (void)sigaction(number, &action, NULL);
    }
}

// Where memory runs out, a measured process is the first to go, and not whoever else works here.
static void volunteer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!write(fd, "1000", 4);
        (void)close(fd);
    }
}

// Moves the four descriptors to 0-3 by way of numbers that none of them can have.
static bool place_descriptors(const struct keeper_fds *fds)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int sources[] = {null, fds->out, fds->err, fds->answers};
    int high[4];
    for (int i = 0; i < 4; i++) {
        high[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, 10);
        if (high[i] < 0) {
            return false;
        }
    }
    for (int i = 0; i < 4; i++) {
        if (dup2(high[i], i) < 0) {
            return false;
        }
    }
    // All of ours close on exec by themselves; this is for those that came with ckbench.
    (void)close_range(PROC_ANSWERS_FD + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    return true;
}

// The child between fork and execve; what fails is told through `failure`.
static _Noreturn void become(const struct proc_spec *spec, const struct keeper_fds *fds,
                             int failure, pid_t keeper)
{
    int tell = fcntl(failure, F_DUPFD_CLOEXEC, 20);
    sigset_t none;
    (void)sigemptyset(&none);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == keeper && setsid() >= 0 && chdir(spec->dir) == 0 && place_descriptors(fds)) {
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        (void)umask(077);
        limit(RLIMIT_CORE, 0);
        limit(RLIMIT_NOFILE, PROC_OPEN_FILES);
        limit(RLIMIT_STACK, STACK_BYTES);
        if (spec->address_space_bytes != 0) {
            limit(RLIMIT_AS, spec->address_space_bytes);
        }
        if (spec->data_bytes != 0) {
            limit(RLIMIT_DATA, spec->data_bytes);
        }
        volunteer();
        (void)sigprocmask(SIG_SETMASK, &none, NULL);
        (void)execve(spec->argv[0], (char *const *)spec->argv, (char *const *)spec->env);
    }
    int error = errno;
    (void)!write(tell, &error, sizeof error);
    _exit(127);
}

static void send_message(const struct keeper *keeper, const struct keeper_message *message)
{
    (void)send(keeper->control, message, sizeof *message, MSG_NOSIGNAL);
}

// The errno of a start that failed, 0 once the new program runs.
static int start_child(struct keeper *keeper, const struct proc_spec *spec,
                       const struct keeper_fds *fds)
{
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0) {
        return errno;
    }
    pid_t self = getpid();
    keeper->child = fork();
    if (keeper->child == 0) {
        become(spec, fds, failure[1], self);
    }
    int error = keeper->child < 0 ? errno : 0;
    (void)close(failure[1]);
    if (keeper->child > 0 && read(failure[0], &error, sizeof error) > 0) {
        (void)waitpid(keeper->child, NULL, 0);
    }
    (void)close(failure[0]);
    (void)close(fds->answers);
    (void)close(fds->out);
    (void)close(fds->err);
    return error;
}

static void note_usage(struct keeper *keeper, const struct rusage *usage)
{
    struct rusage own = {0};
    (void)getrusage(RUSAGE_SELF, &own);
    keeper->whole = (struct proc_whole){
        .cpu_us = (int64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
                  usage->ru_utime.tv_usec + usage->ru_stime.tv_usec,
        .minor_faults = usage->ru_minflt,
        .major_faults = usage->ru_majflt,
        .voluntary_switches = usage->ru_nvcsw,
        .involuntary_switches = usage->ru_nivcsw,
        .peak_rss_kib = usage->ru_maxrss,
        .spawner_peak_rss_kib = own.ru_maxrss,
    };
}

// Reaps what died; remembers how the child did.
static void reap(struct keeper *keeper)
{
    struct signalfd_siginfo info;
    while (read(keeper->signals, &info, sizeof info) > 0) {
    }
    int status = 0;
    struct rusage usage;
    for (pid_t pid; (pid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0;) {
        if (pid == keeper->child) {
            keeper->reaped = true;
            keeper->wait_status = status;
            note_usage(keeper, &usage);
        }
    }
}

// Waits for the child's death, a command, or the deadline (-1: none). The command, or 0.
static char wait_event(struct keeper *keeper, int64_t deadline_ms)
{
    struct pollfd polls[2] = {{.fd = keeper->control, .events = POLLIN},
                              {.fd = keeper->signals, .events = POLLIN}};
    int64_t left = deadline_ms < 0 ? -1 : deadline_ms - sweep_now_ms();
    (void)poll(polls, 2, deadline_ms >= 0 && left < 0 ? 0 : (int)left);
    reap(keeper);
    if (polls[0].revents == 0) {
        return 0;
    }
    char command = KEEPER_KILL;
    ssize_t got = recv(keeper->control, &command, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return 0;
    }
    return got == 1 ? command : KEEPER_KILL;
}

// SIGTERM to the child's group, with a grace. A stopped child hears it only once it is woken.
static void stop_gently(struct keeper *keeper)
{
    if (!keeper->reaped) {
        (void)kill(-keeper->child, SIGTERM);
        (void)kill(-keeper->child, SIGCONT);
    }
    int64_t deadline = sweep_now_ms() + KEEPER_GRACE_MS;
    while (!keeper->reaped && sweep_now_ms() < deadline &&
           wait_event(keeper, deadline) != KEEPER_KILL) {
    }
}

static void watch_child(struct keeper *keeper)
{
    char command = 0;
    while (!keeper->reaped && command == 0) {
        command = wait_event(keeper, -1);
    }
    if (command == KEEPER_STOP) {
        stop_gently(keeper);
    }
}

// A keeper reads and writes nothing of ckbench's own, and no terminal can signal it.
static bool settle(struct keeper *keeper, struct keeper_fds *fds)
{
    int moved[4] = {fds->control, fds->answers, fds->out, fds->err};
    (void)setsid();
    (void)prctl(PR_SET_NAME, "ckbench-keeper", 0, 0, 0);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (int i = 0; i < 4; i++) {
        moved[i] = fcntl(moved[i], F_DUPFD_CLOEXEC, 20);
        if (moved[i] < 0) {
            return false;
        }
    }
    // Now 20-23 or above in rising order, so 4-7 are free for a second, dense move.
    for (int i = 0; i < 4; i++) {
        if (dup3(moved[i], 4 + i, O_CLOEXEC) < 0) {
            return false;
        }
    }
    (void)close_range(8, ~0U, 0);
    *fds = (struct keeper_fds){.control = 4, .answers = 5, .out = 6, .err = 7};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 4 && null >= 0; i++) {
        (void)dup3(null, i, O_CLOEXEC);
    }
    sigset_t child;
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    keeper->control = fds->control;
    keeper->signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    return keeper->signals >= 0;
}

// A family that moves on all the time can be missed by whoever reads a list of processes; but as
// long as one of it lives, we have a child that is not dead.
static int count_survivors(void)
{
    int count = sweep_count(NULL, 0);
    pid_t pid;
    do {
        pid = waitpid(-1, NULL, WNOHANG | __WALL);
    } while (pid > 0);
    return pid == 0 && count == 0 ? 1 : count;
}

_Noreturn void keeper_main(const struct proc_spec *spec, const struct keeper_fds *fds)
{
    struct keeper keeper = {.control = fds->control, .signals = -1};
    struct keeper_fds own = *fds;
    struct keeper_message message = {.news = KEEPER_NOT_STARTED};
    sigset_t all;
    // Blocked, SIGCHLD included, before the handlers go: the default action kills nobody here.
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    reset_signals();
    bool settled = settle(&keeper, &own);
    message.error = settled ? start_child(&keeper, spec, &own) : errno;
    if (message.error != 0) {
        send_message(&keeper, &message);
        _exit(1);
    }
    message = (struct keeper_message){.news = KEEPER_STARTED, .pid = keeper.child};
    send_message(&keeper, &message);
    watch_child(&keeper);
    message.news = KEEPER_ENDED;
    message.wait_status = keeper.wait_status;
    message.whole = keeper.whole;
    message.survivors = count_survivors();
    (void)sweep_kill(NULL, 0, KEEPER_SWEEP_MS);
    send_message(&keeper, &message);
    _exit(0);
}
