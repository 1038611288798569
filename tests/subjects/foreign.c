// SPDX-License-Identifier: MIT
// A subject that knows nothing of the kit: the protocol from its description alone, callgrind's
// client requests, lines written by hand. It counts honestly; built with -DLIE=... it breaks one
// rule of the protocol, and whoever listens has to notice.
#define LIE_NOTHING  0
#define LIE_PID      1  /* another process's number */
#define LIE_SIZES    2  /* says more calls than it ran */
#define LIE_TWICE    3  /* lists a path twice */
#define LIE_NAME     4  /* a name outside the grammar */
#define LIE_ABSENT   5  /* lists a path that it cannot count */
#define LIE_SHORT    6  /* ends before all is said, with a wrong number of lines */
#define LIE_LONG     7  /* a line of more than 4,096 bytes */
#define LIE_JSON     8  /* not JSON */
#define LIE_KEYS     9  /* a key twice */
#define LIE_PROTOCOL 10 /* a protocol from the future */
#define LIE_AGAIN    11 /* counts one path twice, another never */
#define LIE_WINDOWS  12 /* dumps n2 twice and n1 never */
#define LIE_NO_END   13 /* never says the end */
#define LIE_SELF     14 /* says it has self-test paths, has none */
#define LIE_ENDLESS  15 /* never stops talking */
#define LIE_PLANT    16 /* its planted instruction is two */
#define LIE_HOARD    17 /* its planted allocation is none */
#define LIE_STILL    18 /* its control that must move does not */
#define LIE_LOOSE    19 /* its stack is not pinned */
#define LIE_ENV      20 /* its path costs what the environment says */
#define LIE_CHANCE   21 /* its path costs what its process's number says */
#ifndef LIE
#    define LIE LIE_NOTHING
#endif

#include <alloca.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <valgrind/callgrind.h>

static int out_fd = 3;
static unsigned line_count;

static char line[8192];

static void put(int len)
{
    line_count++;
    (void)!write(out_fd, line, (size_t)len);
}

#define say(...) put(snprintf(line, sizeof line, __VA_ARGS__))

static volatile unsigned sum;

static void add(void)
{
    sum += 3;
#if LIE == LIE_ENV
    for (const char *pad = getenv("CKBENCH_PAD"); pad != NULL && *pad != '\0'; pad++) {
        sum += 1;
    }
#elif LIE == LIE_CHANCE
    for (int rest = (int)getpid() % 997; rest > 0; rest--) {
        sum += 1;
    }
#endif
}

static void nothing(void)
{
    __asm__ volatile("");
}

static void one(void)
{
    __asm__ volatile("nop");
    if (LIE == LIE_PLANT) {
        __asm__ volatile("nop");
    }
}

static void allocate(void)
{
    void *block = LIE == LIE_HOARD ? NULL : malloc(24);
    __asm__ volatile("" : : "r"(block) : "memory");
    free(block);
}

static void call_system(void)
{
    (void)syscall(SYS_getppid);
}

static void walk_stack(void)
{
    char here[64];
    __asm__ volatile("" : : "r"(here) : "memory");
    for (uintptr_t steps = (uintptr_t)here % 65536 / 16; steps > 0; steps--) {
        __asm__ volatile("" : : "r"(steps));
    }
}

static const struct {
    const char *name;
    void (*call)(void);
    int is_unpinned;
} paths[] = {
    {"foreign_add", add, 0},
    {"ckbench_self_empty", nothing, 0},
    {"ckbench_self_ir", one, 0},
    {"ckbench_self_alloc", allocate, 0},
    {"ckbench_self_syscall", call_system, 0},
    {"ckbench_self_pinned", walk_stack, 0},
    {"ckbench_self_unpinned", walk_stack, 1},
};

struct request {
    char name[65];
    unsigned layout, warmup, n1, n2;
    void (*call)(void);
    int is_unpinned;
};

__attribute__((noinline)) static void loop(void (*call)(void), unsigned calls)
{
    while (calls > 0) {
        call();
        calls--;
        __asm__ volatile("" : "+r"(calls));
    }
}

__attribute__((noinline)) static void measure(const struct request *request)
{
    loop(request->call, request->warmup);
    CALLGRIND_START_INSTRUMENTATION;
    (void)VALGRIND_MONITOR_COMMAND("zero");
    loop(request->call, request->n1);
    (void)VALGRIND_MONITOR_COMMAND(LIE == LIE_WINDOWS ? "dump n2" : "dump n1");
    loop(request->call, LIE == LIE_SIZES ? request->n2 / 2 : request->n2);
    (void)VALGRIND_MONITOR_COMMAND("dump n2");
    CALLGRIND_STOP_INSTRUMENTATION;
}

__attribute__((noinline)) static void pin(const struct request *request)
{
    void *gap = alloca((uintptr_t)__builtin_frame_address(0) % 65536 + 16);
    __asm__ volatile("" : : "r"(gap) : "memory");
    measure(request);
    __asm__ volatile("" : : "r"(gap) : "memory");
}

