// SPDX-License-Identifier: MIT
// Objects of a function as stored bytes, and back: codec, then envelope or checksum, then seal. How
// they are stored is the function's choice; nothing is ever guessed from the bytes.
#ifndef CKI_CODEC_H
#define CKI_CODEC_H

#include <stdbool.h>

#include <cachekit/bytes.h>
#include <cachekit/cache.h>

#include "call/reply.h"

struct cki_codec {
    cachekit_wire wire;
    cachekit_codec codec;
    bool has_integrity;
    struct cachekit_keyring *keyring; // NULL: not sealed
};

// "s", "o" or the code of `bytes`: part of auto keys.
cachekit_status cki_codec_code(cachekit_codec codec, char *out);

// Fills `reply->stored` by way of its other buffers. CACHEKIT_ROTATE: done, and the key has sealed
// as much as it should. CACHEKIT_E_VALUE: the object cannot be said.
cachekit_status cki_codec_encode(const struct cki_codec *codec, cachekit_slice key,
                                 const cachekit_result *result, struct cki_reply *reply,
                                 cachekit_error *error);

// What may take an entry's place in the byte cache; `bytes.data` NULL: nothing.
struct cki_held {
    cachekit_slice bytes;
    enum cki_block_kind kind;
};

// Fills `reply` from `stored`, which must live as long as it does.
cachekit_status cki_codec_decode(const struct cki_codec *codec, cachekit_slice key,
                                 cachekit_slice stored, enum cki_block_kind kind,
                                 struct cki_reply *reply, struct cki_held *held,
                                 cachekit_error *error);

#endif
