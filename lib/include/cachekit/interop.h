// SPDX-License-Identifier: MIT
#ifndef CACHEKIT_INTEROP_H
#define CACHEKIT_INTEROP_H

#include <cachekit/arena.h>
#include <cachekit/bytes.h>
#include <cachekit/status.h>
#include <cachekit/value.h>

CACHEKIT_BEGIN_DECLS

/*
 * Values of interop/v1: one MessagePack document, no envelope, the same bytes from every SDK. A
 * flip of a bit inside a plain document may go unnoticed: it has no checksum. Any thread, no lock.
 */

/**
 * Writes the canonical form into `out`, which is emptied first: shortest headers, maps sorted
 * bytewise by their text keys on every level, floats as binary64 and never as integers, dates as
 * their maps. CACHEKIT_E_VALUE: NaN, an infinity, a map key that is no text or is there twice, and
 * what cachekit_value_encode() refuses. CACHEKIT_E_NOMEM. After a failure `out` is empty.
 *
 * Reading what was written and writing it again gives the same bytes. Linear time, but for the
 * sorting; about 25 KiB of stack, whatever the depth; memory beside `out`, from its allocator, only
 * for maps of more than 15 pairs that are not in order.
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status
cachekit_interop_encode(const cachekit_value *value, cachekit_buffer *out, cachekit_error *error);

/**
 * Reads one document, canonical or not, with the bounds and the `flags` of cachekit_value_decode().
 * CACHEKIT_E_DECODE also for extension types and for bytes of another container, which the text
 * names: a frame of Python's auto mode (it starts `CK`), an interop/v2 container (`c1 02`).
 */
CACHEKIT_API CACHEKIT_MUST_CHECK cachekit_status cachekit_interop_decode(cachekit_slice input,
                                                                         unsigned flags,
                                                                         cachekit_arena *arena,
                                                                         cachekit_value *root,
                                                                         cachekit_error *error);

CACHEKIT_END_DECLS

#endif
