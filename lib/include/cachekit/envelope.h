// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_ENVELOPE_H
#define CACHEKIT_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cachekit/bytes.h>
#include <cachekit/status.h>

CACHEKIT_BEGIN_DECLS

/*
 * The envelope of the CacheKit protocol 1.1 ("ByteStorage"): a MessagePack array of four,
 * [LZ4 block of the payload, XXH3-64 of the payload, payload length, format text].
 *
 * The checksum finds damage. It is no proof of origin: whoever can write to the store can write
 * a matching one. Against a store that is not trusted, seal the bytes.
 *
 * All functions: any thread, no lock, no global state, no recursion, about 20 KB of stack.
 */

/** Largest payload, block and envelope: 512 MiB, inclusive. */
#define CACHEKIT_ENVELOPE_MAX_BYTES 536870912u

/** The format texts that exist. Any other text is refused, on both sides. */
#define CACHEKIT_FORMAT_MSGPACK "msgpack"
#define CACHEKIT_FORMAT_ORJSON  "orjson"
#define CACHEKIT_FORMAT_ARROW   "arrow"
#define CACHEKIT_FORMAT_BYTES   "bytes" /* any bytes; of this library, other SDKs refuse it */

/** What an envelope says about itself; nothing of it is verified against the payload. */
typedef struct cachekit_envelope_info {
    size_t compressed_len;
    size_t payload_len;
    uint64_t checksum;
    const char *format; /* one of the texts above: static storage */
    bool is_legacy;     /* block written as an array of integers, as before protocol 1.1 */
} cachekit_envelope_info;

/**
 * Fills `envelope` with the envelope of `payload`, in the bin form.
 *
 * `format` NULL means CACHEKIT_FORMAT_MSGPACK. A payload below 64 bytes is stored as literals and
 * never reaches the compressor. Compressed bytes are not canonical: compare payloads. A buffer
 * that is used again needs no allocation once its room covers the worst case, payload length plus
 * 1/255 of it plus 52 bytes. `payload` must not lie in `envelope`.
 *
 * Returns CACHEKIT_OK, CACHEKIT_E_INVALID (format), CACHEKIT_E_TOO_LARGE or CACHEKIT_E_NOMEM;
 * after a failure `envelope` is empty.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_envelope_encode(cachekit_slice payload,
                                                                          const char *format,
                                                                          cachekit_buffer *envelope,
                                                                          cachekit_error *error);

/**
 * Fills `payload` with what `envelope` holds, and sets `format` (NULL allowed) to its text.
 *
 * Both forms are read, and integers of every legal width; the array must have four elements and
 * nothing may follow it. `max_payload_bytes` is the caller's own cap, 0 for the protocol's: an
 * envelope of 2 MiB may legally claim 512 MiB. Checks run in this order, and nothing is
 * allocated before the first five have passed:
 *
 * 1. envelope over 512 MiB: CACHEKIT_E_TOO_LARGE
 * 2. not the layout, cut short, bytes behind it, unknown format: CACHEKIT_E_DECODE
 * 3. block over 512 MiB, or claimed payload over 512 MiB or over the cap: CACHEKIT_E_TOO_LARGE
 * 4. empty block: CACHEKIT_E_BOMB
 * 5. claim above 1000 : 1 (the protocol's bound) or 255 : 1 (LZ4's own): CACHEKIT_E_BOMB
 * 6. block that does not decompress into the claimed length: CACHEKIT_E_DECOMPRESS
 * 7. checksum of the bytes produced: CACHEKIT_E_CHECKSUM
 * 8. fewer bytes than claimed: CACHEKIT_E_SIZE
 *
 * The buffer is given room for the claimed length, and for the block as well in the old form.
 * `envelope` must not lie in `payload`. Returns CACHEKIT_OK, one of these or CACHEKIT_E_NOMEM;
 * after a failure `payload` is empty and `format` NULL.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_envelope_decode(cachekit_slice envelope,
                                                                          size_t max_payload_bytes,
                                                                          cachekit_buffer *payload,
                                                                          const char **format,
                                                                          cachekit_error *error);

/**
 * Reads the claims of `envelope` without decompressing: checks 1 to 5 of
 * cachekit_envelope_decode() and their failures. Allocates nothing. `info` is written once
 * check 2 has passed, so that a refused claim can be shown.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_envelope_inspect(
    cachekit_slice envelope, cachekit_envelope_info *info, cachekit_error *error);

CACHEKIT_END_DECLS

#endif
