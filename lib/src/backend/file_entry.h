// SPDX-License-Identifier: MIT
// An entry's file: its name, which is a digest of the key, and the 14 bytes before the value.
#ifndef CKI_FILE_ENTRY_H
#define CKI_FILE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include <cachekit/bytes.h>

enum {
    CKI_FILE_DIGEST_BYTES = 16,
    CKI_FILE_NAME_LEN = 2 * CKI_FILE_DIGEST_BYTES,
    CKI_FILE_NAME_ROOM = CKI_FILE_NAME_LEN + 1,
    CKI_FILE_HEADER_BYTES = 14
};

enum cki_file_state {
    CKI_FILE_LIVE,
    CKI_FILE_EXPIRED,
    CKI_FILE_FOREIGN, // says something that this version cannot read: a miss, and kept
    CKI_FILE_DAMAGED
};

CACHEKIT_MUST_CHECK cachekit_status cki_file_name(cachekit_slice key,
                                                  char name[CKI_FILE_NAME_ROOM]);
void cki_file_name_write(const uint8_t digest[CKI_FILE_DIGEST_BYTES],
                         char name[CKI_FILE_NAME_ROOM]);

// Whether `text` begins with the name of an entry. What follows tells an entry ('\0') from a
// temporary file (".tmp.").
bool cki_file_name_read(const char *text, uint8_t digest[CKI_FILE_DIGEST_BYTES]);

// `expiry_s` counts from 1970; 0: never.
void cki_file_header_write(uint8_t header[CKI_FILE_HEADER_BYTES], uint64_t expiry_s);
enum cki_file_state cki_file_header_read(const uint8_t *header, size_t len, int64_t now_s,
                                         uint64_t *expiry_s);

// The wall clock, which is what expiry is written in.
int64_t cki_file_wall_ns(void);

#endif
