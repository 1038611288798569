// SPDX-License-Identifier: MIT
// Each probe does the thing itself in the smallest form: version numbers and file modes say little
// inside a container.
#include "measure/probe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#    include <cpuid.h>
#endif

#include "measure/proc.h"

enum { CALLGRIND_TIMEOUT_MS = 60 * 1000 };

static const char *const true_argv[] = {"/bin/true", NULL};

// A dump that callgrind finished: it begins with its format and ends with totals.
static bool check_dump(const char *dir, long pid, struct fault *fault)
{
    char path[512];
    char text[16384];
    (void)snprintf(path, sizeof path, "%s/%ld.out", dir, pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return fault_set(fault, "callgrind wrote no dump; install a working valgrind");
    }
    size_t len = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[len] = '\0';
    return (strstr(text, "creator: callgrind") != NULL && strstr(text, "\ntotals:") != NULL) ||
           fault_set(fault, "callgrind's dump of %s has no totals; install a working valgrind",
                     true_argv[0]);
}

static bool run_true(struct valgrind_command *command, const char *dir, struct fault *fault)
{
    char how[96];
    char out[512];
    char err[512];
    struct proc_result result;
    (void)snprintf(out, sizeof out, "%s/out", dir);
    (void)snprintf(err, sizeof err, "%s/err", dir);
    const struct proc_task task = {.spec = {.argv = (const char *const *)command->argv,
                                            .env = (const char *const *)command->env,
                                            .dir = dir,
                                            .out_path = out,
                                            .err_path = err,
                                            .timeout_ms = CALLGRIND_TIMEOUT_MS}};
    if (!proc_run(&task, &result, fault)) {
        return false;
    }
    if (result.end != PROC_EXITED || result.status != 0) {
        return fault_set(fault, "callgrind of %s %s; install a working valgrind", true_argv[0],
                         proc_end_text(&result, how, sizeof how));
    }
    return check_dump(dir, (long)result.pid, fault);
}

bool probe_callgrind(const struct valgrind *valgrind, const struct scratch *scratch,
                     struct fault *fault)
{
    const struct valgrind_settings settings = {0};
    struct valgrind_command command = {NULL, NULL};
    bool is_good = false;
    char *dir = scratch_dir(scratch, "callgrind-probe", fault);
    if (dir == NULL ||
        !valgrind_command_init(&command, valgrind, &settings, dir, true_argv, fault)) {
        goto done;
    }
    is_good = run_true(&command, dir, fault);
done:
    valgrind_command_release(&command);
    free(dir);
    return is_good;
}

#ifdef __x86_64__
static void add_word(char *out, size_t size, const char *word)
{
    size_t len = strlen(out);
    (void)snprintf(out + len, size - len, "%s%s", len > 0 ? ", " : "", word);
}

// Leaf 7 of CPUID against what valgrind 3.19 was seen to die of.
void probe_lacking(char *out, size_t size)
{
    enum { EBX, ECX };
    static const struct {
        const char *word;
        int word_index;
        int bit;
    } rows[] = {{"AVX-512", EBX, 16}, {"SHA", EBX, 29}, {"CLWB", EBX, 24},
                {"GFNI", ECX, 8},     {"VAES", ECX, 9}, {"RDPID", ECX, 22}};
    unsigned a;
    unsigned words[2];
    unsigned d;
    out[0] = '\0';
    if (__get_cpuid_count(7, 0, &a, &words[EBX], &words[ECX], &d) == 0) {
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if ((words[rows[i].word_index] & 1U << rows[i].bit) != 0) {
            add_word(out, size, rows[i].word);
        }
    }
}
#else
void probe_lacking(char *out, size_t size)
{
    (void)size;
    out[0] = '\0';
}
#endif

int probe_perf(void)
{
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.disabled = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    (void)close((int)fd);
    return 0;
}

int probe_personality(void)
{
    int before = personality(0xffffffff);
    if (before < 0) {
        return errno;
    }
    if (personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0) {
        return errno;
    }
    (void)personality((unsigned long)before);
    return 0;
}

int probe_ptrace(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid < 0) {
        return ECHILD;
    }
    if (pid == 0) {
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : errno);
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return ECHILD;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

int64_t probe_free_bytes(const char *path)
{
    struct statvfs info;
    if (statvfs(path, &info) != 0) {
        return -1;
    }
    return (int64_t)info.f_bavail * (int64_t)info.f_frsize;
}
