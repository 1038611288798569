// SPDX-License-Identifier: MIT
// A build that goes on while its program is measured gives figures of two programs: every file
// that executes is looked at when it is first met and again at the end.
#include "measure/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "measure/checked.h"

const char *snapshot_find(const struct snapshot *snapshot, const char *path)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        if (strcmp(snapshot->files[i].path, path) == 0) {
            return snapshot->files[i].path;
        }
    }
    return NULL;
}

bool snapshot_add(struct snapshot *snapshot, const char *path, struct fault *fault)
{
    if (snapshot_find(snapshot, path) != NULL) {
        return true;
    }
    struct snapshot_file file;
    if (stat(path, &file.stat) != 0) {
        return fault_set(fault, "%s: %s", path, strerror(errno));
    }
    struct snapshot_file *files =
        checked_room(snapshot->files, snapshot->count, &snapshot->cap, sizeof file);
    if (files != NULL) {
        snapshot->files = files;
    }
    file.path = strdup(path);
    if (files == NULL || file.path == NULL) {
        free(file.path);
        return fault_set(fault, "%s: no memory", path);
    }
    snapshot->files[snapshot->count++] = file;
    return true;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool snapshot_holds(const struct snapshot *snapshot, struct fault *fault)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        struct stat now;
        if (stat(snapshot->files[i].path, &now) != 0 || !same(&now, &snapshot->files[i].stat)) {
            return fault_set(fault, "%s changed while it was measured; let its build end first",
                             snapshot->files[i].path);
        }
    }
    return true;
}

void snapshot_release(struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        free(snapshot->files[i].path);
    }
    free(snapshot->files);
    *snapshot = (struct snapshot){.count = 0};
}
