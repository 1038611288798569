// SPDX-License-Identifier: MIT
// Decodes a text that stands in a heap block of exactly its length.
#ifndef TESTS_JSON_EXACT_H
#define TESTS_JSON_EXACT_H

#include <stdlib.h>
#include <string.h>

#include <cachekit/json.h>

#define TEXT(literal) literal, sizeof(literal) - 1

// A sanitizer sees one byte read too many. The caller frees `*kept` after the tree.
static inline cachekit_status json_exact(const char *text, size_t len, unsigned flags,
                                         cachekit_arena *arena, cachekit_value *root,
                                         cachekit_error *error, uint8_t **kept)
{
    *kept = malloc(len > 0 ? len : 1);
    if (*kept == NULL) {
        abort();
    }
    memcpy(*kept, text, len);
    return cachekit_json_decode((cachekit_slice){*kept, len}, flags, arena, root, error);
}

#endif
