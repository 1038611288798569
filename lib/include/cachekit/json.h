// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_JSON_H
#define CACHEKIT_JSON_H

#include <cachekit/arena.h>
#include <cachekit/bytes.h>
#include <cachekit/status.h>
#include <cachekit/value.h>

CACHEKIT_BEGIN_DECLS

/*
 * Strict JSON (RFC 8259) of value trees, in and out, without recursion: any depth that is allowed
 * works on a thread stack of 64 KiB. Nothing depends on the locale.
 *
 * What JSON has no words for is written as an object of one `$` key, and read back:
 *
 *   bytes                                   {"$bytes": "00ff"}
 *   integers beyond +-(2^53 - 1)            {"$int": "9007199254740993"}
 *   NaN and the infinities                  {"$float": "nan"}, "inf", "-inf"
 *   maps with a key that is no text, and    {"$map": [[key, value], ...]}
 *   maps of one pair whose key starts "$"
 *   dates and times                         {"__datetime__": true, "value": "..."}, their map
 *
 * Writing a tree and reading the text gives an equal tree, but for two things: all NaNs become
 * one, and a map that says what a date says becomes the date, as in MessagePack.
 */

enum cachekit_json_flags {
    /** Reading: text points into the input where it holds no escapes; the input must live on. */
    CACHEKIT_JSON_BORROW = 0,
    /** Reading: all text is copied into the arena, each with a NUL behind it. */
    CACHEKIT_JSON_COPY = 1 << 0,
    /**
     * JSON of others. Reading: `$` objects and date maps are plain maps. Writing: integers of 64
     * bits are written as they are, and what needs a tag is CACHEKIT_E_VALUE; dates are their map.
     */
    CACHEKIT_JSON_PLAIN = 1 << 1,
    /** Writing: pairs of objects in bytewise order of their keys, on every level. */
    CACHEKIT_JSON_SORTED = 1 << 2
};

/**
 * Reads exactly one JSON document; `flags` are BORROW or COPY, with or without PLAIN.
 *
 * A number without point and exponent is an integer (`-0` is 0), any other a float, rounded to
 * nearest even; `1.0` stays a float and `-0.0` keeps its sign. Duplicate keys are kept in order,
 * as in MessagePack; cachekit_value_get() finds the last. Besides the tags above, these are read:
 * {"$float": "1.5"}, {"$int": "5"}, {"$datetime": "..."} with a UTC offset. Escapes may spell any
 * character, U+0000 too.
 *
 * CACHEKIT_E_DECODE: not the grammar, bytes behind the document (a byte order mark before it as
 * well), text that is not strict UTF-8, an escaped surrogate alone, more than 1,024 levels of the
 * tree, a malformed or unknown tag ($set and $uuid are for arguments of a call only).
 * CACHEKIT_E_VALUE: an integer outside [-2^63, 2^64 - 1], a float that would be infinite.
 * CACHEKIT_E_TOO_LARGE: more than 2^32 - 1 bytes. CACHEKIT_E_INVALID: other flags.
 * CACHEKIT_E_NOMEM. `error->position` is an offset in the input.
 *
 * `*root` is nil after a failure. Time is linear in the input. The arena gives at most 64 bytes
 * for each byte of input, a part of them for the time of the call only; it is not reset.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_json_decode(cachekit_slice input,
                                                                      unsigned flags,
                                                                      cachekit_arena *arena,
                                                                      cachekit_value *root,
                                                                      cachekit_error *error);

/**
 * Writes the tree into `out`, which is emptied first, compact and in UTF-8; `flags` are SORTED,
 * PLAIN or both.
 *
 * A float is the shortest decimal that reads back as the same float, with a point or an exponent
 * always: 1.0, 0.1, 1e300. Escaped are `"`, `\` and the control characters below U+0020. SORTED
 * leaves the pairs of a "$map" in their order, and equal keys in theirs.
 *
 * CACHEKIT_E_VALUE: more than 1,024 levels, text that is not strict UTF-8, a date that is not
 * what its type says, an unknown type, a tag that PLAIN forbids. CACHEKIT_E_INVALID: other flags.
 * CACHEKIT_E_NOMEM. After a failure `out` is empty. Linear time, but for the sorting.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_json_encode(const cachekit_value *value,
                                                                      unsigned flags,
                                                                      cachekit_buffer *out,
                                                                      cachekit_error *error);

CACHEKIT_END_DECLS

#endif
