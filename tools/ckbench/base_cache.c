// SPDX-License-Identifier: MIT
// Each folder has a lock beside it: shared while it is used, exclusive while it is made or removed.
// The kernel lets go of locks however a run ends, so what a killed run left is seen for what it is.
#include "base_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "measure/interrupt.h"
#include "measure/scratch.h"
#include "store/replace.h"

enum { LOOK_MS = 100, SEEN_MAX = 256 };

static bool join(char out[PATH_MAX], const char *dir, const char *key, const char *rest)
{
    int len = snprintf(out, PATH_MAX, "%s/%s%s", dir, key, rest);
    return len > 0 && len < PATH_MAX;
}

// Like mkdir -p, for our eyes only.
static bool make_folders(char *path)
{
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at == '/') {
            *at = '\0';
            int made = mkdir(path, 0700);
            *at = '/';
            if (made != 0 && errno != EEXIST) {
                return false;
            }
        }
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool find_root(char root[PATH_MAX], struct fault *fault)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char path[PATH_MAX];
    bool fits = false;
    if (cache != NULL && cache[0] == '/') {
        fits = join(path, cache, "ckbench", "/base");
    } else if (home != NULL && home[0] == '/') {
        fits = join(path, home, ".cache/ckbench", "/base");
    }
    if (!fits) {
        return fault_set(fault, "no place for built bases: set XDG_CACHE_HOME or HOME to an "
                                "absolute path");
    }
    return (make_folders(path) && realpath(path, root) != NULL) ||
           fault_set(fault, "cannot make %.200s: %s; set XDG_CACHE_HOME to a writable directory",
                     path, strerror(errno));
}

static bool is_complete(const char *root, const char *key)
{
    char mark[PATH_MAX];
    return join(mark, root, key, "/complete") && access(mark, F_OK) == 0;
}

// Opens the lock and takes it at once or not at all. -1: not now, or errno says why never.
static int take_lock(const char *root, const char *key, int how)
{
    char path[PATH_MAX];
    struct stat mine, there;
    errno = ENAMETOOLONG;
    int fd = join(path, root, key, ".lock")
                 ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)
                 : -1;
    if (fd < 0) {
        return -1;
    }
    int error = EAGAIN;
    if (flock(fd, how | LOCK_NB) != 0) {
        error = errno == EWOULDBLOCK ? EAGAIN : errno; // a file system may have no locks
    } else if (fstat(fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
               mine.st_dev == there.st_dev) {
        return fd;
    } // else the file was removed meanwhile, and its lock is nobody's
    (void)close(fd);
    errno = error;
    return -1;
}

static void touch(const struct base_entry *entry)
{
    char mark[PATH_MAX];
    if (join(mark, entry->root, entry->key, "/complete")) {
        (void)utimensat(AT_FDCWD, mark, NULL, 0);
    }
}

static bool make_empty(const struct base_entry *entry, struct fault *fault)
{
    char folder[PATH_MAX];
    if (!join(folder, entry->root, entry->key, "")) {
        return fault_set(fault, "%.300s: its path is too long", entry->root);
    }
    scratch_remove(folder);
    return mkdir(folder, 0700) == 0 ||
           fault_set(fault, "cannot make %.300s: %s", folder, strerror(errno));
}

// One try: held for use, held for making, or -1.
static int try_once(struct base_entry *entry)
{
    if (is_complete(entry->root, entry->key)) {
        int lock = take_lock(entry->root, entry->key, LOCK_SH);
        entry->is_complete = lock >= 0 && is_complete(entry->root, entry->key);
        if (entry->is_complete) {
            return lock;
        }
        if (lock >= 0) {
            (void)close(lock);
        }
    }
    int lock = take_lock(entry->root, entry->key, LOCK_EX);
    if (lock >= 0 && is_complete(entry->root, entry->key)) {
        (void)close(lock); // it was made since we looked
        errno = EAGAIN;
        return -1;
    }
    return lock;
}

static bool hold(struct base_entry *entry, void (*on_wait)(void), struct fault *fault)
{
    for (bool told = false; (entry->lock = try_once(entry)) < 0; told = true) {
        if (errno != EAGAIN) {
            return fault_set(fault, "cannot lock %.200s/%s: %s", entry->root, entry->key,
                             strerror(errno));
        }
        if (interrupt_seen() != 0) {
            return fault_set(fault, "interrupted");
        }
        if (!told && on_wait != NULL) {
            on_wait();
        }
        const struct timespec pause = {0, LOOK_MS * 1000000L};
        (void)nanosleep(&pause, NULL);
    }
    return true;
}

