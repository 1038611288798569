// SPDX-License-Identifier: MIT
// Whole inputs in, whole results out.
#ifndef CACHEKIT_COMMAND_STREAM_H
#define CACHEKIT_COMMAND_STREAM_H

#include <stddef.h>

#include <cachekit/bytes.h>
#include <cachekit/status.h>

// Reads all of `file` (NULL: standard input) into `out`, `limit` bytes at most. A file that is too
// long is refused before it is read, a stream one byte after the limit. CACHEKIT_E_TOO_LARGE,
// CACHEKIT_E_NOMEM, CACHEKIT_E_UNKNOWN with the system's words.
cachekit_status stream_read(const char *file, size_t limit, cachekit_buffer *out,
                            cachekit_error *error);

// Writes all of `bytes` to standard output. A disk that is full or a reader that has gone is a
// failure, CACHEKIT_E_UNKNOWN.
cachekit_status stream_write(cachekit_slice bytes, cachekit_error *error);

#endif
