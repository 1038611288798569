// SPDX-License-Identifier: MIT
// Each call asks whether it is the one that fails, and is passed on otherwise.
#include "file_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

struct file_calls file_calls = {.fail_at = -1, .fail_always = -1};

int __real_mkdir(const char *path, mode_t mode);
int __real_open(const char *path, int flags, ...);
int __real_openat(int dir, const char *path, int flags, ...);
int __real_fstat(int fd, struct stat *out);
int __real_fstatat(int dir, const char *path, struct stat *out, int flags);
int __real_flock(int fd, int operation);
ssize_t __real_read(int fd, void *out, size_t len);
ssize_t __real_writev(int fd, const struct iovec *parts, int count);
int __real_fsync(int fd);
int __real_close(int fd);
int __real_renameat(int from_dir, const char *from, int to_dir, const char *to);
int __real_unlinkat(int dir, const char *path, int flags);
DIR *__real_fdopendir(int fd);
struct dirent *__real_readdir(DIR *stream);
int __real_clock_gettime(clockid_t id, struct timespec *now);

int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_open(const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_fstat(int fd, struct stat *out);
int __wrap_fstatat(int dir, const char *path, struct stat *out, int flags);
int __wrap_flock(int fd, int operation);
ssize_t __wrap_read(int fd, void *out, size_t len);
ssize_t __wrap_writev(int fd, const struct iovec *parts, int count);
int __wrap_fsync(int fd);
int __wrap_close(int fd);
int __wrap_renameat(int from_dir, const char *from, int to_dir, const char *to);
int __wrap_unlinkat(int dir, const char *path, int flags);
DIR *__wrap_fdopendir(int fd);
struct dirent *__wrap_readdir(DIR *stream);
int __wrap_clock_gettime(clockid_t id, struct timespec *now);

static const char *const names[CALL_KINDS] = {
    "mkdir",  "open",  "openat", "fstat",    "fstatat",  "flock",     "read",
    "writev", "fsync", "close",  "renameat", "unlinkat", "fdopendir", "readdir",
};

const char *file_call_name(enum file_call call)
{
    return names[call];
}

void file_calls_arm(void)
{
    file_calls.armed = true;
    file_calls.count = 0;
    file_calls.fired = 0;
    file_calls.fail_at = -1;
    file_calls.fail_always = -1;
    file_calls.write_max = 0;
    file_calls.before = NULL;
}

int file_calls_disarm(void)
{
    file_calls.armed = false;
    return file_calls.count;
}

int file_calls_of(enum file_call call)
{
    int found = 0;
    for (int i = 0; i < file_calls.count; i++) {
        found += file_calls.list[i] == call;
    }
    return found;
}

// Whether this call is to fail; errno is set then.
static bool fails(enum file_call call)
{
    if (!file_calls.armed) {
        return false;
    }
    int index = file_calls.count;
    if (index < FILE_CALLS_MAX) {
        file_calls.list[index] = (unsigned char)call;
        file_calls.count++;
    }
    if (file_calls.before != NULL) {
        file_calls.armed = false; // what the hook calls is not ours
        file_calls.before(index, call);
        file_calls.armed = true;
    }
    if (index != file_calls.fail_at && (int)call != file_calls.fail_always) {
        return false;
    }
    file_calls.fired++;
    errno = file_calls.code;
    return true;
}

#define PASS(call, value, failed)                                                                  \
    do {                                                                                           \
        if (!fails(call)) {                                                                        \
            return value;                                                                          \
        }                                                                                          \
        return failed;                                                                             \
    } while (0)

int __wrap_mkdir(const char *path, mode_t mode)
{
    PASS(CALL_MKDIR, __real_mkdir(path, mode), -1);
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    PASS(CALL_OPEN, __real_open(path, flags, mode), -1);
}

int __wrap_openat(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    PASS(CALL_OPENAT, __real_openat(dir, path, flags, mode), -1);
}

int __wrap_fstat(int fd, struct stat *out)
{
    PASS(CALL_FSTAT, __real_fstat(fd, out), -1);
}

int __wrap_fstatat(int dir, const char *path, struct stat *out, int flags)
{
    PASS(CALL_FSTATAT, __real_fstatat(dir, path, out, flags), -1);
}

int __wrap_flock(int fd, int operation)
{
    PASS(CALL_FLOCK, __real_flock(fd, operation), -1);
}

ssize_t __wrap_read(int fd, void *out, size_t len)
{
    PASS(CALL_READ, __real_read(fd, out, len), -1);
}

ssize_t __wrap_writev(int fd, const struct iovec *parts, int count)
{
    if (fails(CALL_WRITEV)) {
        return -1;
    }
    if (!file_calls.armed || file_calls.write_max == 0) {
        return __real_writev(fd, parts, count);
    }
    struct iovec cut[8];
    size_t left = file_calls.write_max;
    memcpy(cut, parts, (size_t)count * sizeof *cut);
    for (int i = 0; i < count; i++) {
        cut[i].iov_len = cut[i].iov_len < left ? cut[i].iov_len : left;
        left -= cut[i].iov_len;
    }
    return __real_writev(fd, cut, count);
}

int __wrap_fsync(int fd)
{
    PASS(CALL_FSYNC, __real_fsync(fd), -1);
}

int __wrap_close(int fd)
{
    // A close() that fails has closed all the same.
    if (fails(CALL_CLOSE)) {
        int code = errno;
        (void)__real_close(fd);
        errno = code;
        return -1;
    }
    return __real_close(fd);
}

int __wrap_renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    PASS(CALL_RENAMEAT, __real_renameat(from_dir, from, to_dir, to), -1);
}

int __wrap_unlinkat(int dir, const char *path, int flags)
{
    PASS(CALL_UNLINKAT, __real_unlinkat(dir, path, flags), -1);
}

DIR *__wrap_fdopendir(int fd)
{
    PASS(CALL_FDOPENDIR, __real_fdopendir(fd), NULL);
}

struct dirent *__wrap_readdir(DIR *stream)
{
    PASS(CALL_READDIR, __real_readdir(stream), NULL);
}

int __wrap_clock_gettime(clockid_t id, struct timespec *now)
{
    int result = __real_clock_gettime(id, now);
    if (id == CLOCK_REALTIME && file_calls.wall_ns != 0) {
        now->tv_sec = (time_t)(file_calls.wall_ns / 1000000000);
        now->tv_nsec = (long)(file_calls.wall_ns % 1000000000);
    } else if (id == CLOCK_MONOTONIC) {
        now->tv_sec += (time_t)(file_calls.past_ns / 1000000000);
    }
    return result;
}

// The names that the C library has for programs with large files, which are the same functions
// where files are always large.
int __wrap_open64(const char *path, int flags, ...) __attribute__((alias("__wrap_open")));
int __wrap_openat64(int dir, const char *path, int flags, ...)
    __attribute__((alias("__wrap_openat")));
int __wrap_fstat64(int fd, struct stat *out) __attribute__((alias("__wrap_fstat")));
int __wrap_fstatat64(int dir, const char *path, struct stat *out, int flags)
    __attribute__((alias("__wrap_fstatat")));
struct dirent *__wrap_readdir64(DIR *stream) __attribute__((alias("__wrap_readdir")));
