// SPDX-License-Identifier: MIT
// The environment is built from nothing: what a variable may be called is decided here, whatever
// ckbench was started with.
#include "measure/clean_command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "measure/proc.h"
#include "measure/slurp.h"
#include "measure/tail.h"

// What a build may see. CCACHE_REMOTE_STORAGE and proxies are left out: they may hold passwords.
static const struct variable {
    const char *name;
    bool matters; // to what is built, not only to how fast
} variables[] = {
    {"PATH", true},
    {"CC", true},
    {"CXX", true},
    {"AR", true},
    {"LD", true},
    {"CFLAGS", true},
    {"CXXFLAGS", true},
    {"CPPFLAGS", true},
    {"LDFLAGS", true},
    {"CPATH", true},
    {"C_INCLUDE_PATH", true},
    {"CPLUS_INCLUDE_PATH", true},
    {"LIBRARY_PATH", true},
    {"LD_LIBRARY_PATH", true},
    {"PKG_CONFIG_PATH", true},
    {"PKG_CONFIG_LIBDIR", true},
    {"CMAKE_PREFIX_PATH", true},
    {"CMAKE_GENERATOR", true},
    {"CMAKE_BUILD_TYPE", true},
    {"SOURCE_DATE_EPOCH", true},
    {"HOME", false},
    {"TMPDIR", false},
    {"XDG_CACHE_HOME", false},
    {"XDG_CONFIG_HOME", false},
    {"CMAKE_BUILD_PARALLEL_LEVEL", false},
    {"CMAKE_C_COMPILER_LAUNCHER", false},
    {"CMAKE_CXX_COMPILER_LAUNCHER", false},
    {"CCACHE_DIR", false},
    {"CCACHE_BASEDIR", false},
    {"CCACHE_NOHASHDIR", false},
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

static const char *const fixed[] = {"LC_ALL=C", "TZ=UTC0"};

// Ours asks nobody, fetches nothing from a network, and leaves replaced and large files alone.
static const char *const for_git[] = {
    "GIT_TERMINAL_PROMPT=0",    "GIT_ALLOW_PROTOCOL=file", "GIT_NO_LAZY_FETCH=1",
    "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0",    "GIT_LFS_SKIP_SMUDGE=1",
};
enum {
    FIXED = sizeof fixed / sizeof fixed[0],
    FOR_GIT = sizeof for_git / sizeof for_git[0],
};

static const char *const tools[] = {"cc", "gcc", "clang", "c++", "g++", "clang++", "as", "ld"};
enum { TOOLS = sizeof tools / sizeof tools[0] };

struct environment {
    const char *items[FIXED + FOR_GIT + VARIABLES + 1];
    char *texts[VARIABLES];
    size_t count, text_count;
};

static bool fill(struct environment *env, bool is_git)
{
    for (size_t i = 0; is_git && i < FOR_GIT; i++) {
        env->items[env->count++] = for_git[i];
    }
    for (size_t i = 0; i < FIXED; i++) {
        env->items[env->count++] = fixed[i];
    }
    for (size_t i = 0; i < VARIABLES; i++) {
        const char *value = getenv(variables[i].name);
        if (value == NULL) {
            continue;
        }
        char *text = NULL;
        if (asprintf(&text, "%s=%s", variables[i].name, value) < 0) {
            return false;
        }
        env->texts[env->text_count++] = text;
        env->items[env->count++] = text;
    }
    return true;
}

static void empty(struct environment *env)
{
    for (size_t i = 0; i < env->text_count; i++) {
        free(env->texts[i]);
    }
}

static bool name_file(char out[PATH_MAX], const struct scratch *scratch, const char *name)
{
    int len = snprintf(out, PATH_MAX, "%s/%s", scratch->path, name);
    return len > 0 && len < PATH_MAX;
}

static bool ended(const struct command *command, const struct proc_result *result, int *status,
                  struct fault *fault)
{
    char how[128];
    *status = result->status;
    return result->end == PROC_EXITED ||
           fault_set(fault, "%s %s", command->words[0], proc_end_text(result, how, sizeof how));
}

bool command_run(const struct command *command, const struct scratch *scratch, int *status,
                 struct fault *fault)
{
    // Descriptor 3 is for subjects' answers.
    static const char plain[] = "exec 3>&-; exec \"$@\"", joined[] = "exec 3>&- 2>&1; exec \"$@\"";
    const char *argv[COMMAND_WORDS + 5] = {"/bin/sh", "-c", command->log != NULL ? joined : plain,
                                           "sh"};
    struct environment env = {.count = 0};
    char out[PATH_MAX], complaints[PATH_MAX];
    struct proc_result result;
    for (size_t i = 0; i < COMMAND_WORDS && command->words[i] != NULL; i++) {
        argv[4 + i] = command->words[i];
    }
    if (!name_file(out, scratch, "command.out") || !name_file(complaints, scratch, "command.err")) {
        return fault_set(fault, "TMPDIR: the path is too long");
    }
    const struct proc_task task = {.spec = {.argv = argv,
                                            .env = env.items,
                                            .dir = command->dir,
                                            .out_path = command->log != NULL ? command->log : out,
                                            .err_path = complaints,
                                            .timeout_ms = command->timeout_ms}};
    bool ok = (fill(&env, command->is_git) || fault_set(fault, "out of memory")) &&
              proc_run(&task, &result, fault) && ended(command, &result, status, fault);
    empty(&env);
    return ok;
}

char *command_out(const struct scratch *scratch)
{
    char path[PATH_MAX], *text = NULL;
    size_t size = 0;
    if (!name_file(path, scratch, "command.out") ||
        !slurp_file(path, PROC_OUTPUT_KEPT - 1, &text, &size, NULL)) {
        return NULL;
    }
    return text;
}

char *command_complaint(const struct scratch *scratch)
{
    char path[PATH_MAX];
    char *line = name_file(path, scratch, "command.err") ? tail_read(path, 0, 1) : NULL;
    if (line != NULL) {
        line[strcspn(line, "\n")] = '\0';
    }
    return line;
}

// Where PATH leads `tool`, and what lies there; nothing when it leads nowhere.
static void put_tool(FILE *stream, const char *tool)
{
    const char *directories = getenv("PATH");
    for (const char *at = directories; at != NULL && *at != '\0'; at += *at == ':') {
        size_t len = strcspn(at, ":");
        char path[PATH_MAX];
        struct stat st;
        int room = snprintf(path, sizeof path, "%.*s/%s", (int)len, at, tool);
        if (room > 0 && (size_t)room < sizeof path && stat(path, &st) == 0) {
            (void)fprintf(stream, "%s %lld %lld\n", path, (long long)st.st_size,
                          (long long)st.st_mtime);
            return;
        }
        at += len;
    }
}

char *command_conditions(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < VARIABLES; i++) {
        const char *value = variables[i].matters ? getenv(variables[i].name) : NULL;
        if (value != NULL) {
            (void)fprintf(stream, "%s=%s\n", variables[i].name, value);
        }
    }
    for (size_t i = 0; i < TOOLS; i++) {
        put_tool(stream, tools[i]);
    }
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
