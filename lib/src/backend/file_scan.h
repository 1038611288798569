// SPDX-License-Identifier: MIT
// One look through the whole directory, which may be spread over several calls.
#ifndef CKI_FILE_SCAN_H
#define CKI_FILE_SCAN_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cachekit/allocator.h>

#include "backend/file_entry.h"

struct cki_file_found {
    int64_t changed_ns;
    int64_t bytes;
    uint64_t inode;
    uint8_t digest[CKI_FILE_DIGEST_BYTES];
};

struct cki_file_scan {
    DIR *stream; // NULL: no scan is under way
    pid_t pid;   // who opened it
    int dir_fd;
    const cachekit_allocator *allocator;
    int64_t stale_before_ns; // temporary files from before are removed
    int64_t bytes;           // of the entries found so far
    struct cki_file_found *found;
    size_t count;
    size_t room;
    int failed; // errno
};

enum cki_file_scanned { CKI_FILE_SCAN_DONE, CKI_FILE_SCAN_PAUSED, CKI_FILE_SCAN_FAILED };

bool cki_file_scan_begin(struct cki_file_scan *scan, int dir_fd,
                         const cachekit_allocator *allocator);

// Goes on until the end or the deadline. FAILED: the scan must be ended.
enum cki_file_scanned cki_file_scan_step(struct cki_file_scan *scan, int64_t deadline_ns);

// Takes the entry that changed longest ago off the list; false: none is left. Call
// cki_file_scan_order() first.
void cki_file_scan_order(struct cki_file_scan *scan);
bool cki_file_scan_pop(struct cki_file_scan *scan, struct cki_file_found *oldest);

void cki_file_scan_end(struct cki_file_scan *scan);

#endif
