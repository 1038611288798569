// SPDX-License-Identifier: MIT
// hiredis parses, but never touches a socket: its own loops raise SIGPIPE, start their timeout anew
// with every byte that drips in, and know no bound. One send, one poll and one large recv are the
// usual answer.
#include "backend/redis_wire.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hiredis.h>

#include "backend/instant.h"
#include "base/alloc.h"
#include "base/status.h"

// A reader that has grown beyond this is made anew.
enum { READER_KEPT_BYTES = 1 << 20 };

static cachekit_status broke(cachekit_error *error, int number, const char *doing)
{
    (void)cki_fail(error, CACHEKIT_E_TRANSIENT, 0, "redis: the connection broke while %s", doing);
    if (error != NULL) {
        error->foreign = number;
    }
    return CACHEKIT_E_TRANSIENT;
}

cachekit_status cki_wire_open(struct cki_link *link, int fd, const cachekit_allocator *allocator,
                              cachekit_error *error)
{
    struct stat about;
    if (link->chunk == NULL) {
        link->chunk = cki_alloc(allocator, CKI_WIRE_CHUNK);
    }
    link->reader = link->chunk != NULL ? cki_answer_reader_new() : NULL;
    if (link->reader == NULL) {
        (void)close(fd);
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for a connection");
    }
    if (fstat(fd, &about) != 0) {
        about.st_dev = 0;
        about.st_ino = 0;
    }
    link->device = about.st_dev;
    link->inode = about.st_ino;
    link->is_proven = false;
    atomic_store_explicit(&link->fd, fd, memory_order_release);
    return CACHEKIT_OK;
}

void cki_wire_close(struct cki_link *link)
{
    // In this order: a child that is forked in between leaks a number, and closes none of its own.
    int fd = atomic_exchange(&link->fd, -1);
    if (fd >= 0) {
        (void)close(fd);
    }
    if (link->reader != NULL) {
        redisReaderFree(link->reader);
        link->reader = NULL;
    }
}

bool cki_wire_is_quiet(const struct cki_link *link)
{
    char byte;
    int fd = atomic_load_explicit(&link->fd, memory_order_relaxed);
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EINTR);
}

cachekit_status cki_wire_wait(int fd, short events, int64_t deadline_ns, cachekit_error *error)
{
    for (;;) {
        struct pollfd one = {fd, events, 0};
        int left_ms = cki_instant_left_ms(deadline_ns);
        int ready = left_ms > 0 ? poll(&one, 1, left_ms) : 0;
        if (ready > 0) {
            return CACHEKIT_OK;
        }
        if (left_ms == 0) {
            return cki_fail(error, CACHEKIT_E_TIMEOUT, 0, "redis: no answer before the deadline");
        }
        if (ready < 0 && errno != EINTR && errno != EAGAIN) {
            return broke(error, errno, "waiting");
        }
    }
}

static cachekit_status send_all(int fd, cachekit_slice bytes, int64_t deadline_ns,
                                cachekit_error *error)
{
    size_t done = 0;
    while (done < bytes.len) {
        ssize_t sent = send(fd, bytes.data + done, bytes.len - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            done += (size_t)sent;
        } else if (errno == EAGAIN) {
            cachekit_status status = cki_wire_wait(fd, POLLOUT, deadline_ns, error);
            if (status != CACHEKIT_OK) {
                return status;
            }
        } else if (errno != EINTR) {
            return broke(error, errno, "sending");
        }
    }
    return CACHEKIT_OK;
}

static cachekit_status receive_some(const struct cki_link *link, int64_t deadline_ns, size_t *len,
                                    cachekit_error *error)
{
    int fd = atomic_load_explicit(&link->fd, memory_order_relaxed);
    for (;;) {
        cachekit_status status = cki_wire_wait(fd, POLLIN, deadline_ns, error);
        if (status != CACHEKIT_OK) {
            return status;
        }
        ssize_t got = recv(fd, link->chunk, CKI_WIRE_CHUNK, MSG_DONTWAIT);
        if (got > 0) {
            *len = (size_t)got;
            return CACHEKIT_OK;
        }
        if (got == 0) {
            return broke(error, 0, "waiting for an answer");
        }
        if (errno != EAGAIN && errno != EINTR) {
            return broke(error, errno, "receiving");
        }
    }
}

