// SPDX-License-Identifier: MIT
// The method as text: flags and variables. Nothing is inherited: VALGRIND_OPTS and the two
// .valgrindrc files can turn a count into 0, tunables and locales move it.
#include "measure/valgrind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/proc.h"

enum { VERSION_TIMEOUT_MS = 10 * 1000, OLDEST_MAJOR = 3, OLDEST_MINOR = 15 };

// glibc: no threshold that moves with the heap, one arena whatever the number of processors, and
// no `rep movs`, which callgrind counts as one instruction a byte.
#define TUNABLES                                                                                   \
    "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=1073741824:"               \
    "glibc.malloc.top_pad=16777216:glibc.malloc.arena_max=1:glibc.cpu.hwcaps=-ERMS,-FSRM"

static const char *const native_env[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC0",
                                         "CKBENCH_FD=3", NULL};

static const char *const counted_env[] = {"LD_BIND_NOW=1", "GLIBC_TUNABLES=" TUNABLES};

static const char *const fixed_flags[] = {
    "--command-line-only=yes",  // no VALGRIND_OPTS, no .valgrindrc
    "-q",                       // logs hold problems only
    "--vgdb=no",                // no pipes in /tmp; monitor requests work without
    "--sigill-diagnostics=yes", // -q would hide the bytes of the instruction
    "--tool=callgrind",         //
    "--instr-atstart=no",       // start-up runs fast and counts nothing
    "--separate-threads=yes",   // a spinning thread must not drown the measured one
    "--combine-dumps=yes",      // one file a process
    "--compress-strings=no",    // names in full, so a line stands for itself
    "--compress-pos=no",        //
    "--collect-systime=nsec",   // system calls beside instructions
};

const char *valgrind_tunables(void)
{
    return TUNABLES;
}

const char *const *valgrind_native_env(void)
{
    return native_env;
}

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

// The first `valgrind` in a list of directories; relative ones are passed over, as the child runs
// elsewhere.
static char *search(const char *directories)
{
    for (const char *from = directories; *from != '\0';) {
        size_t length = strcspn(from, ":");
        char *path = NULL;
        if (*from == '/' && asprintf(&path, "%.*s/valgrind", (int)length, from) > 0) {
            if (is_program(path)) {
                return path;
            }
            free(path);
        }
        from += length + (from[length] == ':');
    }
    return NULL;
}

