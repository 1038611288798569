// SPDX-License-Identifier: MIT
// Envelopes in memory of this process, once they have been found sound: the payload's length and
// the block, without what only proves them. Never for bytes from elsewhere.
#ifndef CKI_PACKED_H
#define CKI_PACKED_H

#include <cachekit/bytes.h>
#include <cachekit/status.h>

// Fills `out` from an envelope that was decoded. After a failure it is empty.
CACHEKIT_MUST_CHECK cachekit_status cki_packed_from(cachekit_slice envelope, cachekit_buffer *out);

// Fills `payload`. CACHEKIT_E_DECOMPRESS or CACHEKIT_E_NOMEM, and then it is empty.
CACHEKIT_MUST_CHECK cachekit_status cki_packed_open(cachekit_slice packed, cachekit_buffer *payload,
                                                    cachekit_error *error);

#endif
