// SPDX-License-Identifier: MIT
// Keys of calls that are too many or too long for the short way: canonical MessagePack of the
// arguments as one array, types kept apart as in the short way.
#ifndef CKI_LONG_KEY_H
#define CKI_LONG_KEY_H

#include <cachekit/bytes.h>

#include "call/args.h"

// Fills `key`, whose bytes are `buffer`'s. CACHEKIT_E_INVALID or CACHEKIT_E_NOMEM.
CACHEKIT_MUST_CHECK cachekit_status cki_long_key(const struct cki_args *args, uint64_t seed,
                                                 cachekit_buffer *buffer, struct cki_key *key,
                                                 cachekit_error *error);

#endif
