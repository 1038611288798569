// SPDX-License-Identifier: MIT
// The protocol's pinned messages: encryption.json and the encryption rows of interop-mode.json.
// Rows of additional data alone have no master key and nothing sealed.
#ifndef TESTS_SEAL_ROWS_H
#define TESTS_SEAL_ROWS_H

#include <cachekit/seal.h>

enum { SEAL_ROWS_MAX = 32, SEAL_ROW_ROOM = 256 };

struct seal_row {
    const char *name, *master, *tenant, *fingerprint;
    cachekit_binding binding;
    uint8_t plain[SEAL_ROW_ROOM], aad[SEAL_ROW_ROOM], sealed[SEAL_ROW_ROOM];
    size_t plain_len, aad_len, sealed_len;
};

extern struct seal_row seal_rows[SEAL_ROWS_MAX];

// How many rows there are; a file that is not as it should be gives 0.
size_t seal_rows_load(void);
void seal_rows_free(void);

#endif
