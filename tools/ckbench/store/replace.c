// SPDX-License-Identifier: MIT
// Temporary name in the same directory, fsync, rename. Space runs out at write, fsync or close, not
// before; each is looked at, because a cut file that is renamed would replace a good one.
#include "store/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_TRIES = 100 };

static bool write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, text, len);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        text += put > 0 ? put : 0;
        len -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool fail(const char *path, struct fault *fault)
{
    return fault_set(fault, "could not write %.300s: %s", path, strerror(errno));
}

// What is there and is no regular file keeps its identity. Without O_NONBLOCK a pipe that nobody
// reads would hold us for ever.
static bool write_in_place(const char *path, const char *text, size_t len, struct fault *fault)
{
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before;
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fcntl(fd, F_SETFL, 0) != 0) {
        return fail(path, fault);
    }
    (void)sigaction(SIGPIPE, &ignored, &before);
    bool is_good = write_all(fd, text, len) || fail(path, fault);
    (void)sigaction(SIGPIPE, &before, NULL);
    if (close(fd) != 0 && is_good) {
        is_good = fail(path, fault);
    }
    return is_good;
}

// Opens a new file beside `path` and leaves its name in `name`; -1 with errno set.
static int open_beside(const char *path, mode_t mode, char *name, size_t size)
{
    for (int try = 0; try < NAME_TRIES; try++) {
        int len = snprintf(name, size, "%s.%ld-%d.tmp", path, (long)getpid(), try);
        if (len < 0 || (size_t)len >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

// The entry is safe only once its directory is.
static void sync_directory(const char *path)
{
    char copy[PATH_MAX];
    (void)snprintf(copy, sizeof copy, "%s", path);
    char *slash = strrchr(copy, '/');
    if (slash != NULL) {
        slash[slash == copy] = '\0';
    }
    int fd = open(slash != NULL ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd); // the file itself is whole either way
        (void)close(fd);
    }
}

static bool fill(int fd, const struct stat *old, const char *text, size_t len)
{
    if (old != NULL && fchmod(fd, old->st_mode & 07777) != 0) {
        return false;
    }
    return write_all(fd, text, len) && fsync(fd) == 0;
}

// `old` is what `path` is now, NULL when it is nothing.
static bool write_beside(const char *path, const struct stat *old, const char *text, size_t len,
                         struct fault *fault)
{
    char name[PATH_MAX];
    int fd = open_beside(path, 0666, name, sizeof name);
    if (fd < 0) {
        return fail(path, fault);
    }
    bool is_good = fill(fd, old, text, len) || fail(path, fault);
    if (close(fd) != 0 && is_good) {
        is_good = fail(path, fault);
    }
    if (is_good && rename(name, path) != 0) {
        is_good = fail(path, fault);
    }
    if (!is_good) {
        (void)unlink(name);
        return false;
    }
    sync_directory(path);
    return true;
}

// A signal that ends us waits, so that it cannot leave the temporary file.
static bool write_held(const char *path, const struct stat *old, const char *text, size_t len,
                       struct fault *fault)
{
    sigset_t held;
    sigset_t before;
    (void)sigemptyset(&held);
    (void)sigaddset(&held, SIGINT);
    (void)sigaddset(&held, SIGTERM);
    (void)sigaddset(&held, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &held, &before);
    bool is_good = write_beside(path, old, text, len, fault);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return is_good;
}

bool replace_file(const char *path, const char *text, size_t len, struct fault *fault)
{
    char target[PATH_MAX];
    struct stat old;
    if (stat(path, &old) != 0) {
        return errno == ENOENT ? write_held(path, NULL, text, len, fault) : fail(path, fault);
    }
    if (!S_ISREG(old.st_mode)) {
        return write_in_place(path, text, len, fault);
    }
    if (realpath(path, target) == NULL) {
        return fail(path, fault);
    }
    return write_held(target, &old, text, len, fault);
}
