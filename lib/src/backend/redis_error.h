// SPDX-License-Identifier: MIT
// What a server's error replies mean. The rows are those of the table in <cachekit/backends.h>.
#ifndef CKI_REDIS_ERROR_H
#define CKI_REDIS_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include <cachekit/status.h>

struct cki_redis_error {
    const char *begins; // the reply, less its '-'
    cachekit_status status;
    bool keeps_link;
    bool is_at_the_door; // this server lets us in no further: dialling again has to wait
    bool moves_on;       // another server may be the right one now: resolve and dial again
};

// The row of a reply; the last one, of all others, if there is none of its own.
const struct cki_redis_error *cki_redis_error_find(const char *line);

// Fills `error` with the row's own words, none of the server's: those may repeat a key.
cachekit_status cki_redis_error_tell(const struct cki_redis_error *row, cachekit_error *error);

extern const struct cki_redis_error cki_redis_errors[];
extern const size_t cki_redis_error_count;

#endif
