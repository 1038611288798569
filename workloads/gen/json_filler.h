// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_JSON_FILLER_H
#define WORKLOADS_JSON_FILLER_H

#include "gen/pack.h"

/** Writes `len` bytes of JSON-like text: an array of records of seven members, the last one cut. */
void json_filler_make(pack *out, size_t len);
/** Writes `len` random bytes. */
void random_make(pack *out, size_t len);

#endif
