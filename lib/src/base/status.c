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
        (void)vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return status;
}
