// SPDX-License-Identifier: MIT
// Removal works on directory descriptors: a child that swaps a directory for a symbolic link while
// we walk it can make us fail, never make us delete somewhere else.
#include "measure/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/guard.h"

enum { NAME_BYTES = 16, DEPTH_MAX = 16, PROBE_BYTES = 64 * 1024 };

// One removal: a directory too deep for our descriptors moves up to `top` and waits for a further
// round.
struct removal {
    int top;
    size_t moved;
};

static void remove_at(struct removal *removal, int parent, const char *name, int depth);

static void move_up(struct removal *removal, int parent, const char *name)
{
    char fresh[32];
    do {
        (void)snprintf(fresh, sizeof fresh, "deep-%zu", ++removal->moved);
    } while (faccessat(removal->top, fresh, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
    (void)renameat(parent, name, removal->top, fresh);
}

static void empty_directory(struct removal *removal, int fd, int depth)
{
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        (void)close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            remove_at(removal, dirfd(dir), entry->d_name, depth);
        }
    }
    (void)closedir(dir);
}

static void remove_at(struct removal *removal, int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0) {
        return;
    }
    if (depth >= DEPTH_MAX) {
        move_up(removal, parent, name);
        return;
    }
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) {
        (void)fchmodat(parent, name, 0700, 0);
        fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0) {
        return;
    }
    (void)fchmod(fd, 0700);
    empty_directory(removal, fd, depth + 1);
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

// Rounds end: each takes DEPTH_MAX levels off, and nothing that is alive adds any.
void scratch_remove(const char *path)
{
    struct removal removal = {.top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    for (size_t before = SIZE_MAX; before != removal.moved;) {
        before = removal.moved;
        remove_at(&removal, AT_FDCWD, path, 0);
    }
    if (removal.top >= 0) {
        (void)close(removal.top);
    }
}

static bool random_name(char name[2 * NAME_BYTES + 1])
{
    unsigned char bytes[NAME_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        (void)snprintf(name + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

// A directory can be made on a disk that is full, so a file of some size is tried.
static bool takes_a_file(int dir)
{
    static const char zeros[PROBE_BYTES];
    int fd = openat(dir, "probe", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return false;
    }
    ssize_t written = write(fd, zeros, sizeof zeros);
    int error = written < 0 ? errno : ENOSPC;
    bool whole = written == (ssize_t)sizeof zeros;
    if (close(fd) != 0 && whole) {
        whole = false;
        error = errno;
    }
    (void)unlinkat(dir, "probe", 0);
    errno = error;
    return whole;
}

static bool make_directory(struct scratch *scratch, const char *parent)
{
    char name[2 * NAME_BYTES + 1];
    if (!random_name(name) || asprintf(&scratch->path, "%s/ckbench-%s", parent, name) < 0) {
        scratch->path = NULL;
        errno = ENOMEM;
        return false;
    }
    // First, so that there is no moment at which a death would leave it.
    scratch->lifeline = guard_start(scratch->path);
    if (mkdir(scratch->path, 0700) != 0) {
        int error = errno;
        guard_end(scratch->lifeline);
        free(scratch->path);
        scratch->path = NULL;
        errno = error;
        return false;
    }
    scratch->fd = open(scratch->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return scratch->fd >= 0 && fchmod(scratch->fd, 0700) == 0 && takes_a_file(scratch->fd);
}

bool scratch_open(struct scratch *scratch, struct fault *fault)
{
    *scratch = (struct scratch){.path = NULL, .fd = -1, .lifeline = -1};
    const char *wanted = getenv("TMPDIR");
    if (wanted == NULL || *wanted == '\0') {
        wanted = "/tmp";
    }
    char *parent = realpath(wanted, NULL);
    if (parent != NULL && strpbrk(parent, "\n\r") != NULL) {
        free(parent);
        return fault_set(fault, "TMPDIR %s has a line end in its name; set it to another directory",
                         wanted);
    }
    if (parent != NULL && make_directory(scratch, parent)) {
        free(parent);
        return true;
    }
    int error = errno;
    free(parent);
    scratch_close(scratch);
    return fault_set(fault,
                     "cannot make a scratch directory in %s: %s; set TMPDIR to a writable one",
                     wanted, strerror(error));
}

void scratch_close(struct scratch *scratch)
{
    if (scratch->path == NULL) {
        return;
    }
    if (scratch->fd >= 0) {
        (void)close(scratch->fd);
    }
    scratch_remove(scratch->path);
    guard_end(scratch->lifeline);
    free(scratch->path);
    *scratch = (struct scratch){.path = NULL, .fd = -1, .lifeline = -1};
}

char *scratch_dir(const struct scratch *scratch, const char *name, struct fault *fault)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", scratch->path, name) < 0) {
        (void)fault_set(fault, "out of memory");
        return NULL;
    }
    if (mkdirat(scratch->fd, name, 0700) != 0) {
        (void)fault_set(fault, "cannot make %s: %s", path, strerror(errno));
        free(path);
        return NULL;
    }
    return path;
}
