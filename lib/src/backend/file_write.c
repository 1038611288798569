// SPDX-License-Identifier: MIT
// A temporary file, fsync, rename. The name holds the number of the process and the time at which
// the backend was made, and a number that counts up; a child of fork() shares all of them with its
// parent, so a name that is taken is no error but a reason to count on.
#include "backend/file_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "backend/file_errno.h"

// Always as many digits, so that every set costs the same.
enum { TRIES_MAX = 64, DIGITS = 10 };
enum { TEMP_NAME_ROOM = CKI_FILE_NAME_ROOM + CKI_FILE_TEMP_ROOM + DIGITS };

static void temp_name(struct cki_file_backend *self, const char *name, char out[TEMP_NAME_ROOM])
{
    uint64_t number = atomic_fetch_add_explicit(&self->temp_number, 1, memory_order_relaxed);
    memcpy(out, name, CKI_FILE_NAME_LEN);
    memcpy(out + CKI_FILE_NAME_LEN, self->temp_part, self->temp_part_len);
    char *digits = out + CKI_FILE_NAME_LEN + self->temp_part_len;
    for (int i = DIGITS - 1; i >= 0; i--) {
        digits[i] = (char)('0' + number % 10);
        number /= 10;
    }
    digits[DIGITS] = '\0';
}

static int make_temp(struct cki_file_backend *self, const char *name, char temp[TEMP_NAME_ROOM])
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    for (int i = 0; i < TRIES_MAX; i++) {
        temp_name(self, name, temp);
        int fd = openat(self->dir_fd, temp, flags, S_IRUSR | S_IWUSR);
        if (fd >= 0 || (errno != EEXIST && errno != EINTR)) {
            return fd;
        }
    }
    return -1;
}

// `at` bytes of header and value are written already.
static ssize_t write_from(int fd, const uint8_t *header, cachekit_slice value, size_t at)
{
    size_t skip = at < CKI_FILE_HEADER_BYTES ? at : CKI_FILE_HEADER_BYTES;
    size_t value_at = at - skip;
    // writev() only reads, but its struct is made for readv() as well.
    struct iovec parts[2] = {
        {(void *)(uintptr_t)(header + skip), CKI_FILE_HEADER_BYTES - skip},
        {(void *)(uintptr_t)(value.len > 0 ? value.data + value_at : header), value.len - value_at},
    };
    return writev(fd, parts, 2);
}

static bool write_all(int fd, const uint8_t *header, cachekit_slice value)
{
    size_t len = CKI_FILE_HEADER_BYTES + value.len;
    for (size_t at = 0; at < len;) {
        ssize_t wrote = write_from(fd, header, value, at);
        if (wrote == 0) {
            errno = EIO; // no file system of ours does that, and it would have no end
        }
        if (wrote == 0 || (wrote < 0 && errno != EINTR)) {
            return false;
        }
        at += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

static bool sync_all(int fd)
{
    while (fsync(fd) != 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

int64_t cki_file_bytes(const struct cki_file_backend *self, const char *name)
{
    struct stat file;
    bool is_entry =
        fstatat(self->dir_fd, name, &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(file.st_mode);
    return is_entry ? (int64_t)file.st_size : -1;
}

cachekit_status cki_file_write(struct cki_file_backend *self, const char *name, uint64_t expiry_s,
                               cachekit_slice value, cachekit_error *error)
{
    char temp[TEMP_NAME_ROOM];
    int fd = make_temp(self, name, temp);
    if (fd < 0) {
        return cki_file_fail(error, errno, CKI_FILE_IN_DIRECTORY, "cannot make a temporary file");
    }
    uint8_t header[CKI_FILE_HEADER_BYTES];
    cki_file_header_write(header, expiry_s);
    const char *doing = "cannot write a temporary file";
    int code = write_all(fd, header, value) && sync_all(fd) ? 0 : errno;
    if (close(fd) != 0 && code == 0) {
        code = errno;
    }
    if (code == 0) {
        int64_t old = cki_file_bytes(self, name);
        if (renameat(self->dir_fd, temp, self->dir_fd, name) == 0) {
            cki_file_room_add(&self->room, old, (int64_t)(value.len + sizeof header));
            return CACHEKIT_OK;
        }
        code = errno;
        doing = "cannot rename a temporary file";
    }
    (void)unlinkat(self->dir_fd, temp, 0);
    return cki_file_fail(error, code, CKI_FILE_IN_DIRECTORY, doing);
}

cachekit_status cki_file_remove(struct cki_file_backend *self, const char *name,
                                cachekit_error *error)
{
    int64_t bytes = cki_file_bytes(self, name);
    if (unlinkat(self->dir_fd, name, 0) != 0) {
        return errno == ENOENT
                   ? CACHEKIT_MISS
                   : cki_file_fail(error, errno, CKI_FILE_IN_DIRECTORY, "cannot remove an entry");
    }
    if (bytes >= 0) {
        cki_file_room_drop(&self->room, bytes);
    }
    return CACHEKIT_OK;
}
