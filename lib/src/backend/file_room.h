// SPDX-License-Identifier: MIT
// How full the directory is, in running totals, and who must leave. Writers and readers never wait:
// totals are atomic, and one thread at a time tidies while the others go on.
#ifndef CKI_FILE_ROOM_H
#define CKI_FILE_ROOM_H

#include <stdatomic.h>
#include <sys/stat.h>

#include "backend/file_scan.h"

typedef atomic_int_least64_t cki_file_total;

struct cki_file_room {
    int dir_fd;
    const cachekit_allocator *allocator;
    int64_t budget_bytes;
    int64_t entries_max;
    cki_file_total bytes; // may stray a little where threads set one key at once, until a scan
    cki_file_total entries;
    cki_file_total grown_bytes; // by our own sets since the last scan began
    cki_file_total grown_entries;
    cki_file_total due_ns;  // the next scan, of the monotonic clock
    cki_file_total rest_ns; // none before, since the last one could not help
    atomic_int tidier;      // the process whose thread tidies, 0: nobody
    // Of the tidier only:
    struct cki_file_scan scan;
    int64_t bytes_before; // totals when the scan began
    int64_t entries_before;
    int failed; // errno of the last scan, 0: none
};

// Counts what is there and removes stale temporary files.
CACHEKIT_MUST_CHECK cachekit_status cki_file_room_init(struct cki_file_room *room,
                                                       cachekit_error *error);
void cki_file_room_release(struct cki_file_room *room);

// Whether one more entry of `bytes` stays within both bounds.
bool cki_file_room_has(const struct cki_file_room *room, int64_t bytes);

// An entry of `bytes` came in the place of one of `old_bytes` (-1: of none); one of `bytes` went.
void cki_file_room_add(struct cki_file_room *room, int64_t old_bytes, int64_t bytes);
void cki_file_room_drop(struct cki_file_room *room, int64_t bytes);

// Removes an entry if the name still means the very file that was looked at.
void cki_file_room_unlink(struct cki_file_room *room, const char *name, const struct stat *file);

// Scans and evicts if it is time for that, or if `must`; stops at the deadline, to go on next time.
void cki_file_room_tidy(struct cki_file_room *room, bool must, int64_t now_ns, int64_t deadline_ns);

#endif