// "valgrind-3.19.0" or "valgrind-3.19.0.GIT", alone on the first line.
static bool parse_version(const char *text, struct valgrind *valgrind)
{
    static const char prefix[] = "valgrind-";
    char *end = NULL;
    if (strncmp(text, prefix, sizeof prefix - 1) != 0) {
        return false;
    }
    const char *version = text + sizeof prefix - 1;
    size_t length = strcspn(version, "\n");
    if (length == 0 || length >= sizeof valgrind->version || version[0] < '0' || version[0] > '9') {
        return false;
    }
    long major = strtol(version, &end, 10);
    if (*end != '.' || end[1] < '0' || end[1] > '9') {
        return false;
    }
    long minor = strtol(end + 1, &end, 10);
    if (major > 999 || minor > 999 ||
        strspn(end, ".0123456789-+_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                    "abcdefghijklmnopqrstuvwxyz") < (size_t)(version + length - end)) {
        return false;
    }
    valgrind->major = (int)major;
    valgrind->minor = (int)minor;
    memcpy(valgrind->version, version, length);
    valgrind->version[length] = '\0';
    return true;
}

static size_t read_start(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(text, 1, size - 1, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    text[length] = '\0';
    return length;
}

static bool judge_version(struct valgrind *valgrind, const struct proc_result *result,
                          const char *out_path, struct fault *fault)
{
    char text[128] = "";
    char how[96];
    size_t length = read_start(out_path, text, sizeof text);
    if (result->end != PROC_EXITED || result->status != 0) {
        return fault_set(fault, "%s --version %s; install a working valgrind", valgrind->path,
                         proc_end_text(result, how, sizeof how));
    }
    if (strlen(text) != length || !parse_version(text, valgrind)) {
        return fault_set(fault,
                         "%s --version answered \"%.40s\", which is no valgrind's; install "
                         "a working valgrind",
                         valgrind->path, text);
    }
    if (valgrind->major < OLDEST_MAJOR ||
        (valgrind->major == OLDEST_MAJOR && valgrind->minor < OLDEST_MINOR)) {
        return fault_set(fault, "%s is %s; install valgrind %d.%d or newer", valgrind->path,
                         valgrind->version, OLDEST_MAJOR, OLDEST_MINOR);
    }
    return true;
}

static bool ask_version(struct valgrind *valgrind, const struct scratch *scratch,
                        struct fault *fault)
{
    char *dir = scratch_dir(scratch, "valgrind-version", fault);
    char *out_path = NULL;
    char *err_path = NULL;
    bool good = false;
    if (dir == NULL) {
        return false;
    }
    if (asprintf(&out_path, "%s/stdout", dir) > 0 && asprintf(&err_path, "%s/stderr", dir) > 0) {
        const char *const argv[] = {valgrind->path, "--version", NULL};
        const struct proc_task task = {.spec = {.argv = argv,
                                                .env = native_env,
                                                .dir = dir,
                                                .out_path = out_path,
                                                .err_path = err_path,
                                                .timeout_ms = VERSION_TIMEOUT_MS}};
        struct proc_result result;
        good = proc_run(&task, &result, fault) && judge_version(valgrind, &result, out_path, fault);
    } else {
        (void)fault_set(fault, "out of memory");
    }
    free(out_path);
    free(err_path);
    scratch_remove(dir);
    free(dir);
    return good;
}

bool valgrind_find(const char *search_path, const struct scratch *scratch,
                   struct valgrind *valgrind, struct fault *fault)
{
    const char *directories = search_path != NULL ? search_path : getenv("PATH");
    *valgrind = (struct valgrind){.path = search(directories != NULL ? directories : "/usr/bin")};
    if (valgrind->path == NULL) {
        return fault_set(fault, "valgrind is not in PATH; install it (Debian: apt-get install "
                                "valgrind)");
    }
    if (!ask_version(valgrind, scratch, fault)) {
        valgrind_release(valgrind);
        return false;
    }
    return true;
}

void valgrind_release(struct valgrind *valgrind)
{
    free(valgrind->path);
    *valgrind = (struct valgrind){.path = NULL};
}

// A growing NULL-terminated list of owned strings.
struct list {
    char **items;
    size_t count;
    bool failed;
};

static void append_owned(struct list *list, char *text)
{
    char **items = realloc(list->items, (list->count + 2) * sizeof *items);
    if (items == NULL || text == NULL) {
        list->items = items != NULL ? items : list->items;
        list->failed = true;
        free(text);
        return;
    }
    items[list->count++] = text;
    items[list->count] = NULL;
    list->items = items;
}

static void append(struct list *list, const char *text)
{
    append_owned(list, strdup(text));
}

// "PREFIX DIR SUFFIX" without the blanks; a '%' in the directory is doubled, as valgrind reads it.
static void append_file(struct list *list, const char *prefix, const char *dir, const char *suffix)
{
    char *text = malloc(strlen(prefix) + 2 * strlen(dir) + strlen(suffix) + 1);
    if (text != NULL) {
        char *end = stpcpy(text, prefix);
        for (const char *c = dir; *c != '\0'; c++) {
            *end++ = *c;
            if (*c == '%') {
                *end++ = '%';
            }
        }
        (void)stpcpy(end, suffix);
    }
    append_owned(list, text);
}

static void append_padding(struct list *list, size_t bytes)
{
    static const char name[] = "CKBENCH_PAD=";
    char *text = malloc(sizeof name + bytes);
    if (text != NULL) {
        memcpy(text, name, sizeof name);
        memset(text + sizeof name - 1, 'x', bytes);
        text[sizeof name - 1 + bytes] = '\0';
    }
    append_owned(list, text);
}

static struct list build_argv(const struct valgrind *valgrind,
                              const struct valgrind_settings *settings, const char *dump_dir,
                              const char *const *subject_argv)
{
    struct list argv = {0};
    append(&argv, valgrind->path);
    for (size_t i = 0; i < sizeof fixed_flags / sizeof fixed_flags[0]; i++) {
        append(&argv, fixed_flags[i]);
    }
    if (settings->cache_sim) {
        // A fixed geometry: the host's own would make figures of two machines differ.
        append(&argv, "--cache-sim=yes");
        append(&argv, "--I1=32768,8,64");
        append(&argv, "--D1=32768,8,64");
        append(&argv, "--LL=8388608,16,64");
    }
    append_file(&argv, "--callgrind-out-file=", dump_dir, "/%p.out");
    append_file(&argv, "--log-file=", dump_dir, "/%p.log");
    append(&argv, "--");
    for (size_t i = 0; subject_argv[i] != NULL; i++) {
        append(&argv, subject_argv[i]);
    }
    return argv;
}

static struct list build_env(const struct valgrind_settings *settings)
{
    struct list env = {0};
    for (size_t i = 0; native_env[i] != NULL; i++) {
        append(&env, native_env[i]);
    }
    for (size_t i = 0; i < sizeof counted_env / sizeof counted_env[0]; i++) {
        append(&env, counted_env[i]);
    }
    if (settings->pad_bytes > 0) {
        append_padding(&env, settings->pad_bytes);
    }
    return env;
}

bool valgrind_command_init(struct valgrind_command *command, const struct valgrind *valgrind,
                           const struct valgrind_settings *settings, const char *dump_dir,
                           const char *const *subject_argv, struct fault *fault)
{
    struct list argv = build_argv(valgrind, settings, dump_dir, subject_argv);
    struct list env = build_env(settings);
    *command = (struct valgrind_command){.argv = argv.items, .env = env.items};
    if (argv.failed || env.failed) {
        valgrind_command_release(command);
        return fault_set(fault, "out of memory");
    }
    return true;
}

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
        free(list[i]);
    }
    free(list);
}

void valgrind_command_release(struct valgrind_command *command)
{
    free_list(command->argv);
    free_list(command->env);
    *command = (struct valgrind_command){.argv = NULL};
}
