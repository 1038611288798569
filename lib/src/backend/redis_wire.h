// SPDX-License-Identifier: MIT
// Bytes over one socket: all waits end at an absolute deadline, nothing raises SIGPIPE.
#ifndef CKI_REDIS_WIRE_H
#define CKI_REDIS_WIRE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <cachekit/bytes.h>

#include "backend/redis_answer.h"

enum { CKI_WIRE_CHUNK = 65536 };

// One connection. `fd`, `device` and `inode` are all that a forked child reads of it.
struct cki_link {
    atomic_int fd; // -1: closed
    dev_t device;
    ino_t inode;
    struct redisReader *reader;
    uint8_t *chunk; // CKI_WIRE_CHUNK bytes, kept while closed
    bool is_proven; // it has answered once
    uint32_t node;
    uint32_t epoch; // of the node when it was dialled
    uint32_t next;  // in the pool's lists
};

// Takes over a connected, nonblocking socket, which it closes on failure.
CACHEKIT_MUST_CHECK cachekit_status cki_wire_open(struct cki_link *link, int fd,
                                                  const cachekit_allocator *allocator,
                                                  cachekit_error *error);
void cki_wire_close(struct cki_link *link);

// Nothing has come since the last answer and the other side is still there.
bool cki_wire_is_quiet(const struct cki_link *link);

// Waits for poll's `events`: CACHEKIT_OK or CACHEKIT_E_TIMEOUT.
CACHEKIT_MUST_CHECK cachekit_status cki_wire_wait(int fd, short events, int64_t deadline_ns,
                                                  cachekit_error *error);

// One command, one answer of at most `answer_max` bytes. After a failure, bytes may be anywhere:
// close the link.
CACHEKIT_MUST_CHECK cachekit_status cki_wire_ask(struct cki_link *link, cachekit_slice command,
                                                 struct cki_answer *answer, size_t answer_max,
                                                 int64_t deadline_ns, cachekit_error *error);

// Commands behind one another, and who is told of each answer in their order. Few and small ones:
// nothing is read before all is sent.
struct cki_questions {
    cachekit_slice commands;
    size_t count;
    void (*each)(void *context, size_t number, const struct cki_answer *answer);
    void *context;
};
CACHEKIT_MUST_CHECK cachekit_status cki_wire_ask_many(struct cki_link *link,
                                                      const struct cki_questions *questions,
                                                      struct cki_answer *answer, size_t answer_max,
                                                      int64_t deadline_ns, cachekit_error *error);

#endif
