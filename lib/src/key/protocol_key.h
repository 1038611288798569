// SPDX-License-Identifier: MIT
// Keys of the protocol for whoever makes many: the names are judged and normalised once, and
// memory comes from an allocator of choice.
#ifndef CKI_PROTOCOL_KEY_H
#define CKI_PROTOCOL_KEY_H

#include <cachekit/bytes.h>
#include <cachekit/key.h>

#include "key/key_scratch.h"
#include "key/key_segment.h"

// The key behind a prefix of cki_interop_prefix(). Otherwise as cachekit_key_interop().
CACHEKIT_MUST_CHECK cachekit_status cki_key_interop(cachekit_slice prefix, const cachekit_arg *args,
                                                    size_t count,
                                                    const cachekit_allocator *allocator,
                                                    char out[CACHEKIT_KEY_INTEROP_ROOM],
                                                    cachekit_error *error);

// What stands before and behind the digest of the arguments. Not to be moved.
struct cki_auto_name {
    struct cki_scratch head; // `[ns:{name_space}:]func:{function}:args:`, normalised
    uint8_t head_room[320];
    char tail[CACHEKIT_SERIALIZER_CODE_ROOM + 2]; // `:{0|1}{code}`
};

// CACHEKIT_E_INVALID: no function, a reserved name space, text that is not UTF-8, a code that is
// none; CACHEKIT_E_NOMEM. To be released after CACHEKIT_OK only.
CACHEKIT_MUST_CHECK cachekit_status cki_auto_name_init(struct cki_auto_name *name,
                                                       const cachekit_key_auto_parts *parts,
                                                       const cachekit_allocator *allocator,
                                                       cachekit_error *error);
void cki_auto_name_release(struct cki_auto_name *name);

struct cki_auto_args {
    const cachekit_arg *args;
    size_t count;
    const cachekit_arg *kwargs;
    size_t pairs;
};

// As cachekit_key_auto().
CACHEKIT_MUST_CHECK cachekit_status cki_key_auto(const struct cki_auto_name *name,
                                                 const struct cki_auto_args *args,
                                                 const cachekit_allocator *allocator,
                                                 char out[CACHEKIT_KEY_AUTO_ROOM],
                                                 cachekit_error *error);

#endif
