// SPDX-License-Identifier: MIT
// What the files of the file backend share.
#ifndef CKI_FILE_INSIDE_H
#define CKI_FILE_INSIDE_H

#include <cachekit/backend.h>

#include "backend/file_room.h"

enum { CKI_FILE_TEMP_ROOM = 64 };

struct cki_file_backend {
    cachekit_backend base;
    const cachekit_allocator *allocator;
    int dir_fd;
    int64_t value_max_bytes;
    struct cki_file_room room;
    char temp_part[CKI_FILE_TEMP_ROOM]; // ".tmp.{pid}.{ns}.", between the name and a number
    size_t temp_part_len;
    atomic_uint_least64_t temp_number;
};

struct cki_file_opened {
    int fd;
    struct stat file;
    uint64_t expiry_s;
};

// Opens an entry that may be read: its header is good, it has not expired, and nobody is changing
// it. MISS: there is none; what was damaged or expired is removed. Close `fd` after OK.
CACHEKIT_MUST_CHECK cachekit_status cki_file_open(struct cki_file_backend *self, const char *name,
                                                  struct cki_file_opened *opened,
                                                  cachekit_error *error);

// Reads what comes after the header into `value`, which is empty.
CACHEKIT_MUST_CHECK cachekit_status cki_file_read(const struct cki_file_backend *self,
                                                  const struct cki_file_opened *opened,
                                                  cachekit_buffer *value, cachekit_error *error);

// Puts header and value under the name in one step: who reads finds the old entry or the new one.
CACHEKIT_MUST_CHECK cachekit_status cki_file_write(struct cki_file_backend *self, const char *name,
                                                   uint64_t expiry_s, cachekit_slice value,
                                                   cachekit_error *error);

// MISS: there is nothing. A directory under the name is E_WRONG_TYPE.
CACHEKIT_MUST_CHECK cachekit_status cki_file_remove(struct cki_file_backend *self, const char *name,
                                                    cachekit_error *error);

// Bytes of the file under the name, -1 if there is no regular one.
int64_t cki_file_bytes(const struct cki_file_backend *self, const char *name);

extern const cachekit_backend_ops cki_file_ops;

#endif
