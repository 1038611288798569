// SPDX-License-Identifier: MIT
#ifndef CKI_FILE_ERRNO_H
#define CKI_FILE_ERRNO_H

#include <cachekit/status.h>

enum cki_file_place { CKI_FILE_IN_DIRECTORY, CKI_FILE_IN_ENTRY }; // what the call worked on

// The class of a failed system call; `error` (NULL allowed) says what was done when it failed.
cachekit_status cki_file_fail(cachekit_error *error, int code, enum cki_file_place place,
                              const char *doing);

#endif
