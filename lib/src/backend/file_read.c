// SPDX-License-Identifier: MIT
// Nothing that lies under a name is trusted: a link is not followed, a FIFO is not waited for, and
// only a regular file of our own is read.
#include "backend/file_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "backend/file_errno.h"
#include "base/status.h"

#define NS_PER_S INT64_C(1000000000)

static ssize_t read_some(int fd, void *out, size_t len)
{
    ssize_t got;
    do {
        got = read(fd, out, len);
    } while (got < 0 && errno == EINTR);
    return got;
}

// The lock is for the other SDKs, which rewrite an expiry in place under an exclusive one.
static cachekit_status check(struct cki_file_backend *self, const char *name,
                             struct cki_file_opened *opened, cachekit_error *error)
{
    if (fstat(opened->fd, &opened->file) != 0) {
        return cki_file_fail(error, errno, CKI_FILE_IN_ENTRY, "cannot look at an entry");
    }
    if (!S_ISREG(opened->file.st_mode) || opened->file.st_uid != geteuid()) {
        return CACHEKIT_MISS;
    }
    if (flock(opened->fd, LOCK_SH | LOCK_NB) != 0) {
        return cki_file_fail(error, errno, CKI_FILE_IN_ENTRY, "cannot lock an entry");
    }
    uint8_t header[CKI_FILE_HEADER_BYTES];
    ssize_t got = read_some(opened->fd, header, sizeof header);
    if (got < 0) {
        return cki_file_fail(error, errno, CKI_FILE_IN_ENTRY, "cannot read an entry");
    }
    // A file that grows while it is read is none of a cache's.
    size_t len = opened->file.st_size < got ? (size_t)opened->file.st_size : (size_t)got;
    int64_t now_s = cki_file_wall_ns() / NS_PER_S;
    enum cki_file_state state = cki_file_header_read(header, len, now_s, &opened->expiry_s);
    if (state == CKI_FILE_DAMAGED || state == CKI_FILE_EXPIRED) {
        cki_file_room_unlink(&self->room, name, &opened->file);
    }
    return state == CKI_FILE_LIVE ? CACHEKIT_OK : CACHEKIT_MISS;
}

cachekit_status cki_file_open(struct cki_file_backend *self, const char *name,
                              struct cki_file_opened *opened, cachekit_error *error)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    do {
        opened->fd = openat(self->dir_fd, name, flags);
    } while (opened->fd < 0 && errno == EINTR);
    if (opened->fd < 0) {
        // No file, a link, a socket or a device that is not there.
        bool none = errno == ENOENT || errno == ELOOP || errno == ENXIO || errno == ENODEV;
        return none ? CACHEKIT_MISS
                    : cki_file_fail(error, errno, CKI_FILE_IN_ENTRY, "cannot open an entry");
    }
    cachekit_status status = check(self, name, opened, error);
    if (status != CACHEKIT_OK) {
        (void)close(opened->fd);
    }
    return status;
}

cachekit_status cki_file_read(const struct cki_file_backend *self,
                              const struct cki_file_opened *opened, cachekit_buffer *value,
                              cachekit_error *error)
{
    int64_t bytes = opened->file.st_size - CKI_FILE_HEADER_BYTES;
    if (bytes > self->value_max_bytes) {
        return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0,
                        "file backend: an entry is over value_max_bytes");
    }
    size_t len = (size_t)bytes;
    if (cachekit_buffer_reserve(value, len) != CACHEKIT_OK) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "file backend: out of memory");
    }
    size_t at = 0;
    while (at < len) {
        ssize_t got = read_some(opened->fd, value->data + at, len - at);
        if (got < 0) {
            return cki_file_fail(error, errno, CKI_FILE_IN_ENTRY, "cannot read an entry");
        }
        if (got == 0) {
            return CACHEKIT_MISS; // somebody cut it meanwhile
        }
        at += (size_t)got;
    }
    value->len = len;
    return CACHEKIT_OK;
}
