// SPDX-License-Identifier: MIT
// A subject is any program, so each way not to be one has its own words here. The answers are
// copied while they are checked; the first fault ends the child and stands.
#include "measure/subject_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/answers.h"
#include "measure/proc.h"
#include "measure/tail.h"
#include "measure/valgrind.h"

enum { LIST_TIMEOUT_MS = 10 * 1000 };

struct listing {
    struct subject *subject;
    struct answer_stream stream;
    bool introduced;
    bool broken;
    struct fault why;
    struct answer answer;
};

static char *copy_text(const char *text)
{
    return text == NULL ? NULL : strdup(text);
}

static void free_names(struct subject_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->items[i]);
    }
    free(names->items);
    *names = (struct subject_names){0};
}

static bool copy_names(struct subject_names *names, const struct answer_strings *strings)
{
    *names = (struct subject_names){0};
    if (strings->count == 0) {
        return true;
    }
    names->items = calloc(strings->count, sizeof *names->items);
    for (size_t i = 0; names->items != NULL && i < strings->count; i++) {
        names->items[i] = strdup(strings->items[i]);
        if (names->items[i] == NULL) {
            return false;
        }
        names->count++;
    }
    return names->items != NULL;
}

static bool take_identity(struct listing *listing)
{
    const struct answer *answer = &listing->answer;
    struct subject *subject = listing->subject;
    if (listing->introduced) {
        return fault_set(&listing->why, "it answered two `subject` lines");
    }
    listing->introduced = true;
    subject->protocol = (int)answer->protocol;
    subject->self = answer->self;
    subject->kit = copy_text(answer->kit);
    subject->compiler = copy_text(answer->compiler);
    subject->flags = copy_text(answer->flags);
    subject->commit = copy_text(answer->commit);
    subject->build_id = copy_text(answer->build_id);
    if (subject->kit == NULL || subject->compiler == NULL || subject->flags == NULL ||
        !copy_names(&subject->dirty, &answer->dirty)) {
        return fault_set(&listing->why, "out of memory");
    }
    return true;
}

static void free_path(struct subject_path *path)
{
    free(path->name);
    free(path->about);
    free_names(&path->shapes);
    free_names(&path->operations);
    free_names(&path->phases);
}

static bool take_path(struct listing *listing)
{
    const struct answer *answer = &listing->answer;
    struct subject *subject = listing->subject;
    if (answer_is_self(answer->name)) {
        return fault_set(&listing->why, "it lists %s, a name kept for self-tests", answer->name);
    }
    if (subject_find(subject, answer->name) != NULL) {
        return fault_set(&listing->why, "it lists the path %s twice", answer->name);
    }
    if (subject->path_count == SUBJECT_PATHS_MAX) {
        return fault_set(&listing->why, "it lists more than %d paths", SUBJECT_PATHS_MAX);
    }
    struct subject_path *paths =
        realloc(subject->paths, (subject->path_count + 1) * sizeof *subject->paths);
    if (paths == NULL) {
        return fault_set(&listing->why, "out of memory");
    }
    subject->paths = paths;
    struct subject_path *path = &paths[subject->path_count];
    *path = (struct subject_path){.name = copy_text(answer->name),
                                  .about = copy_text(answer->about),
                                  .threads = answer->threads};
    if (path->name == NULL || path->about == NULL || !copy_names(&path->shapes, &answer->shapes) ||
        !copy_names(&path->operations, &answer->operations) ||
        !copy_names(&path->phases, &answer->phases)) {
        free_path(path);
        return fault_set(&listing->why, "out of memory");
    }
    subject->path_count++;
    return true;
}

static bool take_terrain(struct listing *listing)
{
    struct subject_names *terrains = &listing->subject->terrains;
    const char *name = listing->answer.name;
    for (size_t i = 0; i < terrains->count; i++) {
        if (strcmp(terrains->items[i], name) == 0) {
            return fault_set(&listing->why, "it lists the terrain %s twice", name);
        }
    }
    if (terrains->count == SUBJECT_PATHS_MAX) {
        return fault_set(&listing->why, "it lists more than %d terrains", SUBJECT_PATHS_MAX);
    }
    char **items = realloc(terrains->items, (terrains->count + 1) * sizeof *items);
    char *copy = strdup(name);
    if (items != NULL) {
        terrains->items = items;
    }
    if (items == NULL || copy == NULL) {
        free(copy);
        return fault_set(&listing->why, "out of memory");
    }
    items[terrains->count++] = copy;
    return true;
}

static bool take_answer(struct listing *listing)
{
    enum answer_kind kind = listing->answer.kind;
    if (!listing->introduced && kind != ANSWER_SUBJECT) {
        return fault_set(&listing->why, "its first answer is no `subject` line");
    }
    switch (kind) {
    case ANSWER_SUBJECT:
        return take_identity(listing);
    case ANSWER_PATH:
        return take_path(listing);
    case ANSWER_TERRAIN:
        return take_terrain(listing);
    default:
        return true;
    }
}

static enum proc_word hear_line(void *context, const char *line, size_t length)
{
    struct listing *listing = context;
    if (answer_next(&listing->stream, line, length, &listing->answer, &listing->why) &&
        take_answer(listing)) {
        return PROC_GO_ON;
    }
    listing->broken = true;
    return PROC_STOP;
}