bool base_cache_open(const char *key, void (*on_wait)(void), struct base_entry *entry,
                     struct fault *fault)
{
    *entry = (struct base_entry){.lock = -1};
    if (!find_root(entry->root, fault)) {
        return false;
    }
    (void)snprintf(entry->key, sizeof entry->key, "%s", key);
    if (!join(entry->tree, entry->root, key, "/tree") ||
        !join(entry->log, entry->root, key, ".log")) {
        return fault_set(fault, "%.100s...: the path is too long", entry->root);
    }
    if (!hold(entry, on_wait, fault)) {
        return false;
    }
    if (entry->is_complete) {
        touch(entry);
        return true;
    }
    if (!make_empty(entry, fault)) {
        base_cache_close(entry);
        return false;
    }
    return true;
}

// Keys that the cache knows by folder, lock or log, with when each was used last.
struct seen {
    char key[BASE_KEY_SIZE];
    struct timespec used;
};

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static int by_use(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    return is_newer(&a->used, &b->used) ? -1 : is_newer(&b->used, &a->used);
}

static void note_key(const char *root, const char *name, struct seen *seen, size_t *count)
{
    static const char *const files[] = {"/complete", ".log", ".lock"};
    struct seen fresh = {.key = ""};
    if (strspn(name, "0123456789abcdef") != BASE_KEY_SIZE - 1) {
        return;
    }
    memcpy(fresh.key, name, BASE_KEY_SIZE - 1);
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(seen[i].key, fresh.key) == 0) {
            return;
        }
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[PATH_MAX];
        struct stat st;
        if (join(path, root, fresh.key, files[i]) && stat(path, &st) == 0 &&
            is_newer(&st.st_mtim, &fresh.used)) {
            fresh.used = st.st_mtim;
        }
    }
    if (*count < SEEN_MAX) {
        seen[(*count)++] = fresh;
    }
}

// Removes what nobody holds of `key`: all of it, or a folder that was never completed.
static void remove_key(const char *root, const char *key, bool all)
{
    char path[PATH_MAX];
    int lock = all || !is_complete(root, key) ? take_lock(root, key, LOCK_EX) : -1;
    if (lock < 0) {
        return;
    }
    if ((all || !is_complete(root, key)) && join(path, root, key, "")) {
        scratch_remove(path);
    }
    if (all && join(path, root, key, ".log")) {
        (void)unlink(path);
    }
    if (all && join(path, root, key, ".lock")) {
        (void)unlink(path);
    }
    (void)close(lock);
}

static void prune(const struct base_entry *entry)
{
    struct seen *seen = calloc(SEEN_MAX, sizeof *seen);
    DIR *dir = opendir(entry->root);
    size_t count = 0;
    for (struct dirent *item; dir != NULL && seen != NULL && (item = readdir(dir)) != NULL;) {
        note_key(entry->root, item->d_name, seen, &count);
    }
    if (count > 0) {
        qsort(seen, count, sizeof *seen, by_use);
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(seen[i].key, entry->key) != 0) {
            remove_key(entry->root, seen[i].key, i >= BASE_CACHE_KEPT);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    free(seen);
}

bool base_cache_complete(struct base_entry *entry, struct fault *fault)
{
    char mark[PATH_MAX];
    entry->is_complete = join(mark, entry->root, entry->key, "/complete")
                             ? replace_file(mark, "", 0, fault)
                             : fault_set(fault, "%.300s: its path is too long", entry->root);
    if (entry->is_complete) {
        (void)flock(entry->lock, LOCK_SH);
        prune(entry);
    }
    return entry->is_complete;
}

void base_cache_close(struct base_entry *entry)
{
    char folder[PATH_MAX];
    if (entry->root[0] == '\0' || entry->lock < 0) {
        return;
    }
    if (!entry->is_complete && join(folder, entry->root, entry->key, "")) {
        scratch_remove(folder);
    }
    (void)close(entry->lock);
    entry->lock = -1;
}
