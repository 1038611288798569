// SPDX-License-Identifier: MIT
#ifndef WORKLOADS_PAYLOAD_VALUE_H
#define WORKLOADS_PAYLOAD_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include <cachekit/value.h>

#include "gen/pack.h"

/** The shapes of both payload paths, ended by NULL: kind and size. */
extern const char *const payload_shapes[];
/** get and set, ended by NULL. */
extern const char *const payload_operations[];

/**
 * A map of two: a version, and JSON-like text (json) or random bytes (bin). What a shape that is
 * asked for says; "" is json-1k.
 */
typedef struct payload_value {
    pack bytes;
    cachekit_value items[4];
    cachekit_value tree; /* borrows from the above: do not move the struct */
} payload_value;

/** Fills `out` by ckbench_shape(); with `bytes` other than 0 of that size. Release it. */
bool payload_value_make(payload_value *out, uint64_t bytes);
void payload_value_release(payload_value *value);

/** Whether the operation that is asked for is `set`. */
bool payload_is_set(void);

/** FNV-1a of the text or bytes in a tree that was read, 0 if it is no such tree. */
uint64_t payload_digest(const cachekit_value *tree);

#endif