static cachekit_status too_large(cachekit_error *error)
{
    return cki_fail(error, CACHEKIT_E_TOO_LARGE, 0, "redis: the answer is over reply_max_bytes");
}

// What a bulk of one text says about its length in its first bytes; 0 if it is something else.
static size_t announced(const uint8_t *bytes, size_t len)
{
    size_t number = 0;
    for (size_t i = 1; bytes[0] == '$' && i < len && bytes[i] >= '0' && bytes[i] <= '9'; i++) {
        if (number > SIZE_MAX / 16) {
            return SIZE_MAX;
        }
        number = number * 10 + (size_t)(bytes[i] - '0');
    }
    return number;
}

static cachekit_status parse_failed(const struct cki_link *link, const struct cki_answer *answer,
                                    cachekit_error *error)
{
    if (answer->refused == CACHEKIT_E_NOMEM ||
        (answer->refused == CACHEKIT_OK && link->reader->err == REDIS_ERR_OOM)) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for the answer");
    }
    return cki_fail(error, CACHEKIT_E_UNKNOWN, 0, "redis: the answer breaks the protocol");
}

// Some more bytes of an answer that has `*taken` so far.
static cachekit_status feed(const struct cki_link *link, size_t answer_max, int64_t deadline_ns,
                            size_t *taken, cachekit_error *error)
{
    size_t len = 0;
    bool is_first = *taken == 0 && link->reader->pos == link->reader->len;
    cachekit_status status = receive_some(link, deadline_ns, &len, error);
    if (status != CACHEKIT_OK) {
        return status;
    }
    if ((is_first && announced(link->chunk, len) > answer_max) || len > answer_max - *taken) {
        return too_large(error);
    }
    *taken += len;
    if (redisReaderFeed(link->reader, (const char *)link->chunk, len) != REDIS_OK) {
        return cki_fail(error, CACHEKIT_E_NOMEM, 0, "redis: no memory for the answer");
    }
    return CACHEKIT_OK;
}

static cachekit_status receive(struct cki_link *link, struct cki_answer *answer, size_t answer_max,
                               bool is_last, int64_t deadline_ns, cachekit_error *error)
{
    size_t taken = 0;
    void *built = NULL;
    link->reader->privdata = answer;
    for (;;) {
        if (redisReaderGetReply(link->reader, &built) != REDIS_OK) {
            return parse_failed(link, answer, error);
        }
        if (built != NULL) {
            break;
        }
        cachekit_status status = feed(link, answer_max, deadline_ns, &taken, error);
        if (status != CACHEKIT_OK) {
            return status;
        }
    }
    if (is_last && link->reader->pos != link->reader->len) {
        return cki_fail(error, CACHEKIT_E_UNKNOWN, 0, "redis: more answers than questions");
    }
    if (is_last && taken > READER_KEPT_BYTES) {
        redisReaderFree(link->reader);
        link->reader = cki_answer_reader_new();
    }
    return CACHEKIT_OK;
}

cachekit_status cki_wire_ask_many(struct cki_link *link, const struct cki_questions *questions,
                                  struct cki_answer *answer, size_t answer_max, int64_t deadline_ns,
                                  cachekit_error *error)
{
    int fd = atomic_load_explicit(&link->fd, memory_order_relaxed);
    cki_answer_reset(answer);
    cachekit_status status = send_all(fd, questions->commands, deadline_ns, error);
    for (size_t i = 0; status == CACHEKIT_OK && i < questions->count; i++) {
        cki_answer_reset(answer);
        status = receive(link, answer, answer_max, i + 1 == questions->count, deadline_ns, error);
        if (status == CACHEKIT_OK && questions->each != NULL) {
            questions->each(questions->context, i, answer);
        }
    }
    if (status != CACHEKIT_OK) {
        cki_answer_reset(answer);
    }
    return status;
}

cachekit_status cki_wire_ask(struct cki_link *link, cachekit_slice command,
                             struct cki_answer *answer, size_t answer_max, int64_t deadline_ns,
                             cachekit_error *error)
{
    const struct cki_questions one = {.commands = command, .count = 1};
    return cki_wire_ask_many(link, &one, answer, answer_max, deadline_ns, error);
}
