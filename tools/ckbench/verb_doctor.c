// SPDX-License-Identifier: MIT
// `ckbench doctor`: what this host can measure. One row a question, asked by doing the thing; each
// answer that is not "ok" comes with its cure.
#include "verb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/exit.h"
#include "cli/opt.h"
#include "cli/say.h"
#include "cli/term.h"
#include "cli/tool.h"
#include "measure/host.h"
#include "measure/interrupt.h"
#include "measure/probe.h"
#include "measure/scratch.h"
#include "measure/valgrind.h"
#include "render/table.h"
#include "store/document.h"
#include "store/json_out.h"
#include "store/provenance.h"

enum { STEAL_WAIT_MS = 200, FREE_MB_MIN = 200, STEAL_MILLI_MAX = 20, CHECKS_MAX = 24 };

struct doctor_options {
    bool json;
    int color;
};

static const struct doctor_options doctor_defaults = {.color = TERM_AUTO};

static const struct opt doctor_rows[] = {
    OPT_FLAG(struct doctor_options, json, "json", 0, "print one JSON document"),
    OPT_COLOR(struct doctor_options, color),
};

static const struct opt_table doctor_table = {
    .verb = "doctor",
    .about = "say what this host can measure; exit code 0 when `ckbench ir` can run, else 3",
    .rows = doctor_rows,
    .row_count = OPT_ROWS(doctor_rows),
    .defaults = &doctor_defaults,
    .size = sizeof doctor_defaults,
    .example = "ckbench doctor --json",
};

enum check_state { CHECK_OK, CHECK_WARN, CHECK_MISSING };
static const char *const state_words[] = {"ok", "warn", "missing"};

struct check {
    const char *name;
    enum check_state state;
    bool is_needed; // by `ir`
    bool is_steady; // the same at every run on this host
    char value[256];
    char cure[384];
};

struct checks {
    struct check items[CHECKS_MAX]; // filled in the order of their names
    size_t count;
};

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

static void check_all(struct checks *checks)
{
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

static bool can_ir(const struct checks *checks)
{
    for (size_t i = 0; i < checks->count; i++) {
        if (checks->items[i].is_needed && checks->items[i].state == CHECK_MISSING) {
            return false;
        }
    }
    return true;
}

static void put_checks(struct json_out *out, const char *key, const struct checks *checks,
                       bool is_steady)
{
    json_begin_array(out, key);
    for (size_t i = 0; i < checks->count; i++) {
        const struct check *check = &checks->items[i];
        if (check->is_steady != is_steady) {
            continue;
        }
        json_put_space(out, "\n");
        json_begin_object(out, NULL);
        json_put_text(out, "name", check->name);
        json_put_text(out, "state", state_words[check->state]);
        json_put_bool(out, "needed_by_ir", check->is_needed);
        json_put_text(out, "value", check->value);
        json_put_text(out, "cure", check->cure[0] != '\0' ? check->cure : NULL);
        json_end_object(out);
    }
    json_end_array(out);
}

static void put_body(struct json_out *out, const struct checks *checks)
{
    json_begin_object(out, NULL);
    json_put_text(out, "schema", "ckbench/doctor/1");
    json_put_bool(out, "can_ir", can_ir(checks));
    put_checks(out, "checks", checks, true);
    json_end_object(out);
}

// What changes from run to run is provenance.
static void put_provenance(struct json_out *out, const struct checks *checks, int argc, char **argv)
{
    const struct provenance_tool tool = {
        .version = tool_version(), .commit = tool_commit(), .argc = argc, .argv = argv};
    json_begin_object(out, NULL);
    provenance_put_tool(out, &tool);
    put_checks(out, "now", checks, false);
    json_end_object(out);
}

static bool print_json(const struct checks *checks, int argc, char **argv, struct fault *fault)
{
    struct json_out body = JSON_OUT_INIT;
    struct json_out provenance = JSON_OUT_INIT;
    put_body(&body, checks);
    put_provenance(&provenance, checks, argc, argv);
    bool is_good = document_print(stdout, &body, &provenance, fault);
    json_out_release(&body);
    json_out_release(&provenance);
    return is_good;
}

static bool print_table(const struct checks *checks, const struct doctor_options *options,
                        struct fault *fault)
{
    static const enum table_tone tones[] = {TABLE_GOOD, TABLE_CAUTION, TABLE_BAD};
    static const struct table_column columns[] = {
        {"check", TABLE_LEFT, false}, {"state", TABLE_LEFT, false}, {"value", TABLE_LEFT, true}};
    struct table table;
    table_init(&table, columns, 3);
    for (size_t i = 0; i < checks->count; i++) {
        const struct check *check = &checks->items[i];
        table_add(&table, "%s", check->name);
        table_add_tone(&table, tones[check->state], state_words[check->state]);
        table_add(&table, "%s", check->value);
    }
    const struct table_style style = {.has_color =
                                          term_has_color(stdout, (enum term_when)options->color),
                                      .columns = term_columns(stdout)};
    bool is_good = table_print(&table, stdout, style) || fault_set(fault, "no memory");
    table_release(&table);
    (void)putchar('\n');
    for (size_t i = 0; i < checks->count; i++) {
        if (checks->items[i].cure[0] != '\0') {
            (void)printf("%s: %s\n", checks->items[i].name, checks->items[i].cure);
        }
    }
    (void)printf("\nckbench ir %s here\n", can_ir(checks) ? "can run" : "cannot run");
    return is_good;
}

static int examine(const struct doctor_options *options, int argc, char **argv)
{
    struct fault fault;
    struct checks checks = {.count = 0};
    check_all(&checks);
    if (interrupt_seen() != 0) {
        return EXIT_INCOMPLETE;
    }
    interrupt_remove(); // a signal may end us while we wait for a reader
    bool is_printed = options->json ? print_json(&checks, argc, argv, &fault)
                                    : print_table(&checks, options, &fault);
    if (!is_printed) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    return can_ir(&checks) ? EXIT_GOOD : EXIT_INCOMPLETE;
}

static int doctor_run(int argc, char **argv)
{
    int code;
    struct fault fault;
    struct doctor_options options;
    if (!opt_read(&doctor_table, argc, argv, &options, &code)) {
        return code;
    }
    if (!interrupt_install(&fault)) {
        return say_fault(EXIT_INCOMPLETE, &fault);
    }
    code = examine(&options, argc, argv);
    int signal = interrupt_seen();
    interrupt_remove();
    return signal != 0 ? exit_by_signal(signal) : code;
}

const struct verb verb_doctor = {"doctor", "say what this host can measure", doctor_run};