static bool judge(const struct listing *listing, const struct proc_result *result, const char *file,
                  const char *err_path, struct fault *fault)
{
    if (listing->broken) {
        return fault_set(fault, "%s is no subject: %s", file, listing->why.text);
    }
    if (result->end != PROC_EXITED || result->status != 0) {
        char how[128];
        char *last = tail_read(err_path, 0, 1);
        (void)fault_set(fault, "%s: `list` %s%s%.200s", file,
                        proc_end_text(result, how, sizeof how), last != NULL ? ": " : "",
                        last != NULL ? last : "");
        free(last);
        return false;
    }
    if (result->line_count == 0) {
        return fault_set(fault, "%s is no subject: it answered nothing to `list`", file);
    }
    if (!listing->stream.ended) {
        return fault_set(fault, "%s: its answer to `list` is cut, there is no `end` line", file);
    }
    return true;
}

static bool run_list(struct listing *listing, const char *dir, int timeout_ms, struct fault *fault)
{
    const char *file = listing->subject->file;
    const char *const argv[] = {file, "list", NULL};
    char *out_path = NULL;
    char *err_path = NULL;
    bool good = false;
    if (asprintf(&out_path, "%s/stdout", dir) > 0 && asprintf(&err_path, "%s/stderr", dir) > 0) {
        const struct proc_task task = {.spec = {.argv = argv,
                                                .env = valgrind_native_env(),
                                                .dir = dir,
                                                .out_path = out_path,
                                                .err_path = err_path,
                                                .timeout_ms = timeout_ms},
                                       .on_line = hear_line,
                                       .context = listing};
        struct proc_result result;
        good = proc_run(&task, &result, fault) && judge(listing, &result, file, err_path, fault);
    } else {
        (void)fault_set(fault, "out of memory");
    }
    free(out_path);
    free(err_path);
    return good;
}

static bool check_file(struct subject *subject, const char *file, struct fault *fault)
{
    char magic[4] = {0};
    struct stat status;
    subject->file = realpath(file, NULL);
    if (subject->file == NULL) {
        return fault_set(fault, "%s: %s", file, strerror(errno));
    }
    int fd = open(subject->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0) {
        int error = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        return fault_set(fault, "%s cannot be read: %s", file, strerror(error));
    }
    bool regular = S_ISREG(status.st_mode);
    ssize_t got = regular ? read(fd, magic, sizeof magic) : 0;
    (void)close(fd);
    if (!regular) {
        return fault_set(fault, "%s is %s, not a program", file,
                         S_ISDIR(status.st_mode) ? "a directory" : "no regular file");
    }
    if ((status.st_mode & 0111) == 0 || access(subject->file, X_OK) != 0) {
        return fault_set(fault, "%s is not executable", file);
    }
    subject->is_elf = got == 4 && memcmp(magic, "\177ELF", 4) == 0;
    if (!subject->is_elf && (got < 2 || memcmp(magic, "#!", 2) != 0)) {
        return fault_set(fault, "%s is neither an ELF program nor a script", file);
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct subject_path *left = a;
    const struct subject_path *right = b;
    return strcmp(left->name, right->name);
}

static bool ask_list(struct subject *subject, const struct scratch *scratch, int timeout_ms,
                     struct fault *fault)
{
    struct listing *listing = calloc(1, sizeof *listing);
    char *dir = listing != NULL ? scratch_dir(scratch, "list", fault) : NULL;
    bool good = false;
    if (listing == NULL) {
        (void)fault_set(fault, "out of memory");
    } else if (dir != NULL) {
        listing->subject = subject;
        good = run_list(listing, dir, timeout_ms, fault);
        scratch_remove(dir);
    }
    free(dir);
    free(listing);
    return good;
}

bool subject_open_within(const char *file, const struct scratch *scratch, int timeout_ms,
                         struct subject *subject, struct fault *fault)
{
    *subject = (struct subject){0};
    if (!check_file(subject, file, fault) || !ask_list(subject, scratch, timeout_ms, fault)) {
        subject_close(subject);
        return false;
    }
    if (subject->path_count > 0) {
        qsort(subject->paths, subject->path_count, sizeof *subject->paths, by_name);
    }
    return true;
}

bool subject_open(const char *file, const struct scratch *scratch, struct subject *subject,
                  struct fault *fault)
{
    return subject_open_within(file, scratch, LIST_TIMEOUT_MS, subject, fault);
}

void subject_close(struct subject *subject)
{
    for (size_t i = 0; i < subject->path_count; i++) {
        free_path(&subject->paths[i]);
    }
    free(subject->paths);
    free(subject->file);
    free(subject->kit);
    free(subject->compiler);
    free(subject->flags);
    free(subject->commit);
    free(subject->build_id);
    free_names(&subject->dirty);
    free_names(&subject->terrains);
    *subject = (struct subject){0};
}

const struct subject_path *subject_find(const struct subject *subject, const char *name)
{
    for (size_t i = 0; i < subject->path_count; i++) {
        if (strcmp(subject->paths[i].name, name) == 0) {
            return &subject->paths[i];
        }
    }
    return NULL;
}
