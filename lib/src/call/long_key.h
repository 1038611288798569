// SPDX-License-Identifier: MIT
// Keys of calls that do not take the short way, because their arguments are many, long, nested or
// no scalars: the packer of keys under its local profile, types kept apart as in the short way.
#ifndef CKI_LONG_KEY_H
#define CKI_LONG_KEY_H

#include <cachekit/bytes.h>

#include "call/args.h"

// CACHEKIT_E_INVALID: a type that is none, NULL, or too long. Does not look into collections.
cachekit_status cki_arg_check(const cachekit_arg *arg, cachekit_error *error);

// Fills `key`, whose bytes are `buffer`'s. CACHEKIT_E_INVALID or CACHEKIT_E_NOMEM.
CACHEKIT_MUST_CHECK cachekit_status cki_long_key(const struct cki_args *args, uint64_t seed,
                                                 cachekit_buffer *buffer, struct cki_key *key,
                                                 cachekit_error *error);

#endif
