// SPDX-License-Identifier: MIT
// The document `ckbench/terrain/1`. Layer: store.
#ifndef CKBENCH_TERRAIN_REPORT_H
#define CKBENCH_TERRAIN_REPORT_H

#include "fault.h"
#include "stats/terrain_books.h"
#include "stats/terrain_recording.h"
#include "store/json.h"
#include "store/json_out.h"

#define TERRAIN_SCHEMA "ckbench/terrain/1"

// The body: nothing in it is of a place or an hour, so that equal runs in virtual time are equal.
void terrain_put_body(struct json_out *out, const struct terrain_recording *recording,
                      const struct terrain_books *books);

// Reads a body back, all but what is derived. False: `recording` is empty.
bool terrain_read_body(const struct json_value *body, struct terrain_recording *recording,
                       struct fault *fault);

#endif
