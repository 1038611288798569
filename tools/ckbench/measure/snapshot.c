// SPDX-License-Identifier: MIT
// A build that goes on while its program is measured gives figures of two programs: every own file
// is looked at when it is first met and again at the end.
#include "measure/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool snapshot_add(struct snapshot *snapshot, const char *path, struct fault *fault)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        if (strcmp(snapshot->files[i].path, path) == 0) {
            return true;
        }
    }
    if (snapshot->count == SNAPSHOT_FILES || strlen(path) >= sizeof snapshot->files[0].path) {
        return true;
    }
    if (stat(path, &snapshot->files[snapshot->count].stat) != 0) {
        return fault_set(fault, "%s: %s", path, strerror(errno));
    }
    (void)snprintf(snapshot->files[snapshot->count].path, sizeof snapshot->files[0].path, "%s",
                   path);
    snapshot->count++;
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
