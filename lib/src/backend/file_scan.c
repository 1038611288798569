// SPDX-License-Identifier: MIT
// Only regular files with the name of an entry are entries; only regular files with the name of an
// entry before ".tmp." are temporary ones. Whatever else lies in the directory is not ours to
// count or to remove.
#include "backend/file_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/instant.h"
#include "base/alloc.h"

#define NS_PER_S  ((int64_t)1000000000)
#define TEMP_MARK ".tmp."

enum { FIRST_ROOM = 256, LOOK_AT_CLOCK_EVERY = 64, STALE_S = 60 };

bool cki_file_scan_begin(struct cki_file_scan *scan, int dir_fd,
                         const cachekit_allocator *allocator)
{
    *scan = (struct cki_file_scan){.pid = getpid(), .dir_fd = dir_fd, .allocator = allocator};
    int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    scan->stream = fd >= 0 ? fdopendir(fd) : NULL;
    if (scan->stream == NULL) {
        scan->failed = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        return false;
    }
    scan->stale_before_ns = cki_file_wall_ns() - STALE_S * NS_PER_S;
    return true;
}

static bool make_room(struct cki_file_scan *scan)
{
    if (scan->count < scan->room) {
        return true;
    }
    size_t item = sizeof scan->found[0];
    size_t room = scan->room != 0 ? scan->room * 2 : FIRST_ROOM;
    void *found = cki_resize(scan->allocator, scan->found, scan->room * item, room * item);
    if (found == NULL) {
        scan->failed = ENOMEM;
        return false;
    }
    scan->found = found;
    scan->room = room;
    return true;
}

static int64_t changed_ns(const struct stat *file)
{
    return (int64_t)file->st_mtim.tv_sec * NS_PER_S + file->st_mtim.tv_nsec;
}

static void note(struct cki_file_scan *scan, const uint8_t *digest, const struct stat *file)
{
    struct cki_file_found *item = &scan->found[scan->count++];
    item->changed_ns = changed_ns(file);
    item->bytes = file->st_size;
    item->inode = (uint64_t)file->st_ino;
    memcpy(item->digest, digest, sizeof item->digest);
    scan->bytes += file->st_size;
}

static bool look_at(struct cki_file_scan *scan, const char *name)
{
    uint8_t digest[CKI_FILE_DIGEST_BYTES];
    if (!cki_file_name_read(name, digest)) {
        return true;
    }
    const char *rest = name + CKI_FILE_NAME_LEN;
    bool is_temp = strncmp(rest, TEMP_MARK, sizeof TEMP_MARK - 1) == 0;
    struct stat file;
    if ((!is_temp && *rest != '\0') ||
        fstatat(scan->dir_fd, name, &file, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(file.st_mode)) {
        return true; // gone meanwhile, or none of ours
    }
    if (is_temp) {
        if (changed_ns(&file) < scan->stale_before_ns) {
            (void)unlinkat(scan->dir_fd, name, 0);
        }
        return true;
    }
    if (!make_room(scan)) {
        return false;
    }
    note(scan, digest, &file);
    return true;
}

enum cki_file_scanned cki_file_scan_step(struct cki_file_scan *scan, int64_t deadline_ns)
{
    for (unsigned seen = 1;; seen++) {
        errno = 0;
        const struct dirent *entry = readdir(scan->stream);
        if (entry == NULL) {
            scan->failed = errno;
            return scan->failed == 0 ? CKI_FILE_SCAN_DONE : CKI_FILE_SCAN_FAILED;
        }
        if (!look_at(scan, entry->d_name)) {
            return CKI_FILE_SCAN_FAILED;
        }
        if (seen % LOOK_AT_CLOCK_EVERY == 0 && cki_instant_ns() >= deadline_ns) {
            return CKI_FILE_SCAN_PAUSED;
        }
    }
}

static void sink(struct cki_file_found *found, size_t count, size_t at)
{
    struct cki_file_found moved = found[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && found[child + 1].changed_ns < found[child].changed_ns) {
            child++;
        }
        if (moved.changed_ns <= found[child].changed_ns) {
            break;
        }
        found[at] = found[child];
        at = child;
    }
    found[at] = moved;
}

void cki_file_scan_order(struct cki_file_scan *scan)
{
    for (size_t at = scan->count / 2; at-- > 0;) {
        sink(scan->found, scan->count, at);
    }
}

bool cki_file_scan_pop(struct cki_file_scan *scan, struct cki_file_found *oldest)
{
    if (scan->count == 0) {
        return false;
    }
    *oldest = scan->found[0];
    scan->found[0] = scan->found[--scan->count];
    if (scan->count > 1) {
        sink(scan->found, scan->count, 0);
    }
    return true;
}

void cki_file_scan_end(struct cki_file_scan *scan)
{
    if (scan->stream != NULL) {
        (void)closedir(scan->stream);
    }
    cki_free(scan->allocator, scan->found, scan->room * sizeof scan->found[0]);
    *scan = (struct cki_file_scan){.stream = NULL};
}
