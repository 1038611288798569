// SPDX-License-Identifier: MIT
// Every answer that is not "ok" comes with its cure. Checks stand in the order of their names.
#include "doctor_checks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/host.h"
#include "measure/probe.h"
#include "measure/scratch.h"
#include "measure/valgrind.h"

enum { STEAL_WAIT_MS = 200, FREE_MB_MIN = 200, STEAL_MILLI_MAX = 20 };

static struct check *add(struct checks *checks, const char *name, enum check_state state,
                         const char *cure)
{
    struct check *check = &checks->items[checks->count++];
    *check = (struct check){.name = name, .state = state, .is_steady = true};
    (void)snprintf(check->cure, sizeof check->cure, "%s", state == CHECK_OK ? "" : cure);
    return check;
}

__attribute__((format(printf, 2, 3))) static void set_value(struct check *check, const char *format,
                                                            ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(check->value, sizeof check->value, format, args);
    va_end(args);
}

static void add_text(struct checks *checks, const char *name, const char *text)
{
    bool is_known = text[0] != '\0';
    struct check *check = add(checks, name, is_known ? CHECK_OK : CHECK_WARN,
                              "not told by this system; note it yourself beside the figures");
    set_value(check, "%s", is_known ? text : "unknown");
}

static void add_errno(struct checks *checks, const char *name, int error, const char *cure)
{
    struct check *check = add(checks, name, error == 0 ? CHECK_OK : CHECK_WARN, cure);
    set_value(check, "%s", error == 0 ? "allowed" : strerror(error));
}

static void add_fault(struct checks *checks, const char *name, const struct fault *fault)
{
    struct check *check = add(checks, name, CHECK_MISSING, fault->text);
    check->is_needed = true;
    set_value(check, "does not work");
}

static void check_callgrind(struct checks *checks, const struct scratch *scratch)
{
    struct valgrind valgrind = {0};
    struct fault fault = {""};
    if (scratch->path == NULL || !valgrind_find(NULL, scratch, &valgrind, &fault) ||
        !probe_callgrind(&valgrind, scratch, &fault)) {
        add_fault(checks, "callgrind", &fault);
    } else {
        struct check *check = add(checks, "callgrind", CHECK_OK, "");
        check->is_needed = true;
        set_value(check, "valgrind %s at %s", valgrind.version, valgrind.path);
    }
    valgrind_release(&valgrind);
}

static void check_cpu(struct checks *checks, const struct host *host)
{
    char lacking[128];
    add_text(checks, "cpu", host->cpu);
    struct check *cores = add(checks, "cpu-cores", host->cores >= 2 ? CHECK_OK : CHECK_WARN,
                              "give it two cores: head and base are counted side by side");
    set_value(cores, "%ld", host->cores);
    probe_lacking(lacking, sizeof lacking);
    struct check *guest =
        add(checks, "cpu-guest", lacking[0] == '\0' ? CHECK_OK : CHECK_WARN,
            "code that chooses by CPUID is counted on its other branch; build without "
            "-march=native, or it dies of SIGILL");
    if (lacking[0] == '\0') {
        set_value(guest, "valgrind has all of it");
    } else {
        set_value(guest, "valgrind lacks %s", lacking);
    }
}

static void check_governor(struct checks *checks, const struct host *host)
{
    bool is_told = host->governor[0] != '\0';
    bool is_good = !is_told || strcmp(host->governor, "performance") == 0;
    struct check *check = add(checks, "governor", is_good ? CHECK_OK : CHECK_WARN,
                              "for times, not for counts: cpupower frequency-set -g performance");
    set_value(check, "%s", is_told ? host->governor : "none");
}

static void check_load(struct checks *checks, const struct host *host)
{
    bool is_good = host->load_milli >= 0 && host->load_milli < host->cores * 1000;
    struct check *check = add(checks, "load", is_good ? CHECK_OK : CHECK_WARN,
                              "for times, not for counts: wait until the machine is idle");
    check->is_steady = false;
    if (host->load_milli < 0) {
        set_value(check, "unknown");
    } else {
        set_value(check, "%" PRId64 ".%02" PRId64, host->load_milli / 1000,
                  host->load_milli % 1000 / 10);
    }
}

static void check_steal(struct checks *checks)
{
    struct host_ticks before;
    struct host_ticks after;
    const struct timespec wait = {.tv_nsec = STEAL_WAIT_MS * 1000000L};
    host_ticks_read(&before);
    (void)nanosleep(&wait, NULL);
    host_ticks_read(&after);
    int64_t milli = host_steal_milli(&before, &after);
    struct check *check =
        add(checks, "steal", milli >= 0 && milli <= STEAL_MILLI_MAX ? CHECK_OK : CHECK_WARN,
            "for times, not for counts: the hypervisor takes time away; use another host");
    check->is_steady = false;
    if (milli < 0) {
        set_value(check, "unknown");
    } else {
        set_value(check, "%" PRId64 ".%" PRId64 " %%", milli / 10, milli % 10);
    }
}

static const char *temporary_directory(void)
{
    const char *dir = getenv("TMPDIR");
    return dir != NULL && dir[0] != '\0' ? dir : "/tmp";
}

static void check_space(struct checks *checks, bool is_writable, const struct fault *fault)
{
    if (!is_writable) {
        add_fault(checks, "tmpdir", fault);
        return;
    }
    int64_t mb = probe_free_bytes(temporary_directory()) >> 20;
    struct check *check = add(checks, "tmpdir", mb >= FREE_MB_MIN ? CHECK_OK : CHECK_WARN,
                              "make room, or set TMPDIR to a directory that has 200 MB");
    check->is_needed = true;
    check->is_steady = false;
    set_value(check, "%" PRId64 " MB free", mb);
}

void checks_make(struct checks *checks)
{
    checks->count = 0;
    struct host host;
    struct scratch scratch = {0};
    struct fault fault = {""};
    host_read(&host);
    bool is_writable = scratch_open(&scratch, &fault);
    add_errno(checks, "address-randomisation", probe_personality(),
              "the thread sanitizer may need it off: setarch -R; counts do not");
    if (is_writable) {
        check_callgrind(checks, &scratch);
    } else {
        add_fault(checks, "callgrind", &fault);
    }
    check_cpu(checks, &host);
    check_governor(checks, &host);
    add_text(checks, "kernel", host.kernel);
    add_text(checks, "libc", host.libc);
    check_load(checks, &host);
    add_errno(checks, "perf-events", probe_perf(),
              "hardware counters are not offered here (sysctl kernel.perf_event_paranoid, or "
              "the hypervisor); counts do not need them");
    add_errno(checks, "ptrace", probe_ptrace(),
              "debuggers cannot attach here (container policy); counts do not need it");
    check_steal(checks);
    check_space(checks, is_writable, &fault);
    add_text(checks, "virtualisation", host.virtualisation);
    scratch_close(&scratch);
}

bool checks_can_ir(const struct checks *checks)
{
    for (size_t i = 0; i < checks->count; i++) {
        if (checks->items[i].is_needed && checks->items[i].state == CHECK_MISSING) {
            return false;
        }
    }
    return true;
}
