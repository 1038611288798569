// SPDX-License-Identifier: MIT
// read() and write() until all is there: both may do a part, be interrupted by a signal, or find a
// descriptor that somebody made non-blocking.
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

enum { PIECE_BYTES = 64 * 1024, FIRST_ROOM_MAX = 64 * 1024 * 1024 };

// After a call that failed: whether to do it again.
static bool is_worth_another(int fd, short events)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        struct pollfd wanted = {.fd = fd, .events = events};
        (void)poll(&wanted, 1, -1);
        return true;
    }
    return errno == EINTR;
}

static cachekit_status refuse_length(size_t limit, cachekit_error *error)
{
    return complaint_set(error, CACHEKIT_E_TOO_LARGE, "the input is over %zu bytes", limit);
}

static cachekit_status read_rest(int fd, size_t limit, cachekit_buffer *out, cachekit_error *error)
{
    for (;;) {
        size_t wanted = out->room - out->len;
        if (wanted == 0) {
            if (cachekit_buffer_reserve(out, PIECE_BYTES) < 0) {
                return complaint_set(error, CACHEKIT_E_NOMEM, "no memory for the input");
            }
            wanted = out->room - out->len;
        }
        if (wanted > limit + 1 - out->len) {
            wanted = limit + 1 - out->len;
        }
        ssize_t got = read(fd, out->data + out->len, wanted);
        if (got < 0 && !is_worth_another(fd, POLLIN)) {
            return complaint_set(error, CACHEKIT_E_UNKNOWN, "could not read the input: %s",
                                 strerror(errno));
        }
        if (got == 0) {
            return CACHEKIT_OK;
        }
        out->len += got > 0 ? (size_t)got : 0;
        if (out->len > limit) {
            return refuse_length(limit, error);
        }
    }
}

static cachekit_status read_descriptor(int fd, size_t limit, cachekit_buffer *out,
                                       cachekit_error *error)
{
    struct stat about;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        off_t at = lseek(fd, 0, SEEK_CUR);
        off_t left = at > 0 && at < about.st_size ? about.st_size - at : about.st_size;
        if (left > 0 && (uintmax_t)left > limit) {
            return refuse_length(limit, error);
        }
        size_t room = left < FIRST_ROOM_MAX ? (size_t)left + 1 : FIRST_ROOM_MAX;
        if (cachekit_buffer_reserve(out, room) < 0) {
            return complaint_set(error, CACHEKIT_E_NOMEM, "no memory for the input");
        }
    }
    return read_rest(fd, limit, out, error);
}

cachekit_status stream_read(const char *file, size_t limit, cachekit_buffer *out,
                            cachekit_error *error)
{
    if (file == NULL) {
        return read_descriptor(STDIN_FILENO, limit, out, error);
    }
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return complaint_set(error, CACHEKIT_E_UNKNOWN, "could not open the file: %s",
                             strerror(errno));
    }
    cachekit_status status = read_descriptor(fd, limit, out, error);
    (void)close(fd); // nothing was written
    return status;
}

cachekit_status stream_write(cachekit_slice bytes, cachekit_error *error)
{
    size_t done = 0;
    while (done < bytes.len) {
        ssize_t put = write(STDOUT_FILENO, bytes.data + done, bytes.len - done);
        if (put < 0 && !is_worth_another(STDOUT_FILENO, POLLOUT)) {
            return complaint_set(error, CACHEKIT_E_UNKNOWN,
                                 "could not write the result to stdout: %s", strerror(errno));
        }
        done += put > 0 ? (size_t)put : 0;
    }
    return CACHEKIT_OK;
}
