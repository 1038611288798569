// SPDX-License-Identifier: MIT
#include "base_overlay.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "measure/clean_command.h"
#include "measure/slurp.h"
#include "store/replace.h"

enum { FILE_MAX = 64 << 20, ANSWER_MS = 60 * 1000 };

static const char manifest_name[] = "ckbench.json";

static bool add(struct base_overlay *overlay, const char *name, struct fault *fault)
{
    char **more = realloc(overlay->files, (overlay->count + 1) * sizeof *more);
    char *copy = strdup(name);
    if (more != NULL) {
        overlay->files = more;
    }
    if (more == NULL || copy == NULL) {
        free(copy);
        return fault_set(fault, "out of memory");
    }
    overlay->files[overlay->count++] = copy;
    return true;
}

// What git knows of `listed`, a file or a folder, in the order of its index.
static bool add_known(struct base_overlay *overlay, const char *listed,
                      const struct scratch *scratch, struct fault *fault)
{
    // NUL cannot pass through a text, so the names come one a line and odd ones quoted.
    const struct command command = {.words = {"git", "--literal-pathspecs", "-c",
                                              "core.fsmonitor=false", "-c", "core.quotePath=false",
                                              "ls-files", "--cached", "--", listed},
                                    .dir = overlay->head->root,
                                    .is_git = true,
                                    .timeout_ms = ANSWER_MS};
    int status;
    if (!command_run(&command, scratch, &status, fault)) {
        return false;
    }
    char *text = status == 0 ? command_out(scratch) : NULL;
    size_t before = overlay->count;
    bool ok = true;
    for (char *at = text; ok && at != NULL && *at != '\0';) {
        size_t len = strcspn(at, "\n");
        char *next = at + len + (at[len] == '\n');
        at[len] = '\0';
        ok = at[0] == '"' ? fault_set(fault, "subject_files: %s: the name is too odd", at)
                          : add(overlay, at, fault);
        at = next;
    }
    free(text);
    return ok && (overlay->count > before ||
                  fault_set(fault, "subject_files: git knows no file %.200s in %.200s: git add it",
                            listed, overlay->head->root));
}

static bool below(char out[PATH_MAX], const char *dir, const char *name, struct fault *fault)
{
    int len = snprintf(out, PATH_MAX, "%s/%s", dir, name);
    return (len > 0 && len < PATH_MAX) || fault_set(fault, "%.100s...: the path is too long", dir);
}

static bool read_file(const struct base_overlay *overlay, size_t index, char **bytes, size_t *size,
                      struct fault *fault)
{
    char path[PATH_MAX];
    return below(path, overlay->head->root, overlay->files[index], fault) &&
           slurp_file(path, FILE_MAX, bytes, size, fault);
}

// A digest of all digests, each beside its name.
static bool digest(struct base_overlay *overlay, struct fault *fault)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    bool ok = stream != NULL || fault_set(fault, "out of memory");
    for (size_t i = 0; ok && i < overlay->count; i++) {
        char *bytes = NULL, sum[SHA256_TEXT_SIZE];
        size_t len = 0;
        ok = read_file(overlay, i, &bytes, &len, fault);
        if (ok) {
            sha256_text(bytes, len, sum);
            (void)fprintf(stream, "%s %s\n", sum, overlay->files[i]);
            free(bytes);
        }
    }
    if (stream != NULL && fclose(stream) != 0) {
        ok = fault_set(fault, "out of memory");
    }
    if (ok) {
        sha256_text(text, size, overlay->digest);
    }
    free(text);
    return ok;
}

bool base_overlay_open(const struct checkout *head, const struct scratch *scratch,
                       struct base_overlay *overlay, struct fault *fault)
{
    *overlay = (struct base_overlay){.head = head};
    bool ok = add(overlay, manifest_name, fault);
    for (size_t i = 0; ok && i < head->manifest.subject_file_count; i++) {
        ok = add_known(overlay, head->manifest.subject_files[i], scratch, fault);
    }
    ok = ok && digest(overlay, fault);
    if (!ok) {
        base_overlay_close(overlay);
    }
    return ok;
}

static bool make_parents(char *path, size_t from)
{
    for (char *at = path + from; *at != '\0'; at++) {
        if (*at == '/') {
            *at = '\0';
            int made = mkdir(path, 0777);
            *at = '/';
            if (made != 0 && errno != EEXIST) {
                return false;
            }
        }
    }
    return true;
}

static bool copy_mode(const char *from, const char *to)
{
    struct stat st;
    return stat(from, &st) == 0 && chmod(to, st.st_mode & 0777) == 0;
}

static bool write_one(const struct base_overlay *overlay, size_t index, const char *root,
                      struct fault *fault)
{
    char to[PATH_MAX], from[PATH_MAX], *bytes = NULL;
    size_t size = 0;
    if (!below(to, root, overlay->files[index], fault) ||
        !below(from, overlay->head->root, overlay->files[index], fault)) {
        return false;
    }
    if (!make_parents(to, strlen(root) + 1)) {
        return fault_set(fault, "%.300s: %s", to, strerror(errno));
    }
    bool ok = read_file(overlay, index, &bytes, &size, fault) &&
              replace_file(to, bytes, size, fault) &&
              (copy_mode(from, to) || fault_set(fault, "%.300s: %s", to, strerror(errno)));
    free(bytes);
    return ok;
}

bool base_overlay_write(const struct base_overlay *overlay, const char *root, struct fault *fault)
{
    for (size_t i = 0; i < overlay->count; i++) {
        if (!write_one(overlay, i, root, fault)) {
            return false;
        }
    }
    return true;
}

void base_overlay_close(struct base_overlay *overlay)
{
    for (size_t i = 0; i < overlay->count; i++) {
        free(overlay->files[i]);
    }
    free(overlay->files);
    *overlay = (struct base_overlay){.head = NULL};
}
