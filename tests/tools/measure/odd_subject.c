// SPDX-License-Identifier: MIT
// A subject without the kit, so without its care: its paths do to the process above them what the
// kit would prevent. The name of a path says what its measured process, or the main one, does.
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <valgrind/callgrind.h>

// Shared with the measured processes, whose lines count too.
static int *lines;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ++*lines;
    (void)!write(3, line, (size_t)length);
}

struct request {
    char name[65];
    int layout, warmup, n1, n2;
};

static volatile unsigned sum;

__attribute__((noinline)) static void loop(int calls)
{
    while (calls-- > 0) {
        sum += 3;
    }
}

static void count(const struct request *request)
{
    loop(request->warmup);
    CALLGRIND_START_INSTRUMENTATION;
    (void)VALGRIND_MONITOR_COMMAND("zero");
    loop(request->n1);
    (void)VALGRIND_MONITOR_COMMAND("dump n1");
    loop(request->n2);
    (void)VALGRIND_MONITOR_COMMAND("dump n2");
    CALLGRIND_STOP_INSTRUMENTATION;
}

static void hang(void)
{
    for (;;) {
        (void)pause();
    }
}

// A daemon that nobody waits for: it has left the session and lives on.
static void leave_daemon(void)
{
    if (fork() == 0) {
        (void)setsid();
        if (fork() != 0) {
            _exit(0);
        }
        hang();
    }
    (void)wait(NULL);
}

static void work_elsewhere(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        loop(1000);
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0);
}

// The names of its variables, as the reason of a failure.
static void tell_environment(const struct request *request)
{
    char names[1024] = "";
    for (char **entry = environ; *entry != NULL; entry++) {
        size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%.*s ", (int)strcspn(*entry, "="),
                       *entry);
    }
    say("{\"type\":\"failed\",\"path\":\"%s\",\"layout\":%d,\"pid\":%d,\"step\":\"call\","
        "\"reason\":\"%s\"}\n",
        request->name, request->layout, (int)getpid(), names);
    _exit(0);
}

// What it may fill, as the reason of a failure.
static void tell_memory(const struct request *request)
{
    struct rlimit limit = {0, 0};
    (void)getrlimit(RLIMIT_DATA, &limit);
    say("{\"type\":\"failed\",\"path\":\"%s\",\"layout\":%d,\"pid\":%d,\"step\":\"call\","
        "\"reason\":\"%llu\"}\n",
        request->name, request->layout, (int)getpid(), (unsigned long long)limit.rlim_max);
    _exit(0);
}

// What the measured process does beside its counting.
static void misbehave(const struct request *request)
{
    const char *name = request->name;
    if (strcmp(name, "leaves_daemon") == 0) {
        leave_daemon();
    } else if (strcmp(name, "works_elsewhere") == 0) {
        work_elsewhere();
    } else if (strcmp(name, "runs_a_program") == 0) {
        (void)!system("/bin/true");
    } else if (strcmp(name, "kills_parent") == 0) {
        (void)kill(getppid(), SIGKILL);
    } else if (strcmp(name, "hangs") == 0) {
        hang();
    } else if (strcmp(name, "tells_environment") == 0) {
        tell_environment(request);
    } else if (strcmp(name, "tells_memory") == 0) {
        tell_memory(request);
    } else if (strcmp(name, "aborts") == 0) {
        (void)fputs("assertion \033[31mfailed\n", stderr);
        abort();
    } else if (strcmp(name, "says_garbage") == 0) {
        say("garbage\n");
    } else if (strcmp(name, "answers_nothing") == 0) {
        _exit(0);
    } else if (strcmp(name, "loses_counts") == 0) {
        // Its dumps go to a directory that it has just emptied under valgrind's hands.
        (void)!system("rm -rf ../dumps");
    }
}

static void answer(const struct request *request, pid_t pid)
{
    int more = strcmp(request->name, "counts_too_much") == 0;
    int twice = strcmp(request->name, "answers_twice") == 0;
    for (int i = 0; i <= twice; i++) {
        say("{\"type\":\"counted\",\"path\":\"%s\",\"layout\":%d,\"pid\":%d,\"warmup\":%d,"
            "\"n1\":%d,\"n2\":%d,\"digest\":\"00000000000000ff\",\"clock_reads\":1,"
            "\"entropy_reads\":2,\"pid_reads\":3}\n",
            request->name, request->layout, (int)pid, request->warmup, request->n1,
            request->n2 + more);
    }
    if (strcmp(request->name, "dies_after_answer") == 0) {
        (void)raise(SIGSEGV);
    }
}

static void measure(const struct request *request)
{
    static pid_t last;
    int status = 0;
    int go[2];
    char byte;
    (void)!pipe(go);
    pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)!read(go[0], &byte, 1);
        misbehave(request);
        count(request);
        answer(request, getpid());
        _exit(0);
    }
    bool comes_round = strcmp(request->name, "comes_round") == 0 && last != 0;
    say("{\"type\":\"start\",\"path\":\"%s\",\"layout\":%d,\"pid\":%d}\n", request->name,
        request->layout, (int)(comes_round ? last : pid));
    last = pid;
    (void)!write(go[1], "", 1);
    (void)close(go[0]);
    (void)close(go[1]);
    (void)waitpid(pid, &status, 0);
    say("{\"type\":\"exit\",\"path\":\"%s\",\"layout\":%d,\"pid\":%d,\"status\":%d,\"signal\":%d}"
        "\n",
        request->name, request->layout, (int)pid, WIFEXITED(status) ? WEXITSTATUS(status) : 0,
        WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    if (strcmp(request->name, "ends_main") == 0) {
        _exit(5);
    }
}

static void say_subject(void)
{
    say("{\"type\":\"subject\",\"protocol\":1,\"kit\":\"odd\",\"self\":0,\"compiler\":\"cc\","
        "\"flags\":\"\",\"commit\":null,\"dirty\":[],\"build_id\":null}\n");
}

static int read_request(const char *text, struct request *request)
{
    int *const numbers[] = {&request->layout, &request->warmup, &request->n1, &request->n2};
    size_t length = strcspn(text, ",");
    (void)snprintf(request->name, sizeof request->name, "%.*s", (int)length, text);
    char *at = (char *)text + length;
    for (size_t i = 0; i < 4; i++) {
        if (*at != ',') {
            return 0;
        }
        *numbers[i] = (int)strtol(at + 1, &at, 10);
    }
    return *at == '\0';
}

static int count_all(int argc, char **argv)
{
    say_subject();
    say("{\"type\":\"guest\",\"cpuid\":\"c0de\"}\n");
    for (int i = 0; i < argc; i++) {
        struct request request;
        if (!read_request(argv[i], &request)) {
            return 2;
        }
        measure(&request);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int status = 2;
    lines = mmap(NULL, sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        say_subject();
        status = 0;
    } else if (argc > 2 && strcmp(argv[1], "count") == 0) {
        status = count_all(argc - 2, argv + 2);
    }
    if (status == 0) {
        say("{\"type\":\"end\",\"lines\":%d}\n", *lines);
    }
    return status;
}
