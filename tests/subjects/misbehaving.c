// SPDX-License-Identifier: MIT
// Paths that do what no path should, and `behaves` and `zz_behaves`, which must be measured
// whatever the others did. Calls that end the process do so on the very first call.
#include <ckbench/subject.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20, HIGHEST_FD = 1024 };

#define TOUCHED_BYTES ((size_t)64 << 20)
#define BLOCK_BYTES   ((size_t)2 << 30)

static size_t calls;

static void *setup(void)
{
    return &calls;
}

static void *setup_null(void)
{
    return NULL;
}

static int verify(void *state)
{
    return *(size_t *)state > 0 ? 0 : 1;
}

static int verify_never(void *state)
{
    (void)state;
    return 7;
}

static void behave(void *state)
{
    ++*(size_t *)state;
}

static void crash(void *state)
{
    volatile int *nowhere = NULL;
    (void)state;
    // Hides from the compiler where it points.
    __asm__ volatile("" : "+r"(nowhere));
    *nowhere = 1;
}

static void *crash_setup(void)
{
    crash(NULL);
    return &calls;
}

static int crash_verify(void *state)
{
    crash(state);
    return 0;
}

static void ends_by_abort(void *state)
{
    (void)state;
    abort();
}

#if defined(__x86_64__)
static void illegal_ud2(void *state)
{
    (void)state;
    __asm__ volatile("ud2");
}

// vpaddd zmm0, zmm0, zmm0; sha256msg1 xmm0, xmm0: as bytes, so that no flag has to allow them.
static void illegal_avx512(void *state)
{
    (void)state;
    __asm__ volatile(".byte 0x62, 0xf1, 0x7d, 0x48, 0xfe, 0xc0" : : : "xmm0");
}

static void illegal_sha(void *state)
{
    (void)state;
    __asm__ volatile(".byte 0x0f, 0x38, 0xcc, 0xc0" : : : "xmm0");
}
#endif

static void hang(void *state)
{
    (void)state;
    for (;;) {
        (void)pause();
    }
}

static void hang_deaf(void *state)
{
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    hang(state);
}

// So that whoever waits for it knows that it is there.
static void hang_aloud(void *state)
{
    (void)!write(STDERR_FILENO, "hanging\n", 8);
    hang_deaf(state);
}

static void fork_and_wait(void *state)
{
    pid_t pid = fork();
    if (pid == 0) {
        volatile size_t work = 100000;
        while (work > 0) {
            work--;
        }
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0);
    behave(state);
}

static void fork_and_leave(void *state)
{
    if (*(size_t *)state == 0 && fork() == 0) {
        hang_deaf(state);
    }
    behave(state);
}

static void daemonise(void *state)
{
    if (*(size_t *)state == 0 && fork() == 0) {
        (void)setsid();
        if (fork() == 0) {
            hang_deaf(state);
        }
        _exit(0);
    }
    behave(state);
}

static void exec_other(void *state)
{
    (void)state;
    (void)execl("/bin/true", "true", (char *)NULL);
}

static void exit_early(void *state)
{
    (void)state;
    exit(0);
}

static void exit_quietly(void *state)
{
    (void)state;
    _exit(0);
}

static void exit_with_9(void *state)
{
    (void)state;
    _exit(9);
}

static pid_t server;

// A process that helps the path: started before the calls, and the calls do not touch it.
static void *start_server(void)
{
    server = fork();
    if (server == 0) {
        hang_deaf(NULL);
    }
    return server > 0 ? &calls : NULL;
}

// Its parent is gone before the calls begin.
static void *start_daemon(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        (void)setsid();
        if (fork() == 0) {
            hang_deaf(NULL);
        }
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0);
    return &calls;
}

static void stop_server(void *state)
{
    (void)state;
    (void)kill(server, SIGKILL);
    (void)waitpid(server, NULL, 0);
}

static void print_gigabyte(void *state)
{
    static char page[MIB];
    memset(page, 'x', sizeof page);
    for (size_t i = 0; i < 1024 && *(size_t *)state == 0; i++) {
        if (write(STDOUT_FILENO, page, sizeof page) < 0 ||
            write(STDERR_FILENO, page, sizeof page) < 0) {
            break;
        }
    }
    behave(state);
}

static void print_escapes(void *state)
{
    static const char odd[] = "\033]0;owned\a\033[2J\033[31mred\0nul \xff\xfe\xc3( `x` | <b> \r\n";
    (void)!write(STDERR_FILENO, odd, sizeof odd - 1);
    (void)!write(STDOUT_FILENO, odd, sizeof odd - 1);
    behave(state);
}

static void close_all(void *state)
{
    for (int fd = 0; fd < HIGHEST_FD; fd++) {
        (void)close(fd);
    }
    behave(state);
}

// On every descriptor, as it is not known which one is for answers.
static void write_garbage(void *state)
{
    static const char garbage[] = "{\"type\":\"counted\",\"path\":\"write_garbage\"\n\x01\xff}{\n";
    for (int fd = 3; fd < HIGHEST_FD && *(size_t *)state == 0; fd++) {
        (void)!write(fd, garbage, sizeof garbage - 1);
    }
    behave(state);
}

static void grow(void *state)
{
    volatile size_t work = *(size_t *)state;
    while (work > 0) {
        work--;
    }
    behave(state);
}

static void stop_itself(void *state)
{
    (void)raise(SIGSTOP);
    behave(state);
}

// Reserves until there is no address left, but touches so little that the machine lives through
// it: blocks are large, as each costs a page for malloc's own notes.
static void eat_memory(void *state)
{
    char *block = malloc(TOUCHED_BYTES);
    if (block != NULL) {
        memset(block, 1, TOUCHED_BYTES);
    }
    do {
        block = malloc(BLOCK_BYTES);
        __asm__ volatile("" : : "r"(block) : "memory");
    } while (block != NULL);
    behave(state);
    abort();
}

