// SPDX-License-Identifier: MIT
// The one line that every failure gets: `cachekit: E_DECODE: what was wrong, at byte 17`.
#ifndef CACHEKIT_COMMAND_COMPLAIN_H
#define CACHEKIT_COMMAND_COMPLAIN_H

#include <stddef.h>

#include <cachekit/status.h>

enum { COMPLAINT_ROOM = 256 };

// Class, text and position, as the line has them and as `inspect` shows them.
void complaint_write(cachekit_status status, const cachekit_error *error, char *out, size_t size);

// Says it and returns the exit code of `status`: 1 for a miss, 2 for an argument outside its
// contract, which can only come from the command line, 3 for any other failure.
int complain(cachekit_status status, const cachekit_error *error, const char *verb);

// The same where all that is read is the command line: 2, but for a lack of memory.
int complain_of_words(cachekit_status status, const cachekit_error *error, const char *verb);

// Fills `error` and returns `status`.
__attribute__((format(printf, 3, 4))) cachekit_status
complaint_set(cachekit_error *error, cachekit_status status, const char *format, ...);

#endif
