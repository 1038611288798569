// SPDX-License-Identifier: MIT
// One valgrind process: its private directories, its command line and its place in the queue.
// dumps/ takes what valgrind writes and nothing else, work/ is where the subject finds itself.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/count_inside.h"

enum { COMPONENT_MAX = 200 };

static char *join(const char *dir, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

static bool make_directory(const char *path, struct fault *fault)
{
    return mkdir(path, 0700) == 0 || fault_set(fault, "cannot make %s: %s", path, strerror(errno));
}

// The same width for every process, because the subject can see where it is.
static bool make_places(struct attempt *attempt, struct fault *fault)
{
    struct count_plan *plan = attempt->unit->plan;
    char name[24];
    (void)snprintf(name, sizeof name, "%06d", ++plan->serial);
    attempt->dir = join(plan->dir, name);
    if (attempt->dir == NULL) {
        return fault_set(fault, "out of memory");
    }
    attempt->dump_dir = join(attempt->dir, "dumps");
    attempt->work_dir = join(attempt->dir, "work");
    attempt->out_path = join(attempt->dir, "stdout");
    attempt->err_path = join(attempt->dir, "stderr");
    if (attempt->dump_dir == NULL || attempt->work_dir == NULL || attempt->out_path == NULL ||
        attempt->err_path == NULL) {
        return fault_set(fault, "out of memory");
    }
    return make_directory(attempt->dir, fault) && make_directory(attempt->dump_dir, fault) &&
           make_directory(attempt->work_dir, fault);
}

// `dir` grown by `bytes` characters, made on the way. A slash is one of them.
static char *make_deep(const char *dir, size_t bytes, struct fault *fault)
{
    char *path = strdup(dir);
    while (path != NULL && bytes > 1) {
        char name[COMPONENT_MAX + 1];
        size_t now = bytes - 1 < COMPONENT_MAX ? bytes - 1 : COMPONENT_MAX;
        now -= bytes - 1 - now == 1; // no slash may be left over alone
        memset(name, 'p', now);
        name[now] = '\0';
        char *deeper = join(path, name);
        free(path);
        path = deeper;
        bytes -= now + 1;
        if (path != NULL && !make_directory(path, fault)) {
            free(path);
            return NULL;
        }
    }
    if (path == NULL) {
        (void)fault_set(fault, "out of memory");
    }
    return path;
}

// A link to the subject whose path is longer than the subject's own by at least the padding.
static bool make_exe(struct attempt *attempt, struct fault *fault)
{
    const char *file = attempt->unit->subject->file;
    size_t pad = attempt->unit->settings.path_pad_bytes;
    if (pad == 0) {
        attempt->exe = strdup(file);
        return attempt->exe != NULL || fault_set(fault, "out of memory");
    }
    size_t wanted = strlen(file) + pad;
    size_t have = strlen(attempt->dir) + sizeof "/subject" - 1;
    char *dir = make_deep(attempt->dir, wanted > have ? wanted - have : 0, fault);
    if (dir == NULL) {
        return false;
    }
    attempt->exe = join(dir, "subject");
    free(dir);
    if (attempt->exe == NULL) {
        return fault_set(fault, "out of memory");
    }
    return symlink(file, attempt->exe) == 0 ||
           fault_set(fault, "cannot make the link %s: %s", attempt->exe, strerror(errno));
}

static bool make_argv(struct attempt *attempt, struct fault *fault)
{
    attempt->argv = calloc(attempt->size + 3, sizeof(char *));
    if (attempt->argv == NULL) {
        return fault_set(fault, "out of memory");
    }
    attempt->argv[0] = strdup(attempt->exe);
    attempt->argv[1] = strdup("count");
    if (attempt->argv[0] == NULL || attempt->argv[1] == NULL) {
        return fault_set(fault, "out of memory");
    }
    for (size_t i = 0; i < attempt->size; i++) {
        const struct count_result *result = &attempt->unit->results[attempt->indices[i]];
        if (asprintf(&attempt->argv[2 + i], "%s,%d,%lld,%lld,%lld", result->path, result->layout,
                     (long long)result->warmup, (long long)result->n1, (long long)result->n2) < 0) {
            attempt->argv[2 + i] = NULL;
            return fault_set(fault, "out of memory");
        }
    }
    return valgrind_command_init(&attempt->command, attempt->unit->plan->valgrind,
                                 &attempt->unit->settings.valgrind, attempt->dump_dir,
                                 (const char *const *)attempt->argv, fault);
}

static bool prepare(struct attempt *attempt, const size_t *indices, size_t size,
                    struct fault *fault)
{
    attempt->indices = calloc(size, sizeof *attempt->indices);
    attempt->again = calloc(size, sizeof *attempt->again);
    if (attempt->indices == NULL || attempt->again == NULL) {
        return fault_set(fault, "out of memory");
    }
    attempt->size = size;
    for (size_t i = 0; i < size; i++) {
        attempt->indices[i] = indices[i];
        result_clear(&attempt->unit->results[indices[i]]);
    }
    return make_places(attempt, fault) && make_exe(attempt, fault) && make_argv(attempt, fault);
}

bool attempt_queue(struct count_unit *unit, const size_t *indices, size_t size, struct fault *fault)
{
    struct attempt *attempt = calloc(1, sizeof *attempt);
    if (attempt == NULL) {
        return fault_set(fault, "out of memory");
    }
    attempt->unit = unit;
    attempt->next = unit->plan->attempts;
    unit->plan->attempts = attempt;
    if (!prepare(attempt, indices, size, fault)) {
        attempt_free(attempt);
        return false;
    }
    const struct proc_task task = {.spec = {.argv = (const char *const *)attempt->command.argv,
                                            .env = (const char *const *)attempt->command.env,
                                            .dir = attempt->work_dir,
                                            .out_path = attempt->out_path,
                                            .err_path = attempt->err_path,
                                            .timeout_ms = unit->plan->timeout_ms,
                                            .data_bytes = unit->plan->data_bytes},
                                   .on_line = attempt_hear,
                                   .on_end = attempt_end,
                                   .context = attempt};
    if (!proc_pool_add(unit->plan->pool, &task, fault)) {
        attempt_free(attempt);
        return false;
    }
    unit->processes++;
    return true;
}

static void unlink_attempt(struct attempt *attempt)
{
    struct attempt **at = &attempt->unit->plan->attempts;
    while (*at != NULL && *at != attempt) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = attempt->next;
    }
}

void attempt_free(struct attempt *attempt)
{
    unlink_attempt(attempt);
    for (size_t i = 0; attempt->argv != NULL && attempt->argv[i] != NULL; i++) {
        free(attempt->argv[i]);
    }
    if (attempt->work_dir != NULL) {
        scratch_remove(attempt->work_dir);
    }
    valgrind_command_release(&attempt->command);
    free(attempt->argv);
    free(attempt->exe);
    free(attempt->dir);
    free(attempt->dump_dir);
    free(attempt->work_dir);
    free(attempt->out_path);
    free(attempt->err_path);
    free(attempt->indices);
    free(attempt->again);
    free(attempt);
}
