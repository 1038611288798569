// SPDX-License-Identifier: MIT
// Addresses are tried in turn, each with its share of the time that is left, so that one that
// swallows packets does not hide the next.
#include "backend/redis_dial.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <hiredis.h>

#include "backend/instant.h"
#include "backend/redis_error.h"
#include "base/status.h"

static cachekit_status unreachable(cachekit_error *error, int number)
{
    (void)cki_fail(error, CACHEKIT_E_TRANSIENT, 0, "redis: no connection to the server");
    if (error != NULL) {
        error->foreign = number;
    }
    return CACHEKIT_E_TRANSIENT;
}

// A listening Unix socket whose queue is full says EAGAIN and tells nobody when it is not any more.
static int connect_once(int fd, const struct sockaddr *address, socklen_t len, int64_t deadline_ns)
{
    for (;;) {
        if (connect(fd, address, len) == 0) {
            return 0;
        }
        if (errno != EAGAIN || cki_instant_left_ms(deadline_ns) == 0) {
            return errno;
        }
        const struct timespec pause = {0, 1000000};
        (void)nanosleep(&pause, NULL);
    }
}

static cachekit_status finish_connect(int fd, int64_t deadline_ns, cachekit_error *error)
{
    int failure = 0;
    socklen_t len = sizeof failure;
    cachekit_status status = cki_wire_wait(fd, POLLOUT, deadline_ns, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &len) != 0) {
        failure = errno;
    }
    return failure == 0 ? CACHEKIT_OK : unreachable(error, failure);
}

static cachekit_status open_socket(const struct sockaddr *address, socklen_t len,
                                   int64_t deadline_ns, int *out, cachekit_error *error)
{
    const int on = 1;
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return unreachable(error, errno);
    }
    if (address->sa_family != AF_UNIX) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    }
    cachekit_status status = CACHEKIT_OK;
    int failure = connect_once(fd, address, len, deadline_ns);
    if (failure == EINPROGRESS || failure == EINTR) {
        status = finish_connect(fd, deadline_ns, error);
    } else if (failure == EAGAIN) {
        status = cki_fail(error, CACHEKIT_E_TIMEOUT, 0, "redis: the server's queue stayed full");
    } else if (failure != 0) {
        status = unreachable(error, failure);
    }
    if (status != CACHEKIT_OK) {
        (void)close(fd);
        return status;
    }
    *out = fd;
    return CACHEKIT_OK;
}

static cachekit_status open_path(const char *path, int64_t deadline_ns, int *fd,
                                 cachekit_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return open_socket((const struct sockaddr *)&address, sizeof address, deadline_ns, fd, error);
}

static cachekit_status open_name(struct cki_name *name, int64_t deadline_ns, int *fd,
                                 cachekit_error *error)
{
    struct cki_addresses found;
    cachekit_status status = cki_name_find(name, deadline_ns, &found, error);
    for (int i = 0; status == CACHEKIT_OK && i < found.count; i++) {
        int64_t now = cki_instant_ns();
        int64_t until = deadline_ns;
        if (deadline_ns > now) {
            until = now + (deadline_ns - now) / (found.count - i);
        }
        cachekit_status tried =
            open_socket((const struct sockaddr *)&found.at[i], found.len[i], until, fd, error);
        if (tried == CACHEKIT_OK) {
            return CACHEKIT_OK;
        }
        status = i + 1 < found.count ? CACHEKIT_OK : tried;
    }
    return status;
}

// One command of the login; what is no "OK" is a failure of `class`, unless it has one of its own.
static cachekit_status insist(struct cki_link *link, int argc, const char **argv,
                              cachekit_status class, int64_t deadline_ns, cachekit_error *error)
{
    char *bytes = NULL;
    struct cki_answer answer = {.bulk = NULL};
    int len = redisFormatCommandArgv(&bytes, argc, argv, NULL);
    if (len < 0) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for a command");
    }
    cachekit_slice command = {(const uint8_t *)bytes, (size_t)len};
    cachekit_status status =
        cki_wire_ask(link, command, &answer, CKI_WIRE_CHUNK, deadline_ns, error);
    memset(bytes, 0, (size_t)len);
    redisFreeCommand(bytes);
    if (status != CACHEKIT_OK) {
        return status;
    }
    if (answer.kind == CKI_ANSWER_STATUS && strcmp(answer.line, "OK") == 0) {
        return CACHEKIT_OK;
    }
    const struct cki_redis_error *row = cki_redis_error_find(answer.line);
    if (answer.kind != CKI_ANSWER_ERROR || row->status == CACHEKIT_E_UNKNOWN) {
        return cki_fail(error, class, 0, "redis: the server refuses %s", argv[0]);
    }
    return cki_redis_error_tell(row, error);
}

static cachekit_status log_in(const struct cki_url *url, struct cki_link *link, int64_t deadline_ns,
                              cachekit_error *error)
{
    cachekit_status status = CACHEKIT_OK;
    if (url->has_password) {
        const char *argv[] = {"AUTH", url->user, url->password};
        if (url->user[0] == '\0') {
            argv[1] = url->password;
        }
        status = insist(link, url->user[0] == '\0' ? 2 : 3, argv, CACHEKIT_E_REMOTE_AUTH,
                        deadline_ns, error);
    }
    if (status == CACHEKIT_OK && url->db != 0) {
        char db[16];
        (void)snprintf(db, sizeof db, "%u", (unsigned)url->db);
        const char *argv[] = {"SELECT", db};
        status = insist(link, 2, argv, CACHEKIT_E_CONFIG, deadline_ns, error);
    }
    return status;
}

cachekit_status cki_redis_dial(const struct cki_redis *self, struct cki_name *name,
                               struct cki_link *link, int64_t deadline_ns, cachekit_error *error)
{
    int fd = -1;
    cachekit_status status = name == NULL ? open_path(self->url.path, deadline_ns, &fd, error)
                                          : open_name(name, deadline_ns, &fd, error);
    if (status == CACHEKIT_OK) {
        status = cki_wire_open(link, fd, self->allocator, error);
    }
    if (status == CACHEKIT_OK) {
        status = log_in(&self->url, link, deadline_ns, error);
    }
    if (status != CACHEKIT_OK) {
        cki_wire_close(link);
    }
    return status;
}