static void hold_heap(unsigned layout)
{
    static void *held[512];
    for (unsigned i = 0; i < layout * 100 && i < 512; i++) {
        held[i] = malloc(16 + (i * 7919 + layout * 104729) % 2000);
    }
    for (unsigned i = 0; i < layout * 100 && i < 512; i += 2) {
        free(held[i]);
        held[i] = NULL;
    }
}

static void child(const struct request *request, pid_t parent, int go)
{
    char byte;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)!read(go, &byte, 1);
    if (getppid() != parent) {
        _exit(0);
    }
    hold_heap(request->layout);
    if (request->is_unpinned) {
        measure(request);
    } else {
        pin(request);
    }
    say("{\"type\":\"counted\",\"path\":\"%s\",\"layout\":%u,\"pid\":%d,\"warmup\":%u,\"n1\":%u,"
        "\"n2\":%u,\"digest\":null,\"clock_reads\":0,\"entropy_reads\":0,\"pid_reads\":0}\n",
        request->name, request->layout, (int)getpid() + (LIE == LIE_PID), request->warmup,
        request->n1, request->n2);
    _exit(0);
}

static void count(const struct request *request)
{
    int go[2];
    int status = 0;
    pid_t parent = getpid();
    if (pipe(go) != 0) {
        exit(1);
    }
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(go[1]);
        child(request, parent, go[0]);
    }
    say("{\"type\":\"start\",\"path\":\"%s\",\"layout\":%u,\"pid\":%d}\n", request->name,
        request->layout, (int)pid);
    (void)close(go[0]);
    (void)close(go[1]);
    (void)waitpid(pid, &status, 0);
    line_count++;
    say("{\"type\":\"exit\",\"path\":\"%s\",\"layout\":%u,\"pid\":%d,\"status\":%d,\"signal\":%d}"
        "\n",
        request->name, request->layout, (int)pid, WIFEXITED(status) ? WEXITSTATUS(status) : 0,
        WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void say_subject(void)
{
    say("{\"type\":\"subject\",\"protocol\":%d,\"kit\":\"none\",%s\"self\":%d,\"compiler\":\"cc\","
        "\"flags\":\"\",\"commit\":null,\"dirty\":[],\"build_id\":null,\"colour\":\"green\"}\n",
        LIE == LIE_PROTOCOL ? 2 : 1, LIE == LIE_KEYS ? "\"self\":0," : "", 1);
}

static void say_path(const char *name, const char *about)
{
    say("{\"type\":\"path\",\"name\":\"%s\",\"about\":\"%s\",\"shapes\":[],\"operations\":[],"
        "\"phases\":[],\"threads\":false}\n",
        name, about);
}

static int list(void)
{
    static char about[5000];
    memset(about, 'a', LIE == LIE_LONG ? sizeof about - 1 : 5);
    say_subject();
    say_path(LIE == LIE_NAME ? "Foreign-Add" : "foreign_add", about);
    if (LIE == LIE_TWICE) {
        say_path("foreign_add", "once more");
    }
    if (LIE == LIE_ABSENT) {
        say_path("foreign_absent", "not there");
    }
    if (LIE == LIE_JSON) {
        say("{\"type\":\"path\",\"name\":\"foreign_cut\"\n");
    }
    while (LIE == LIE_ENDLESS) {
        say("{\"type\":\"news\"}\n");
    }
    return 0;
}

static int find(const char *argument, struct request *request)
{
    unsigned *const numbers[] = {&request->layout, &request->warmup, &request->n1, &request->n2};
    size_t len = strcspn(argument, ",");
    char *at = (char *)argument + len;
    if (len >= sizeof request->name) {
        return 2;
    }
    memcpy(request->name, argument, len);
    request->name[len] = '\0';
    for (size_t i = 0; i < 4; i++) {
        if (*at != ',' || at[1] < '0' || at[1] > '9') {
            return 2;
        }
        *numbers[i] = (unsigned)strtoul(at + 1, &at, 10);
    }
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (strcmp(request->name, paths[i].name) == 0 && (LIE != LIE_SELF || i == 0)) {
            request->call = paths[i].call;
            request->is_unpinned = LIE == LIE_LOOSE || (LIE != LIE_STILL && paths[i].is_unpinned);
            return 0;
        }
    }
    return 2;
}

static int count_all(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        struct request request;
        if (find(argv[i], &request) != 0) {
            return 2;
        }
    }
    say_subject();
    say("{\"type\":\"guest\",\"cpuid\":\"00\"}\n");
    for (int i = 0; i < argc; i++) {
        struct request request;
        (void)find(argv[LIE == LIE_AGAIN ? 0 : i], &request);
        count(&request);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *fd = getenv("CKBENCH_FD");
    int status = 2;
    out_fd = fd != NULL ? (int)strtol(fd, NULL, 10) : 3;
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        status = list();
    } else if (argc > 2 && strcmp(argv[1], "count") == 0) {
        status = count_all(argc - 2, argv + 2);
    }
    if (status == 0 && LIE != LIE_NO_END) {
        say("{\"type\":\"end\",\"lines\":%u}\n", line_count + (LIE == LIE_SHORT ? 1 : 0));
    }
    return status;
}
