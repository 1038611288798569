// SPDX-License-Identifier: MIT
#include "measure/ab_linker.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/proc.h"
#include "measure/slurp.h"
#include "measure/tail.h"

enum { TIMEOUT_MS = 60000, LOG_MAX = 64 << 20, VARIABLES_MAX = 128 };

static const char BINDING[] = "binding file ";
static const char INIT[] = "calling init: ";

// The program's interpreter; "": none.
static void find_interpreter(const char *subject, char out[PATH_MAX])
{
    Elf64_Ehdr head;
    int fd = open(subject, O_RDONLY | O_CLOEXEC);
    bool is_good = fd >= 0 && pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head &&
                   memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                   head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_phentsize == sizeof(Elf64_Phdr);
    out[0] = '\0';
    for (unsigned i = 0; is_good && i < head.e_phnum && out[0] == '\0'; i++) {
        Elf64_Phdr segment;
        off_t at = (off_t)(head.e_phoff + i * sizeof segment);
        if (pread(fd, &segment, sizeof segment, at) == (ssize_t)sizeof segment &&
            segment.p_type == PT_INTERP && segment.p_filesz < PATH_MAX &&
            pread(fd, out, segment.p_filesz, (off_t)segment.p_offset) ==
                (ssize_t)segment.p_filesz) {
            out[segment.p_filesz] = '\0';
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

struct start {
    const char *const *argv;
    const char *const *env;
    const char *dir;
};

static bool run(const struct start *start, struct proc_result *result, struct fault *fault)
{
    char out[PATH_MAX], err[PATH_MAX];
    (void)snprintf(out, sizeof out, "%s/stdout", start->dir);
    (void)snprintf(err, sizeof err, "%s/stderr", start->dir);
    const struct proc_task task = {.spec = {.argv = start->argv,
                                            .env = start->env,
                                            .dir = start->dir,
                                            .out_path = out,
                                            .err_path = err,
                                            .timeout_ms = TIMEOUT_MS}};
    return proc_run(&task, result, fault);
}

// `env` without preloads, behind it the texts of `more`.
static bool extend(const char *const *env, bool with_preloads, const char *const *more,
                   const char **out)
{
    size_t count = 0;
    for (int part = 0; part < 2; part++) {
        for (const char *const *at = part == 0 ? env : more; *at != NULL; at++) {
            if (!with_preloads && strncmp(*at, "LD_PRELOAD=", 11) == 0) {
                continue;
            }
            if (count == VARIABLES_MAX - 1) {
                return false;
            }
            out[count++] = *at;
        }
    }
    out[count] = NULL;
    return true;
}

bool ab_linker_list(const char *subject, const char *const *env, const struct scratch *scratch,
                    char **text, struct fault *fault)
{
    char interpreter[PATH_MAX], out[PATH_MAX];
    const char *variables[VARIABLES_MAX], *const none[] = {NULL};
    struct proc_result result;
    size_t size;
    *text = NULL;
    find_interpreter(subject, interpreter);
    if (interpreter[0] == '\0' || !extend(env, false, none, variables)) {
        return true;
    }
    char *dir = scratch_dir(scratch, "tunables", fault);
    if (dir == NULL) {
        return false;
    }
    const char *const argv[] = {interpreter, "--list-tunables", NULL};
    (void)snprintf(out, sizeof out, "%s/stdout", dir);
    bool is_good = run(&(struct start){argv, variables, dir}, &result, fault);
    if (is_good && result.end == PROC_EXITED && result.status == 0) {
        is_good = slurp_file(out, LOG_MAX, text, &size, fault);
    }
    scratch_remove(dir);
    free(dir);
    return is_good;
}

static bool judge(const char *subject, const struct proc_result *result, const char *dir,
                  struct fault *fault)
{
    char how[128], err[PATH_MAX];
    if (result->end == PROC_EXITED && result->status == 0) {
        return true;
    }
    (void)snprintf(err, sizeof err, "%s/stderr", dir);
    char *last = tail_read(err, 0, 1);
    (void)fault_set(fault, "%s list %s%s%.200s", subject, proc_end_text(result, how, sizeof how),
                    last != NULL ? ": " : "", last != NULL ? last : "");
    free(last);
    return false;
}

static bool log_in(const char *subject, const char *const *env, const char *dir, char **text,
                   struct fault *fault)
{
    char output[PATH_MAX], path[PATH_MAX + 16];
    const char *variables[VARIABLES_MAX];
    struct proc_result result;
    size_t size;
    (void)snprintf(output, sizeof output, "LD_DEBUG_OUTPUT=%s/log", dir);
    const char *const more[] = {"LD_DEBUG=files,bindings", "LD_BIND_NOW=1", output, NULL};
    const char *const argv[] = {subject, "list", NULL};
    if (!extend(env, true, more, variables)) {
        return fault_set(fault, "too many variables");
    }
    if (!run(&(struct start){argv, variables, dir}, &result, fault) ||
        !judge(subject, &result, dir, fault)) {
        return false;
    }
    (void)snprintf(path, sizeof path, "%s/log.%ld", dir, (long)result.pid);
    if (access(path, F_OK) == 0) {
        return slurp_file(path, LOG_MAX, text, &size, fault);
    }
    *text = strdup("");
    return *text != NULL || fault_set(fault, "out of memory");
}

bool ab_linker_log(const char *subject, const char *const *env, const struct scratch *scratch,
                   char **text, struct fault *fault)
{
    *text = NULL;
    char *dir = scratch_dir(scratch, "linker", fault);
    if (dir == NULL) {
        return false;
    }
    bool is_good = log_in(subject, env, dir, text, fault);
    scratch_remove(dir);
    free(dir);
    return is_good;
}

const char *ab_linker_tunable(const char *list, const char *name, size_t *len)
{
    size_t name_len = strlen(name);
    for (const char *line = list; line != NULL && *line != '\0';) {
        if (strncmp(line, name, name_len) == 0 && strncmp(line + name_len, ": ", 2) == 0) {
            *len = strcspn(line + name_len + 2, " \n");
            return line + name_len + 2;
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return NULL;
}

bool ab_linker_binding(const char *log, const char *symbol, char owner[PATH_MAX])
{
    char words[128];
    (void)snprintf(words, sizeof words, "normal symbol `%s'", symbol);
    const char *at = strstr(log, words);
    if (at == NULL) {
        return false;
    }
    const char *line = at;
    while (line > log && line[-1] != '\n') {
        line--;
    }
    const char *from = strstr(line, " to ");
    const char *to = from != NULL ? strstr(from, " [") : NULL;
    if (from == NULL || to == NULL || to > at || to - from - 4 >= PATH_MAX) {
        return false;
    }
    (void)snprintf(owner, PATH_MAX, "%.*s", (int)(to - from - 4), from + 4);
    return true;
}

static bool is_named(const char *object, const char *name)
{
    if (strchr(name, '/') != NULL) {
        return strcmp(object, name) == 0;
    }
    const char *base = strrchr(object, '/') != NULL ? strrchr(object, '/') + 1 : object;
    return strncmp(base, name, strlen(name)) == 0;
}

// The object behind the next `words`, which ends before one of `ends`.
static bool next_behind(const char **at, const char *words, const char *ends, char object[PATH_MAX])
{
    const char *found = strstr(*at, words);
    if (found == NULL) {
        return false;
    }
    found += strlen(words);
    size_t len = strcspn(found, ends);
    (void)snprintf(object, PATH_MAX, "%.*s", (int)len, found);
    *at = found + len;
    return true;
}

bool ab_linker_next(const char **at, char object[PATH_MAX])
{
    return next_behind(at, BINDING, " \n", object);
}

bool ab_linker_is_loaded(const char *log, const char *name)
{
    char object[PATH_MAX];
    for (const char *at = log; next_behind(&at, INIT, " \n", object);) {
        if (is_named(object, name)) {
            return true;
        }
    }
    for (const char *at = log; ab_linker_next(&at, object);) {
        if (is_named(object, name)) {
            return true;
        }
    }
    return false;
}
