// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_KEY_H
#define CACHEKIT_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include <cachekit/arg.h>
#include <cachekit/export.h>
#include <cachekit/status.h>

CACHEKIT_BEGIN_DECLS

/*
 * Keys of the CacheKit protocol, byte for byte those of its other SDKs. Nothing here needs a cache;
 * all functions may be called from any thread, take no lock, and allocate (by malloc) only for
 * arguments of more than some hundred bytes, a dozen elements of maps and sets, or a few levels.
 * Time is linear in the arguments, but for the sorting of maps and sets. Some 4 KiB of stack,
 * whatever the depth.
 */

enum {
    /** The longest interop key, 194 bytes, and its NUL. */
    CACHEKIT_KEY_INTEROP_ROOM = 195,
    /** The longest auto key, 250 characters of up to four bytes, and its NUL. */
    CACHEKIT_KEY_AUTO_ROOM = 1001,
    /** A serializer code, up to five characters, and its NUL. */
    CACHEKIT_SERIALIZER_CODE_ROOM = 6
};

/**
 * The key `{name_space}:{operation}:{64 hex digits}` of interop/v1: BLAKE2b-256 over the canonical
 * MessagePack of the arguments as one flat array. Defaults must be among the arguments: the other
 * languages put them there.
 *
 * Name space and operation match ^[a-z0-9][a-z0-9._-]{0,63}$ as a whole, have no `..`, and the name
 * space is none of `ns`, `nsapi`, `ck`: else CACHEKIT_E_INVALID. Floats with an integral value in
 * [-2^63, 2^64) are their integer; a moment is a float of seconds by the same rule; sets are sorted
 * arrays without doubles; maps have text keys, each once, sorted bytewise. CACHEKIT_E_VALUE: an
 * argument outside this model (NaN, infinities, a map key that is no text or is there twice, text
 * that is not strict UTF-8, a moment without UTC offset, more than 1,024 levels).
 * CACHEKIT_E_INVALID: NULL, an unknown type, 2 GiB or more in all. CACHEKIT_E_NOMEM. The error's
 * text counts arguments from 1. After a failure `out` is the empty string.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status
cachekit_key_interop(const char *name_space, const char *operation, const cachekit_arg *args,
                     size_t count, char out[CACHEKIT_KEY_INTEROP_ROOM], cachekit_error *error);

/** What an auto key is made of besides the arguments: NUL-terminated UTF-8. */
typedef struct cachekit_key_auto_parts {
    const char *name_space;      /* NULL or "": none; not `ck`, nor with the prefix `ck:` */
    const char *function;        /* `module.qualname` */
    const char *serializer_code; /* NULL: "s"; see cachekit_serializer_code() */
    bool no_integrity;           /* the value carries no checksum */
} cachekit_key_auto_parts;

/**
 * The key of Python's auto mode: `[ns:{name_space}:]func:{function}:args:{64 hex
 * digits}:{0|1}{code}` over MessagePack of [arguments, keyword arguments]; above 250 characters its
 * first 50, `:`, and 32 digits of its own digest. `kwargs` are pairs of name and value, as in
 * cachekit_map().
 *
 * Floats stay floats (-0.0 is 0.0; NaN and infinities are allowed), maps are sorted by their keys,
 * which are text, bytes, integers, floats or booleans, one of these in each map (or one null
 * alone). A moment is ISO 8601 text as Python prints it, with the offset it was given with, so that
 * one moment in two time zones is two keys; microseconds are UTC, of the years 1 to 9999. A UUID is
 * its text. CACHEKIT_E_VALUE: what Python refuses: sets, other map keys, names that are no text.
 * CACHEKIT_E_INVALID: parts that are not as said above. Otherwise as cachekit_key_interop().
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status
cachekit_key_auto(const cachekit_key_auto_parts *parts, const cachekit_arg *args, size_t count,
                  const cachekit_arg *kwargs, size_t pairs, char out[CACHEKIT_KEY_AUTO_ROOM],
                  cachekit_error *error);

/**
 * The code of a serializer by name: `default`, `std`, `standard` s, `auto`, `pythonic` a, `orjson`
 * o, `arrow` w, `local` l; any other `x` and four digits of its digest. NULL or "" is refused with
 * CACHEKIT_E_INVALID.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status
cachekit_serializer_code(const char *name, char out[CACHEKIT_SERIALIZER_CODE_ROOM]);

CACHEKIT_END_DECLS

#endif