static void raise_sigpipe(void *state)
{
    int ends[2];
    if (pipe(ends) == 0) {
        (void)close(ends[0]);
        (void)!write(ends[1], "x", 1);
        (void)close(ends[1]);
    }
    behave(state);
}

// Whatever a process can change about itself short of dying of it.
static void change_everything(void *state)
{
    sigset_t all;
    const struct rlimit none = {0, 0};
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)signal(SIGCHLD, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)chdir("/");
    (void)umask(0777);
    (void)clearenv();
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)setrlimit(RLIMIT_NPROC, &none);
    (void)setsid();
    behave(state);
}

static void limit_files(void *state)
{
    const struct rlimit none = {0, 0};
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)setrlimit(RLIMIT_FSIZE, &none);
    behave(state);
}

static void unblock_answers(void *state)
{
    for (int fd = 3; fd < HIGHEST_FD; fd++) {
        int flags = fcntl(fd, F_GETFL);
        if (flags >= 0) {
            (void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
        }
    }
    behave(state);
}

static void *wait_for_ever(void *nothing)
{
    hang(nothing);
    return NULL;
}

static void leave_thread(void *state)
{
    pthread_t thread;
    if (*(size_t *)state == 0 && pthread_create(&thread, NULL, wait_for_ever, NULL) == 0) {
        (void)pthread_detach(thread);
    }
    behave(state);
}

CKBENCH_PATH(aborts, "abort()", setup, ends_by_abort, verify, NULL)
CKBENCH_PATH(behaves, "nothing wrong with it", setup, behave, verify, NULL)
CKBENCH_PATH(changes_everything, "signals, limits, directory", setup, change_everything, verify,
             NULL)
CKBENCH_PATH(closes_fds, "closes all descriptors", setup, close_all, verify, NULL)
CKBENCH_PATH(crashes, "SIGSEGV in the call", setup, crash, verify, NULL)
CKBENCH_PATH(crashes_in_setup, "SIGSEGV in setup", crash_setup, behave, verify, NULL)
CKBENCH_PATH(crashes_in_verify, "SIGSEGV in verify", setup, behave, crash_verify, NULL)
CKBENCH_PATH(crashes_in_teardown, "SIGSEGV in teardown", setup, behave, verify, crash)
CKBENCH_PATH(daemonises, "leaves a daemon", setup, daemonise, verify, NULL)
CKBENCH_PATH(eats_memory, "until there is no more", setup, eat_memory, verify, NULL)
CKBENCH_PATH(execs, "becomes /bin/true", setup, exec_other, verify, NULL)
CKBENCH_PATH(exits_early, "exit(0)", setup, exit_early, verify, NULL)
CKBENCH_PATH(exits_quietly, "_exit(0)", setup, exit_quietly, verify, NULL)
CKBENCH_PATH(exits_with_9, "_exit(9)", setup, exit_with_9, verify, NULL)
CKBENCH_PATH(fails_setup, "setup returns NULL", setup_null, behave, verify, NULL)
CKBENCH_PATH(fails_verify, "verify returns 7", setup, behave, verify_never, NULL)
CKBENCH_PATH(forks_and_leaves, "leaves a child", setup, fork_and_leave, verify, NULL)
CKBENCH_PATH(forks_and_waits, "works in a child", setup, fork_and_wait, verify, NULL)
CKBENCH_PATH(grows, "every call costs more", setup, grow, verify, NULL)
CKBENCH_PATH(hangs, "pauses for ever", setup, hang, verify, NULL)
CKBENCH_PATH(hangs_aloud, "says so, then the same as hangs_deaf", setup, hang_aloud, verify, NULL)
CKBENCH_PATH(hangs_deaf, "the same, deaf to SIGTERM", setup, hang_deaf, verify, NULL)
CKBENCH_PATH(leaves_child, "starts a server, never ends it", start_server, behave, verify, NULL)
CKBENCH_PATH(leaves_daemon, "its setup leaves a daemon", start_daemon, behave, verify, NULL)
CKBENCH_PATH(leaves_thread, "leaves a thread", setup, leave_thread, verify, NULL)
CKBENCH_PATH(limits_files, "forbids itself to write files", setup, limit_files, verify, NULL)
CKBENCH_PATH(prints_escapes, "terminal codes on stderr", setup, print_escapes, verify, NULL)
CKBENCH_PATH(prints_gigabyte, "1 GiB on stdout and stderr", setup, print_gigabyte, verify, NULL)
CKBENCH_PATH(raises_sigpipe, "writes to a broken pipe", setup, raise_sigpipe, verify, NULL)
#if defined(__x86_64__)
CKBENCH_PATH(sigill_avx512, "an AVX-512 instruction", setup, illegal_avx512, NULL, NULL)
CKBENCH_PATH(sigill_sha, "an SHA instruction", setup, illegal_sha, NULL, NULL)
CKBENCH_PATH(sigill_ud2, "no instruction at all", setup, illegal_ud2, verify, NULL)
#endif
CKBENCH_PATH(starts_server, "starts a server and ends it", start_server, behave, verify,
             stop_server)
CKBENCH_PATH(stops_itself, "SIGSTOP", setup, stop_itself, verify, NULL)
CKBENCH_PATH(unblocks_answers, "O_NONBLOCK on all descriptors", setup, unblock_answers, verify,
             NULL)
CKBENCH_PATH(writes_garbage, "garbage on all descriptors", setup, write_garbage, verify, NULL)
CKBENCH_PATH(zz_behaves, "nothing wrong with it either", setup, behave, verify, NULL)
CKBENCH_MAIN
