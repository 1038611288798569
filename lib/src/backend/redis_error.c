// SPDX-License-Identifier: MIT
// The table of error replies.
#include "backend/redis_error.h"

#include <string.h>

#include "base/status.h"

const struct cki_redis_error cki_redis_errors[] = {
    {"LOADING", CACHEKIT_E_TRANSIENT, true, false, false},
    {"BUSY", CACHEKIT_E_TRANSIENT, true, false, false},
    {"TRYAGAIN", CACHEKIT_E_TRANSIENT, true, false, false},
    {"CLUSTERDOWN", CACHEKIT_E_TRANSIENT, true, false, false},
    {"MISCONF", CACHEKIT_E_TRANSIENT, true, false, false},
    {"MASTERDOWN", CACHEKIT_E_TRANSIENT, false, false, true},
    {"READONLY", CACHEKIT_E_TRANSIENT, false, false, true},
    {"ERR max number of clients", CACHEKIT_E_TRANSIENT, false, true, false},
    {"NOAUTH", CACHEKIT_E_REMOTE_AUTH, false, true, false},
    {"WRONGPASS", CACHEKIT_E_REMOTE_AUTH, false, true, false},
    {"NOPERM", CACHEKIT_E_REMOTE_AUTH, false, false, false},
    {"OOM", CACHEKIT_E_FULL, true, false, false},
    {"WRONGTYPE", CACHEKIT_E_WRONG_TYPE, true, false, false},
    {"MOVED", CACHEKIT_E_CONFIG, true, false, false},
    {"ASK", CACHEKIT_E_CONFIG, true, false, false},
    {"ERR invalid expire time", CACHEKIT_E_INVALID, false, false, false},
    {"", CACHEKIT_E_UNKNOWN, false, false, false},
};

const size_t cki_redis_error_count = sizeof cki_redis_errors / sizeof cki_redis_errors[0];

// A whole word, or the beginning of a sentence: "MOVEDX" is none of ours.
static bool begins_with(const char *line, const char *begins)
{
    size_t len = strlen(begins);
    return strncmp(line, begins, len) == 0 && (len == 0 || line[len] == ' ' || line[len] == '\0');
}

const struct cki_redis_error *cki_redis_error_find(const char *line)
{
    size_t i = 0;
    while (!begins_with(line, cki_redis_errors[i].begins)) {
        i++;
    }
    return &cki_redis_errors[i];
}

cachekit_status cki_redis_error_tell(const struct cki_redis_error *row, cachekit_error *error)
{
    if (row->status == CACHEKIT_E_CONFIG) {
        return cki_fail(error, row->status, 0,
                        "redis: the server is part of a Cluster: use redis+cluster://");
    }
    if (row->begins[0] == '\0') {
        return cki_fail(error, row->status, 0, "redis: the server refuses for a reason unknown");
    }
    return cki_fail(error, row->status, 0, "redis: the server says %s", row->begins);
}
