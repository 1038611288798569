// SPDX-License-Identifier: MIT
// A directory is judged through its descriptor, after it was opened: what was judged is what is
// used. A symbolic link in the last place is refused, because somebody else may have put it into a
// common folder such as the one for temporary files.
#include "backend/file_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_errno.h"
#include "base/alloc.h"
#include "base/status.h"

// Slashes at the end would make O_NOFOLLOW follow.
static size_t plain_len(const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/') {
        len--;
    }
    return len;
}

static cachekit_status open_path(const char *path, int *dir_fd, cachekit_error *error)
{
    if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST) {
        return cki_file_fail(error, errno, CKI_FILE_IN_DIRECTORY, "cannot make the directory");
    }
    *dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*dir_fd < 0) {
        return cki_file_fail(error, errno, CKI_FILE_IN_DIRECTORY,
                             "cannot open the directory (a symbolic link is refused)");
    }
    return CACHEKIT_OK;
}

static cachekit_status judge(int dir_fd, cachekit_error *error)
{
    struct stat found;
    if (fstat(dir_fd, &found) != 0) {
        return cki_file_fail(error, errno, CKI_FILE_IN_DIRECTORY, "cannot look at the directory");
    }
    if (found.st_uid != geteuid()) {
        return cki_fail(
            error, CACHEKIT_E_CONFIG, 0,
            "file backend: the directory belongs to another user: name one of your own");
    }
    if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return cki_fail(error, CACHEKIT_E_CONFIG, 0,
                        "file backend: others may write to the directory: chmod go-w it");
    }
    return CACHEKIT_OK;
}

cachekit_status cki_file_dir_open(const char *path, const cachekit_allocator *allocator,
                                  int *dir_fd, cachekit_error *error)
{
    *dir_fd = -1;
    size_t len = plain_len(path);
    char *plain = cki_alloc(allocator, len + 1);
    if (plain == NULL) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "file backend: out of memory");
    }
    memcpy(plain, path, len);
    plain[len] = '\0';
    cachekit_status status = open_path(plain, dir_fd, error);
    cki_free(allocator, plain, len + 1);
    if (status == CACHEKIT_OK) {
        status = judge(*dir_fd, error);
    }
    if (status != CACHEKIT_OK && *dir_fd >= 0) {
        (void)close(*dir_fd);
        *dir_fd = -1;
    }
    return status;
}
