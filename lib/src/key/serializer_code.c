// SPDX-License-Identifier: MIT
// Codes that stand in auto keys for serializers: a letter for those that the protocol names, an x
// and a digest for all others.
#include <cachekit/key.h>

#include <string.h>

#include "base/digest.h"
#include "key/key_hex.h"

static const struct row {
    const char *name;
    char code;
} rows[] = {
    {"default", 's'},  {"std", 's'},    {"standard", 's'}, {"auto", 'a'},
    {"pythonic", 'a'}, {"orjson", 'o'}, {"arrow", 'w'},    {"local", 'l'},
};

cachekit_status cachekit_serializer_code(const char *name, char out[CACHEKIT_SERIALIZER_CODE_ROOM])
{
    uint8_t digest[2];
    if (out == NULL) {
        return CACHEKIT_E_INVALID;
    }
    out[0] = '\0';
    if (name == NULL || name[0] == '\0') {
        return CACHEKIT_E_INVALID;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            out[0] = rows[i].code;
            out[1] = '\0';
            return CACHEKIT_OK;
        }
    }
    cachekit_status status = cki_blake2b(name, strlen(name), digest, sizeof digest);
    if (status == CACHEKIT_OK) {
        out[0] = 'x';
        *cki_put_hex(out + 1, digest, sizeof digest) = '\0';
    }
    return status;
}
