// SPDX-License-Identifier: MIT
// Names and sentences of the status codes, and the one way to fill a caller's error.
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

static const struct row {
    cachekit_status status;
    const char *name;
    const char *text;
} rows[] = {
    {CACHEKIT_OK, "OK", "success"},
    {CACHEKIT_MISS, "MISS", "no live entry"},
    {CACHEKIT_ROTATE, "ROTATE", "done, and the key should be replaced"},
    {CACHEKIT_E_INVALID, "E_INVALID", "an argument is outside its contract"},
    {CACHEKIT_E_NOMEM, "E_NOMEM", "out of memory"},
    {CACHEKIT_E_TOO_LARGE, "E_TOO_LARGE", "the input is over a size limit"},
    {CACHEKIT_E_DECODE, "E_DECODE", "the bytes are no well-formed document"},
    {CACHEKIT_E_BOMB, "E_BOMB", "the input claims more than it can expand to"},
    {CACHEKIT_E_DECOMPRESS, "E_DECOMPRESS", "the compressed block is damaged"},
    {CACHEKIT_E_CHECKSUM, "E_CHECKSUM", "the checksum does not match"},
    {CACHEKIT_E_SIZE, "E_SIZE", "the decompressed length is not the stored one"},
    {CACHEKIT_E_VALUE, "E_VALUE", "the format cannot say this value"},
    {CACHEKIT_E_ENTROPY, "E_ENTROPY", "the entropy source failed"},
    {CACHEKIT_E_BUSY, "E_BUSY", "handles are out"},
    {CACHEKIT_E_AUTH, "E_AUTH", "the sealed bytes do not belong to this key, tenant and binding"},
    {CACHEKIT_E_CONFIG, "E_CONFIG", "keys or options cannot work"},
    {CACHEKIT_E_EXHAUSTED, "E_EXHAUSTED", "the key has sealed all that it may"},
    {CACHEKIT_E_TIMEOUT, "E_TIMEOUT", "no answer before the deadline"},
    {CACHEKIT_E_TRANSIENT, "E_TRANSIENT", "the backend is not reachable or not ready"},
    {CACHEKIT_E_REMOTE_AUTH, "E_REMOTE_AUTH", "the backend wants other credentials"},
    {CACHEKIT_E_FULL, "E_FULL", "the backend has no room"},
    {CACHEKIT_E_WRONG_TYPE, "E_WRONG_TYPE", "what lies under the key is no cache entry"},
    {CACHEKIT_E_UNKNOWN, "E_UNKNOWN", "a failure of no known class"},
};

static const struct row *find(cachekit_status status)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].status == status) {
            return &rows[i];
        }
    }
    return NULL;
}

const char *cachekit_status_name(cachekit_status status)
{
    const struct row *row = find(status);
    return row != NULL ? row->name : "?";
}

const char *cachekit_status_text(cachekit_status status)
{
    const struct row *row = find(status);
    return row != NULL ? row->text : "unknown status";
}

cachekit_status cki_fail(cachekit_error *error, cachekit_status status, uint64_t position,
                         const char *format, ...)
{
    if (error != NULL) {
        error->status = status;
        error->foreign = 0;
        error->position = position;
        va_list args;
        va_start(args, format);
        // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 misses va_start().
        (void)vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return status;
}
