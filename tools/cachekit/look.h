// SPDX-License-Identifier: MIT
// Says what bytes are and why a reader would refuse them. Shows structure, never content.
#ifndef CACHEKIT_COMMAND_LOOK_H
#define CACHEKIT_COMMAND_LOOK_H

#include <stdint.h>

#include <cachekit/arena.h>
#include <cachekit/bytes.h>
#include <cachekit/status.h>

#include "finding.h"

struct look {
    cachekit_arena *arena;
    uint64_t now_unix_s; // what expiry is held against
};

// What may stand where: a file entry holds no file entry, a frame no frame. So bytes are never
// looked at more than five deep.
enum look_at { LOOK_AT_WHOLE, LOOK_AT_ENTRY, LOOK_AT_FRAMED, LOOK_AT_PAYLOAD };

// Fills `out` with "kind", "bytes", what the kind has, and "refused": nil or why.
void look_bytes(const struct look *look, cachekit_slice bytes, enum look_at at,
                struct finding *out);

// One kind each; false, and `out` untouched, if the bytes are not of it.
bool look_file_entry(const struct look *look, cachekit_slice bytes, struct finding *out);
bool look_frame(const struct look *look, cachekit_slice bytes, struct finding *out);
bool look_envelope(const struct look *look, cachekit_slice bytes, struct finding *out);
bool look_document(const struct look *look, cachekit_slice bytes, enum look_at at,
                   struct finding *out);
bool look_json(const struct look *look, cachekit_slice bytes, struct finding *out);
bool look_checked_json(const struct look *look, cachekit_slice bytes, struct finding *out);
// Only where a frame says so.
bool look_checked_arrow(const struct look *look, cachekit_slice bytes, struct finding *out);

// What an envelope or a frame says that its payload is: "msgpack", "orjson", "arrow", "bytes".
void look_payload(const struct look *look, cachekit_slice bytes, const char *format,
                  struct finding *out);

// Bytes of no known kind, which sealed bytes are too.
void look_unknown(const struct look *look, cachekit_slice bytes, struct finding *out);

#endif
