// SPDX-License-Identifier: MIT
// A child with one bad habit, named by its first argument. Answers go to descriptor 3.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
// The search for leaks at the end runs in a process of its own, with this one's environment; who
// counts processes would count it too.
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    (void)!write(3, line, (size_t)length);
}

enum { LIFE_S = 45 };

// Who is stopped, a descendant and perhaps its root; shared by the tree.
static volatile pid_t *stopped;

static void report_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] != '.' && strtol(entry->d_name, NULL, 10) != dirfd(dir)) {
            say("fd %s\n", entry->d_name);
        }
    }
    (void)closedir(dir);
}

static void report_signals(void)
{
    sigset_t blocked;
    (void)sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int number = 1; number < SIGRTMAX; number++) {
        struct sigaction action;
        if (sigismember(&blocked, number) == 1) {
            say("blocked %d\n", number);
        }
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN) {
            say("ignored %d\n", number);
        }
    }
}

// All that a child can find out about how it was started.
static int report(void)
{
    char dir[512];
    struct rlimit limit;
    char byte;
    for (char **entry = environ; *entry != NULL; entry++) {
        say("env %s\n", *entry);
    }
    report_fds();
    report_signals();
    say("dir %s\n", getcwd(dir, sizeof dir));
    say("umask %03o\n", (unsigned)umask(0));
    say("stdin %d\n", (int)read(0, &byte, 1));
    say("leader %d\n", getsid(0) == getpid());
    say("tty %d\n", open("/dev/tty", O_RDWR) >= 0);
    (void)getrlimit(RLIMIT_CORE, &limit);
    say("core %llu\n", (unsigned long long)limit.rlim_max);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    say("files %llu\n", (unsigned long long)limit.rlim_max);
    return 0;
}

// For ever, as far as a test can see. Should a test fail to end us, we end by ourselves, and the
// one that cannot, because it is stopped, with us.
static void hang(void)
{
    for (int i = 0; i < LIFE_S; i++) {
        (void)sleep(1);
    }
    for (int i = 0; stopped != NULL && i < 2; i++) {
        if (stopped[i] != 0) {
            (void)kill(stopped[i], SIGKILL);
        }
    }
    _exit(9);
}

static void go_deaf(void)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
}

// Four descendants that hold every descriptor open: one plain, one in a session of its own, one
// orphan of a double fork, one stopped. The starter goes on once all have said they are there.
static void grow_tree(void)
{
    int ready[2];
    char byte;
    (void)!pipe(ready);
    stopped =
        mmap(NULL, 2 * sizeof *stopped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            if (i > 0) {
                (void)setsid();
            }
            if (i == 2 && fork() != 0) {
                _exit(0);
            }
            go_deaf();
            (void)!write(ready[1], "", 1);
            if (i == 3) {
                stopped[0] = getpid();
                (void)raise(SIGSTOP);
            }
            hang();
        }
    }
    for (int i = 0; i < 4; i++) {
        (void)!read(ready[0], &byte, 1);
    }
    say("tree\n");
}

static void print(int fd, size_t bytes)
{
    static char page[65536];
    memset(page, '.', sizeof page);
    for (size_t done = 0; done < bytes;) {
        size_t now = bytes - done < sizeof page ? bytes - done : sizeof page;
        ssize_t wrote = write(fd, page, now);
        if (wrote <= 0) {
            break;
        }
        done += (size_t)wrote;
    }
}

static int flood(size_t bytes)
{
    (void)!write(1, "first\n", 6);
    print(1, bytes);
    (void)!write(1, "\nlast\n", 6);
    print(2, bytes);
    return 0;
}

static int long_line(size_t length)
{
    char line[8192];
    memset(line, 'x', sizeof line);
    line[length - 1] = '\n';
    (void)!write(3, line, length);
    return 0;
}

static int tick(int count)
{
    for (int i = 0; i < count; i++) {
        say("tick %d\n", i);
        (void)usleep(100 * 1000);
    }
    return 0;
}

// A process that is never the same for long: each forks the next and ends. It leaves a byte in a
// file with every step, and gives up by itself after a while, should nobody catch it.
static void hop(void)
{
    struct timespec start;
    struct timespec now;
    int file = open("hops", O_WRONLY | O_CREAT | O_APPEND, 0600);
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        (void)!write(file, "", 1);
        if (fork() != 0) {
            _exit(0);
        }
        (void)setsid();
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - start.tv_sec < 20);
}

static void kill_keeper(void)
{
    if (fork() == 0) {
        (void)setsid();
        hang();
    }
    say("tree\n");
    (void)kill(getppid(), SIGKILL);
    hang();
}

int main(int argc, char **argv)
{
    const char *habit = argc > 1 ? argv[1] : "";
    int number = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
    if (strcmp(habit, "report") == 0) {
        return report();
    } else if (strcmp(habit, "exit") == 0) {
        return number;
    } else if (strcmp(habit, "signal") == 0) {
        (void)raise(number);
    } else if (strcmp(habit, "flood") == 0) {
        return flood((size_t)number);
    } else if (strcmp(habit, "line") == 0) {
        return long_line((size_t)number);
    } else if (strcmp(habit, "cut") == 0) {
        (void)!write(3, "whole\ncut", 9);
    } else if (strcmp(habit, "tick") == 0) {
        return tick(number);
    } else if (strcmp(habit, "tree") == 0) {
        grow_tree();
    } else if (strcmp(habit, "tree-hang") == 0) {
        grow_tree();
        hang();
    } else if (strcmp(habit, "tree-stop") == 0) {
        go_deaf();
        grow_tree();
        stopped[1] = getpid();
        (void)raise(SIGSTOP);
    } else if (strcmp(habit, "hop") == 0) {
        if (fork() == 0) {
            hop();
        }
    } else if (strcmp(habit, "kill-keeper") == 0) {
        kill_keeper();
    }
    return 0;
}
