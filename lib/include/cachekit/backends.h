// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_BACKENDS_H
#define CACHEKIT_BACKENDS_H

#include <cachekit/allocator.h>
#include <cachekit/backend.h>
#include <cachekit/clock.h>
#include <cachekit/entropy.h>

CACHEKIT_BEGIN_DECLS

/*
 * The backends that come with the library. Zero in any member of an options struct means the
 * default; members are only ever appended. Constructors answer CACHEKIT_E_INVALID or
 * CACHEKIT_E_CONFIG with the member's name, or CACHEKIT_E_NOMEM, and then set `*out` to NULL.
 */

/**
 * In this process: for tests and measurements. Exact LRU over a byte budget; only get and set are a
 * use. An entry over the budget is CACHEKIT_E_TOO_LARGE. A call without a latency takes a lock for
 * a moment and looks at no deadline; one that a latency makes late does nothing. Locks have names
 * of their own, beside the entries, and are not evicted. A child of fork() or clone() starts empty.
 */
typedef struct cachekit_memory_backend_options {
    size_t size;
    size_t budget_bytes;         /* keys, values and overhead; default 100 MiB */
    const cachekit_clock *clock; /* of the entries' lives */
    /** Not NULL: how long the next call shall take, in ns; it then sleeps, up to its deadline. */
    int64_t (*latency_ns)(void *context);
    void *latency_context;
    const cachekit_allocator *allocator;
} cachekit_memory_backend_options;
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_memory_backend_new(
    const cachekit_memory_backend_options *options, cachekit_backend **out, cachekit_error *error);

/**
 * One file per entry in a flat directory, the layout that the other SDKs share. The directory is
 * made with mode 0700 if it is not there, and refused if it belongs to another user or if group or
 * others may write to it, or if its last part is a symbolic link. What the operating system says
 * against it is an error of its class (backend.h), with errno in `error->foreign`.
 *
 * A set is atomic (temporary file, fsync, rename): readers and a killed writer leave the old value
 * or the new one, whole. The directory is not synced, so a loss of power may undo a set. A value
 * that was cut or changed on the disk is for the layers above to notice: the format has no
 * checksum.
 *
 * Lives are whole seconds of the wall clock, rounded up; under 1,000 ms or over ten years is
 * CACHEKIT_E_INVALID. A file that a later version wrote (reserved byte or flags) is a miss and
 * kept.
 *
 * At 90 % of a bound the entries written longest ago go, down to 70 %, in the set that went over,
 * up to its deadline. A new key at the bound itself is refused with CACHEKIT_E_FULL if making room
 * does not help. Totals are kept in memory; what other processes write is found by a scan of the
 * directory: at the start, by a set a minute after the last one, and when sets have added a tenth
 * of a bound. The same scans remove temporary files that are more than a minute old.
 *
 * Calls wait for no lock. An entry that another SDK is changing at this moment is
 * CACHEKIT_E_TIMEOUT.
 */
typedef struct cachekit_file_backend_options {
    size_t size;
    const char *directory;
    uint64_t budget_bytes;    /* default 1 GiB; 1 MiB to 1,000,000 MiB */
    uint64_t value_max_bytes; /* default 100 MiB, at most half the budget */
    uint32_t entries_max;     /* default 10,000; 100 to 1,000,000 */
    const cachekit_allocator *allocator;
} cachekit_file_backend_options;
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_file_backend_new(
    const cachekit_file_backend_options *options, cachekit_backend **out, cachekit_error *error);

/**
 * Redis, one node or a Cluster. Connects on first use. URLs:
 * `redis://[user:password@]host[:port][/db]`, `unix://[user:password@]/path[?db=N]`,
 * `redis+cluster://[user:password@]host[:port]`; user, password and path are percent-encoded and
 * never shown in a message. `rediss://` is refused: there is no TLS.
 *
 * An error reply that begins with one of these words has this status (its effect: backend.h), and
 * the connection it came over is kept or closed:
 *
 * | reply begins              | status        | connection |
 * |---------------------------|---------------|------------|
 * | LOADING                   | E_TRANSIENT   | kept       |
 * | BUSY                      | E_TRANSIENT   | kept       |
 * | TRYAGAIN                  | E_TRANSIENT   | kept       |
 * | CLUSTERDOWN               | E_TRANSIENT   | kept       |
 * | MISCONF                   | E_TRANSIENT   | kept       |
 * | MASTERDOWN                | E_TRANSIENT   | closed     |
 * | READONLY                  | E_TRANSIENT   | closed     |
 * | ERR max number of clients | E_TRANSIENT   | closed     |
 * | NOAUTH                    | E_REMOTE_AUTH | closed     |
 * | WRONGPASS                 | E_REMOTE_AUTH | closed     |
 * | NOPERM                    | E_REMOTE_AUTH | closed     |
 * | OOM                       | E_FULL        | kept       |
 * | WRONGTYPE                 | E_WRONG_TYPE  | kept       |
 * | MOVED                     | E_CONFIG      | kept       |
 * | ASK                       | E_CONFIG      | kept       |
 * | ERR invalid expire time   | E_INVALID     | closed     |
 * | (anything else)           | E_UNKNOWN     | closed     |
 *
 * On a Cluster MOVED and ASK are followed, within the deadline. An answer of a kind that does not
 * belong to the question, and more answers than questions, are E_UNKNOWN and the end of the
 * connection: none is ever taken for that of another question. After MASTERDOWN and READONLY the
 * host's name is resolved anew and no older connection to it is used again.
 *
 * A dial that fails is followed by a pause, `backoff_first_ms` doubling up to `backoff_max_ms`,
 * times 0.5 to 1.5 at random. Meanwhile whoever would have to dial fails at once: E_TRANSIENT, or
 * E_REMOTE_AUTH or E_CONFIG if that is why the dial failed. Names are resolved on a thread that is
 * started for it; while the resolver hangs, the last good addresses do.
 *
 * After fork, and after a raw clone, the child closes what it inherited (without a word to the
 * server) at its first use and connects afresh; what its parent's connections had allocated stays
 * allocated in the child.
 */
typedef struct cachekit_redis_backend_options {
    size_t size;
    const char *url;
    /**
     * Not NULL: keys are stored as `t:{tenant}:{key}`, as by Python's backend that is chosen by the
     * environment (tenant `default`); NULL: as they are, as by its RedisBackend made by hand.
     */
    const char *tenant;
    uint32_t connections_max; /* default 50; who finds none free waits, up to the deadline */
    size_t reply_max_bytes;   /* of one reply; default and at most 512 MiB and 64 KiB */
    int64_t backoff_first_ms; /* pause after a failed dial, doubling with jitter; default 100 */
    int64_t backoff_max_ms;   /* default 30,000; meanwhile calls fail at once */
    const cachekit_allocator *allocator;
    const cachekit_entropy *entropy; /* of lock tokens and jitter */
} cachekit_redis_backend_options;
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_redis_backend_new(
    const cachekit_redis_backend_options *options, cachekit_backend **out, cachekit_error *error);

/** By address: a URL of Redis as above, `file:DIRECTORY` or `memory:`; all options default. */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_backend_open(const char *address,
                                                                       cachekit_backend **out,
                                                                       cachekit_error *error);

CACHEKIT_END_DECLS

#endif
