// SPDX-License-Identifier: MIT
// Which error of the operating system is of which class. The same permission error is a fault of
// the set-up when it concerns the directory, and one of the moment when it concerns one entry.
#include "backend/file_errno.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/status.h"

static const struct row {
    int code;
    cachekit_status status; // for what happens in the directory
    cachekit_status entry;
} rows[] = {
    {ENOSPC, CACHEKIT_E_FULL, CACHEKIT_E_FULL},
    {EDQUOT, CACHEKIT_E_FULL, CACHEKIT_E_FULL},
    {EFBIG, CACHEKIT_E_FULL, CACHEKIT_E_FULL},
    {EROFS, CACHEKIT_E_CONFIG, CACHEKIT_E_CONFIG},
    {ELOOP, CACHEKIT_E_CONFIG, CACHEKIT_E_CONFIG},
    {EACCES, CACHEKIT_E_CONFIG, CACHEKIT_E_TRANSIENT},
    {EPERM, CACHEKIT_E_CONFIG, CACHEKIT_E_TRANSIENT},
    {ENOENT, CACHEKIT_E_CONFIG, CACHEKIT_E_UNKNOWN}, // the directory itself is gone
    {ENOTDIR, CACHEKIT_E_CONFIG, CACHEKIT_E_UNKNOWN},
    {EISDIR, CACHEKIT_E_WRONG_TYPE, CACHEKIT_E_WRONG_TYPE},
    {ETIMEDOUT, CACHEKIT_E_TIMEOUT, CACHEKIT_E_TIMEOUT},
    {EWOULDBLOCK, CACHEKIT_E_TIMEOUT, CACHEKIT_E_TIMEOUT}, // somebody else holds the lock
    {ENOMEM, CACHEKIT_E_NOMEM, CACHEKIT_E_NOMEM},
};

static cachekit_status class_of(int code, enum cki_file_place place)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code == code) {
            return place == CKI_FILE_IN_DIRECTORY ? rows[i].status : rows[i].entry;
        }
    }
    return CACHEKIT_E_UNKNOWN;
}

cachekit_status cki_file_fail(cachekit_error *error, int code, enum cki_file_place place,
                              const char *doing)
{
    cachekit_status status = class_of(code, place);
    if (error != NULL) {
        char why[80] = "";
        (void)strerror_r(code, why, sizeof why);
        (void)cki_fail(error, status, 0, "file backend: %s: %s", doing, why);
        error->foreign = code;
    }
    return status;
}
