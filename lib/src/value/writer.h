// SPDX-License-Identifier: MIT
// Packs single MessagePack objects behind what a buffer holds. Whoever uses these keeps the
// counts of arrays and maps right and the text UTF-8.
#ifndef CKI_WRITER_H
#define CKI_WRITER_H

#include <stdbool.h>

#include <cachekit/bytes.h>
#include <cachekit/value.h>

// Each returns CACHEKIT_OK or CACHEKIT_E_NOMEM, and after a failure has appended nothing. Text,
// bytes and counts go to 2^32 - 1, which is not checked.
CACHEKIT_MUST_CHECK cachekit_status cki_pack_nil(cachekit_buffer *out);
CACHEKIT_MUST_CHECK cachekit_status cki_pack_bool(cachekit_buffer *out, bool boolean);
CACHEKIT_MUST_CHECK cachekit_status cki_pack_i64(cachekit_buffer *out, int64_t number);
CACHEKIT_MUST_CHECK cachekit_status cki_pack_u64(cachekit_buffer *out, uint64_t number);
CACHEKIT_MUST_CHECK cachekit_status cki_pack_f64(cachekit_buffer *out, double number);
CACHEKIT_MUST_CHECK cachekit_status cki_pack_str(cachekit_buffer *out, const char *text,
                                                 size_t len);
CACHEKIT_MUST_CHECK cachekit_status cki_pack_bin(cachekit_buffer *out, const void *bytes,
                                                 size_t len);
CACHEKIT_MUST_CHECK cachekit_status cki_pack_array(cachekit_buffer *out, size_t count);
CACHEKIT_MUST_CHECK cachekit_status cki_pack_map(cachekit_buffer *out, size_t pairs);

// Beside the `len` of a node, the room that the two below need at `at`. Both return where to go on.
enum { CKI_PUT_ROOM = 32 };

// A node that is no collection; dates as their maps. NULL: text that is not UTF-8, a date that is
// none, an unknown type.
CACHEKIT_MUST_CHECK uint8_t *cki_put_leaf(uint8_t *at, const cachekit_value *node);
// The header of an array or a map.
CACHEKIT_MUST_CHECK uint8_t *cki_put_header(uint8_t *at, const cachekit_value *collection);

#endif
